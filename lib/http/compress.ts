/**
 * Compresses responses to GET requests with gzip, unless they are small or pages marked `no-store`. Pages marked
 * `no-store` stay uncompressed for safety: if a page contained both a secret and text from the URL, the page's
 * compressed size could reveal the secret (the BREACH attack).
 */
import { once } from "node:events";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import { appendHeader, type BodyStream, type HttpResponse, isBodyStream } from "#lib/http/response.ts";
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
  if (body === null || !acceptsGzip(request.headers.get("accept-encoding"))) return answer;
  if (isBodyStream(body)) {
    return { ...answer, headers: { ...headers, "content-encoding": "gzip" }, body: compressStream(body) };
  }
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

/** Compresses a streamed list. Waits for the client before it reads more of the list. */
function compressStream(body: BodyStream): BodyStream {
  return {
    async run(write) {
      const gzip = createGzip({ level: 1 });
      const source = body.run(async (bytes) => {
        if (!gzip.write(bytes)) await once(gzip, "drain");
      }).then(() => gzip.end(), (error) => gzip.destroy(error));
      for await (const chunk of gzip) await write(chunk);
      await source;
    },
    cancel: body.cancel,
  };
}

/** Returns whether the response depends on Accept-Encoding. Includes 304, because caches store its headers. */
function isCompressible({ status, headers }: HttpResponse): boolean {
  if ("content-encoding" in headers || "vary" in headers || "set-cookie" in headers) return false;
  if (status === 304) return true;
  const type = headers["content-type"] ?? "";
  return TYPES.test(type) && !(type.startsWith("text/html") && headers["cache-control"] === "no-store");
}
