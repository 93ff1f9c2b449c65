/**
 * Answers that hold for a while, no matter who asks: caches may keep them, and who has one is told that it still is as
 * it was.
 *
 * The ETag is made of the answer itself, so that every replica and every release that would say the same gives the same.
 */
import { createHash } from "node:crypto";

const LENGTH = 22; // characters of base64url: 132 bits

/** An answer as it is kept, to be given again. All who are given it share its bytes. */
export interface Kept {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly headers: Headers;
}

/** Keeps an answer of status 200, which caches may do as well for so many seconds. */
export async function keep(response: Response, seconds: number): Promise<Kept> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, LENGTH)}"`;
  const headers = new Headers(response.headers);
  headers.set("etag", etag);
  headers.set("cache-control", `public, max-age=${seconds}`);
  return { bytes, etag, headers };
}

/** The answer, or 304 (RFC 9110, section 13.1.2) if the request shows that its sender has it. */
export function revalidate({ bytes, etag, headers: kept }: Kept, request: Request): Response {
  const headers = new Headers(kept);
  if (!isKnown(request.headers.get("if-none-match"), etag)) return new Response(bytes, { status: 200, headers });
  // All else stays: caches write the headers of a 304 over those that they keep, the page's own policy among them.
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
}

/** Compared weakly: a proxy that compresses makes W/"…" of it on the way. */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.trim() === "*" || [...header.matchAll(/"[^"]*"/g)].some(([known]) => known === etag);
}
