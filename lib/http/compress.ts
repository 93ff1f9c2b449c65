/**
 * Compresses responses to GET requests with gzip, unless they are small, streamed or marked `no-store`. Pages marked
 * `no-store` stay uncompressed for safety: if a page contained both a secret and text from the URL, the page's
 * compressed size could reveal the secret (the BREACH attack).
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { appendHeader, type HttpResponse, isBodyStream } from "#lib/http/response.ts";
import type { Middleware } from "#lib/http/middleware.ts";
import { acceptsGzip } from "#lib/http/revalidate.ts";

const MIN_SIZE = 1024; // bytes; smaller responses fit into one packet
const FAST_ABOVE = 256 * 1024; // bytes; larger responses use gzip's fastest level
const TYPES = /^(?:text\/(?!event-stream)|application\/(?:json|atom\+xml)|image\/svg\+xml)/;

const pack = promisify<Uint8Array, { level: number }, Uint8Array<ArrayBuffer>>(gzip);

export const compressResponse: Middleware = async ({ request }, next) => {
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
      ...(etag?.endsWith('"') && { etag: `${etag.slice(0, -1)}-gzip"` }), // the compressed bytes need a different ETag
    },
    body: await pack(bytes, { level: bytes.length < FAST_ABOVE ? 6 : 1 }),
  };
};

/** Returns whether the response depends on Accept-Encoding. Includes 304, because caches store its headers. */
function isCompressible({ status, headers, body }: HttpResponse): boolean {
  if ("content-encoding" in headers || "vary" in headers || "set-cookie" in headers || isBodyStream(body)) return false;
  if (status === 304) return true;
  const type = headers["content-type"] ?? "";
  return TYPES.test(type) && !(type.startsWith("text/html") && headers["cache-control"] === "no-store");
}
