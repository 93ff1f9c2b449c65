/**
 * Reads and writes the session cookie. The name prefix `__Host-` restricts the cookie to this host and to TLS.
 * Plain HTTP on localhost uses neither the prefix nor the Secure flag, because some browsers would refuse the cookie.
 */
import { parse, serialize } from "hono/utils/cookie";
import { DAY, MINUTE, SECOND } from "#lib/base/time.ts";

const MAX_AGE = 30 * DAY; // the maximum age of a session
export const PENDING_MAX_AGE = 10 * MINUTE;
const PROVIDER_MAX_AGE = 10 * MINUTE;

/** The names of the cookies: of a session, of a sign-in that waits for the second factor, and of one at a provider. */
const SESSION_COOKIE = "wheelwright", PENDING_COOKIE = "wheelwright-sign-in", PROVIDER_COOKIE = "wheelwright-provider";

export function readSessionCookie(publicUrl: URL, request: Request): string | null {
  return readCookie(publicUrl, request, SESSION_COOKIE);
}

export function createSessionCookie(publicUrl: URL, secret: string): string {
  return serializeCookie(publicUrl, secret, MAX_AGE / SECOND);
}

/** Reads the cookie that binds a sign-in at a provider to the browser that started it. */
export function readBrowserCookie(publicUrl: URL, request: Request): string | null {
  return readCookie(publicUrl, request, PROVIDER_COOKIE);
}

export function createBrowserCookie(publicUrl: URL, secret: string): string {
  return serializeCookie(publicUrl, secret, PROVIDER_MAX_AGE / SECOND, PROVIDER_COOKIE);
}

export function createExpiredSessionCookie(publicUrl: URL): string {
  return serializeCookie(publicUrl, "", 0);
}

/** Reads the cookie of a sign-in that waits for the second factor. */
export function readPendingCookie(publicUrl: URL, request: Request): string | null {
  return readCookie(publicUrl, request, PENDING_COOKIE);
}

/** Returns the Set-Cookie header of a sign-in that waits for the second factor. It grants no access. */
export function createPendingCookie(publicUrl: URL, secret: string): string {
  return serializeCookie(publicUrl, secret, PENDING_MAX_AGE / SECOND, PENDING_COOKIE);
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

function readCookie(publicUrl: URL, request: Request, name: string): string | null {
  const fullName = cookieName(publicUrl, name);
  return parse(request.headers.get("cookie") ?? "", fullName)[fullName] ?? null;
}

function serializeCookie(publicUrl: URL, value: string, maxAge: number, name = SESSION_COOKIE): string {
  const secure = !isPlainLocal(publicUrl);
  return serialize(cookieName(publicUrl, name), value, { path: "/", httpOnly: true, sameSite: "Lax", secure, maxAge });
}

function cookieName(publicUrl: URL, name: string): string {
  return isPlainLocal(publicUrl) ? name : `__Host-${name}`;
}

function isPlainLocal(url: URL): boolean {
  return url.protocol === "http:" && isLocal(url);
}

function isLocal({ hostname }: URL): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
