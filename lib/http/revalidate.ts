/**
 * Adds an ETag to responses that can be cached or polled. Responds with 304 if the client already has the current
 * version. The ETag is a hash of the body, so all replicas send the same ETag.
 */
import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { HttpResponse } from "#lib/http/response.ts";

const ETAG_LENGTH = 22; // characters of base64url: 132 bits

/** A response with an ETag. If it is cached, all requests share its body. */
export interface CachedResponse {
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly headers: HttpResponse["headers"];
}

/** Adds an ETag to a response with status 200. Browsers and proxies may cache the response for `seconds`, if set. */
export function cacheResponse(
  { headers, body }: HttpResponse & { readonly body: string },
  seconds: number | undefined,
): CachedResponse {
  const etag = `"${hash("sha256", body, "base64url").slice(0, ETAG_LENGTH)}"`;
  const control = seconds === undefined ? {} : { "cache-control": `public, max-age=${seconds}` };
  return { body, etag, headers: { ...headers, etag, ...control } };
}

/** Returns the cached response, or 304 if If-None-Match contains its ETag (RFC 9110, section 13.1.2). */
export function revalidate({ body, etag, headers: kept }: CachedResponse, request: Request): HttpResponse {
  if (!matchesEtag(request.headers.get("if-none-match"), etag)) {
    return { status: 200, headers: { ...kept }, body };
  }
  // Sends every header except Content-Type with the 304, because caches update their stored headers from it.
  const { "content-type": _, ...headers } = kept;
  return { status: 304, headers, body: null };
}

/** Returns a function that picks the plain or the gzip variant for a request. Each variant is created only once. */
export function createGzipSelector({ body, etag, headers }: CachedResponse): (request: Request) => CachedResponse {
  const bytes = Buffer.from(body), vary = { ...headers, vary: "accept-encoding" };
  const plain = { body: bytes, etag, headers: vary };
  let gzip: CachedResponse | undefined;
  const pack = (): CachedResponse => {
    const own = `${etag.slice(0, -1)}-gzip"`; // the compressed bytes need a different ETag
    return { body: gzipSync(bytes), etag: own, headers: { ...vary, etag: own, "content-encoding": "gzip" } };
  };
  return (request) => acceptsGzip(request.headers.get("accept-encoding")) ? gzip ??= pack() : plain;
}

/** Returns whether Accept-Encoding allows gzip (RFC 9110, section 12.5.3). */
export function acceptsGzip(header: string | null): boolean {
  if (header === null) return false;
  const offers = header.toLowerCase().split(",").map((part) => part.split(";").map((piece) => piece.trim()));
  const [, quality] = offers.find(([name]) => name === "gzip") ?? offers.find(([name]) => name === "*") ??
    [null, "q=0"];
  return !/^q=0(?:\.0*)?$/.test(quality ?? "");
}

/** Compares ETags. Ignores W/, which proxies add when they compress, and the suffix -gzip from compress.ts. */
function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const ours = [etag, `${etag.slice(0, -1)}-gzip"`];
  return header.trim() === "*" || [...header.matchAll(/"[^"]*"/g)].some(([known]) => ours.includes(known));
}
