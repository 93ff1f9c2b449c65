/**
 * Compresses answers to GET: text, JSON and pages above a size, where the client takes gzip.
 *
 * Not streams, which go on, and not pages that no cache may keep: those may show a secret beside what somebody else put
 * into the address, and the compressed size would tell how much both have in common (BREACH). JSON has no such answers:
 * what is shown once is the answer to a POST.
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { appendHeader, type HttpResponse, isBodyStream } from "#lib/http/response.ts";
import type { Middleware } from "#lib/http/middleware.ts";
import { acceptsGzip } from "#lib/http/revalidate.ts";

const MIN_SIZE = 1024; // bytes; less fits into one packet anyway
const FAST_ABOVE = 256 * 1024; // bytes from which on speed counts more than size
const TYPES = /^(?:text\/(?!event-stream)|application\/(?:json|atom\+xml)|image\/svg\+xml)/;

const pack = promisify<Uint8Array, { level: number }, Uint8Array<ArrayBuffer>>(gzip);

export const compress: Middleware = async ({ request }, next) => {
  const answer = await next();
  if (request.method !== "GET" && request.method !== "HEAD" || !isCompressible(answer)) return answer;
  appendHeader(answer.headers, "vary", "accept-encoding");
  const { body, headers } = answer;
  if (body === null || isBodyStream(body) || !acceptsGzip(request.headers.get("accept-encoding"))) return answer;
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  if (bytes.length < MIN_SIZE) return answer;
  const { etag } = headers;
  return {
    ...answer,
    headers: {
      ...headers,
      "content-encoding": "gzip",
      ...(etag?.endsWith('"') && { etag: `${etag.slice(0, -1)}-gzip"` }), // other bytes, so another name
    },
    body: await pack(bytes, { level: bytes.length < FAST_ABOVE ? 6 : 1 }),
  };
};

/** True for a 304 too: caches replace stored headers with its headers. */
function isCompressible({ status, headers, body }: HttpResponse): boolean {
  if ("content-encoding" in headers || "vary" in headers || "set-cookie" in headers || isBodyStream(body)) return false;
  if (status === 304) return true;
  const type = headers["content-type"] ?? "";
  return TYPES.test(type) && !(type.startsWith("text/html") && headers["cache-control"] === "no-store");
}
