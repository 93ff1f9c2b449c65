/**
 * Answers that hold for a while, no matter who asks, which caches may keep; and those that one caller asks for again and
 * again. Who has one is told that it still is as it was.
 *
 * The ETag is made of the answer itself, so that every replica and every release that would say the same gives the same.
 */
import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { HttpResponse } from "#lib/http/response.ts";

const ETAG_LENGTH = 22; // characters of base64url: 132 bits

/** An answer as it is kept, to be given again. All who are given it share its bytes. */
export interface CachedResponse {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly headers: HttpResponse["headers"];
}

/** Keeps an answer of status 200, which caches may do as well for so many seconds, or may not at all. */
export function cacheResponse(
  { headers, body }: HttpResponse & { readonly body: string },
  seconds: number | undefined,
): CachedResponse {
  const etag = `"${hash("sha256", body, "base64url").slice(0, ETAG_LENGTH)}"`;
  const control = seconds === undefined ? {} : { "cache-control": `public, max-age=${seconds}` };
  return { bytes: new TextEncoder().encode(body), etag, headers: { ...headers, etag, ...control } };
}

/** The answer, or 304 (RFC 9110, section 13.1.2) if the request shows that its sender has it. */
export function revalidate({ bytes, etag, headers: kept }: CachedResponse, request: Request): HttpResponse {
  if (!matchesEtag(request.headers.get("if-none-match"), etag)) {
    return { status: 200, headers: { ...kept }, body: bytes };
  }
  // All else stays: caches write the headers of a 304 over those that they keep, the page's own policy among them.
  const { "content-type": _, ...headers } = kept;
  return { status: 304, headers, body: null };
}

/** Of an answer that is made once, also as gzip: what costs much is done once, and the sender's choice is heeded. */
export function withGzipVariant(plain: CachedResponse): (request: Request) => CachedResponse {
  const vary = { ...plain.headers, vary: "accept-encoding" };
  let gzip: CachedResponse | undefined;
  const pack = (): CachedResponse => {
    const etag = `${plain.etag.slice(0, -1)}-gzip"`; // other bytes, so another name
    return { bytes: gzipSync(plain.bytes), etag, headers: { ...vary, etag, "content-encoding": "gzip" } };
  };
  return ({ headers }) => acceptsGzip(headers.get("accept-encoding")) ? gzip ??= pack() : { ...plain, headers: vary };
}

/** Whether the header names gzip, or anything, and does not refuse it (RFC 9110, section 12.5.3). */
export function acceptsGzip(header: string | null): boolean {
  const offers = (header ?? "").toLowerCase().split(",").map((part) => part.split(";").map((piece) => piece.trim()));
  const [, quality] = offers.find(([name]) => name === "gzip") ?? offers.find(([name]) => name === "*") ??
    [null, "q=0"];
  return !/^q=0(?:\.0*)?$/.test(quality ?? "");
}

/** Compared weakly: a proxy that compresses makes W/"…" of it on the way, and compress.ts makes "…-gzip". */
function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const ours = [etag, `${etag.slice(0, -1)}-gzip"`];
  return header.trim() === "*" || [...header.matchAll(/"[^"]*"/g)].some(([known]) => ours.includes(known));
}
