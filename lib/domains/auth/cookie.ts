/**
 * Reads and writes the session cookie. The name prefix `__Host-` restricts the cookie to this host and to TLS.
 * Plain HTTP on localhost uses neither the prefix nor the Secure flag, because some browsers would refuse the cookie.
 */
import { parse, serialize } from "hono/utils/cookie";
import { DAY, MINUTE, SECOND } from "#lib/base/time.ts";

const MAX_AGE = 30 * DAY; // the maximum age of a session
export const PENDING_MAX_AGE = 10 * MINUTE;
const PENDING_SUFFIX = "-sign-in";

export function readSessionCookie(publicUrl: URL, request: Request): string | null {
  const name = cookieName(publicUrl);
  return parse(request.headers.get("cookie") ?? "", name)[name] ?? null;
}

export function createSessionCookie(publicUrl: URL, secret: string): string {
  return serializeCookie(publicUrl, secret, MAX_AGE / SECOND);
}

export function createExpiredSessionCookie(publicUrl: URL): string {
  return serializeCookie(publicUrl, "", 0);
}

/** Reads the cookie of a sign-in that waits for the second factor. */
export function readPendingCookie(publicUrl: URL, request: Request): string | null {
  const name = cookieName(publicUrl) + PENDING_SUFFIX;
  return parse(request.headers.get("cookie") ?? "", name)[name] ?? null;
}

/** Returns the Set-Cookie header of a sign-in that waits for the second factor. It grants no access. */
export function createPendingCookie(publicUrl: URL, secret: string): string {
  return serializeCookie(publicUrl, secret, PENDING_MAX_AGE / SECOND, PENDING_SUFFIX);
}

/** Returns why PUBLIC_URL does not work from other machines, or null if it does. */
export function findPublicUrlProblem(publicUrl: URL): string | null {
  if (isLocal(publicUrl)) {
    return `PUBLIC_URL ${publicUrl.href} points to the local machine, so links in emails open only on this machine; ` +
      "set PUBLIC_URL to the public address of this service";
  }
  if (publicUrl.protocol === "https:") return null;
  return "PUBLIC_URL is http: browsers drop the session cookie because it is marked Secure, so nobody can sign in, " +
    "and passwords and tokens are sent unencrypted; terminate TLS in a proxy and set PUBLIC_URL to its https address";
}

function serializeCookie(publicUrl: URL, value: string, maxAge: number, suffix = ""): string {
  const secure = !isPlainLocal(publicUrl);
  return serialize(cookieName(publicUrl) + suffix, value, {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure,
    maxAge,
  });
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
