/**
 * Answers that hold for a while, whoever asks: caches may keep them, and who has one is told that it still is as it was.
 *
 * The ETag is made of the answer itself, so that every replica and every release that would say the same gives the same.
 */
import { createHash } from "node:crypto";

const LENGTH = 22; // characters of base64url: 132 bits

/** The answer, or 304 (RFC 9110, section 13.1.2) if the request shows that its sender has it. */
export async function revalidate(response: Response, request: Request, seconds: number): Promise<Response> {
  if (response.status !== 200) return response;
  const text = await response.text();
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, LENGTH)}"`;
  const headers = new Headers(response.headers);
  headers.set("etag", etag);
  headers.set("cache-control", `public, max-age=${seconds}`);
  if (!isKnown(request.headers.get("if-none-match"), etag)) return new Response(text, { status: 200, headers });
  // All else stays: caches write the headers of a 304 over those that they keep, the page's own policy among them.
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
}

/** Compared weakly: a proxy that compresses makes W/"…" of it on the way. */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.trim() === "*" || [...header.matchAll(/"[^"]*"/g)].some(([known]) => known === etag);
}
