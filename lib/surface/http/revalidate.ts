/**
 * Answers that hold for a while, no matter who asks: caches may keep them, and who has one is told that it still is as
 * it was.
 *
 * The ETag is made of the answer itself, so that every replica and every release that would say the same gives the same.
 */
import { createHash } from "node:crypto";
import type { Answer } from "#lib/surface/http/answer.ts";

const LENGTH = 22; // characters of base64url: 132 bits

/** An answer as it is kept, to be given again. All who are given it share its bytes. */
export interface Kept {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  readonly headers: Answer["headers"];
}

/** Keeps an answer of status 200, which caches may do as well for so many seconds. */
export function keepAnswer({ headers, body }: Answer & { readonly body: string }, seconds: number): Kept {
  const bytes = new TextEncoder().encode(body);
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, LENGTH)}"`;
  return { bytes, etag, headers: { ...headers, etag, "cache-control": `public, max-age=${seconds}` } };
}

/** The answer, or 304 (RFC 9110, section 13.1.2) if the request shows that its sender has it. */
export function revalidate({ bytes, etag, headers: kept }: Kept, request: Request): Answer {
  if (!isKnown(request.headers.get("if-none-match"), etag)) return { status: 200, headers: { ...kept }, body: bytes };
  // All else stays: caches write the headers of a 304 over those that they keep, the page's own policy among them.
  const { "content-type": _, ...headers } = kept;
  return { status: 304, headers, body: null };
}

/** Compared weakly: a proxy that compresses makes W/"…" of it on the way. */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.trim() === "*" || [...header.matchAll(/"[^"]*"/g)].some(([known]) => known === etag);
}
