/**
 * The session cookie. `__Host-` makes browsers keep it to this very host and to TLS; plain HTTP on localhost, where a
 * Secure cookie does not come back in every browser, has it without the two.
 */
import { parse, serialize } from "hono/utils/cookie";
import { DAY, SECOND } from "#lib/base/time.ts";

const MAX_AGE = 30 * DAY; // the longest that a session lives, however much it is used

/** What a request brings, or null. */
export function readCookie(publicUrl: URL, request: Request): string | null {
  const name = cookieName(publicUrl);
  return parse(request.headers.get("cookie") ?? "", name)[name] ?? null;
}

/** The Set-Cookie header that begins a session. */
export function sessionCookie(publicUrl: URL, secret: string): string {
  return serializeCookie(publicUrl, secret, MAX_AGE / SECOND);
}

/** The Set-Cookie header that makes the browser forget it. */
export function clearedCookie(publicUrl: URL): string {
  return serializeCookie(publicUrl, "", 0);
}

/** What is wrong with an address for people elsewhere: it leads nowhere, or our cookie, for TLS alone, never comes back. */
export function findPublicUrlProblem(publicUrl: URL): string | null {
  if (isLocal(publicUrl)) {
    return `PUBLIC_URL ${publicUrl.href} points to the local machine, so links in mails open only here; ` +
      "set it to the public address of this service";
  }
  if (publicUrl.protocol === "https:") return null;
  return "PUBLIC_URL is http: browsers drop the session cookie, which is Secure, so signing in " +
    "has no effect, and passwords and tokens are sent unencrypted; terminate TLS in a proxy and set its https URL";
}

function serializeCookie(publicUrl: URL, value: string, maxAge: number): string {
  const secure = !isPlainLocal(publicUrl);
  return serialize(cookieName(publicUrl), value, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge });
}

function cookieName(publicUrl: URL): string {
  return isPlainLocal(publicUrl) ? "wheelwright" : "__Host-wheelwright";
}

function isPlainLocal(url: URL): boolean {
  return url.protocol === "http:" && isLocal(url);
}

function isLocal({ hostname }: URL): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
