/**
 * Compresses responses to GET requests with gzip: text, JSON and pages above a minimum size. Streams and pages with
 * `no-store` are not compressed. If a page contains a secret and text from the URL, its compressed size could reveal
 * the secret (BREACH). JSON contains secrets only in responses to POST.
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { appendHeader, type HttpResponse, isBodyStream } from "#lib/http/response.ts";
import type { Middleware } from "#lib/http/middleware.ts";
import { acceptsGzip } from "#lib/http/revalidate.ts";

const MIN_SIZE = 1024; // bytes; smaller responses fit into one packet
const FAST_ABOVE = 256 * 1024; // bytes; larger responses use the fastest level
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
      ...(etag?.endsWith('"') && { etag: `${etag.slice(0, -1)}-gzip"` }), // other bytes need another ETag
    },
    body: await pack(bytes, { level: bytes.length < FAST_ABOVE ? 6 : 1 }),
  };
};

/** Whether the response varies by encoding. This includes 304, because caches store the headers of a 304. */
function isCompressible({ status, headers, body }: HttpResponse): boolean {
  if ("content-encoding" in headers || "vary" in headers || "set-cookie" in headers || isBodyStream(body)) return false;
  if (status === 304) return true;
  const type = headers["content-type"] ?? "";
  return TYPES.test(type) && !(type.startsWith("text/html") && headers["cache-control"] === "no-store");
}
