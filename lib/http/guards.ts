/** Checks a request's credential, the scope of its token, and the website that sent the request. */
import type { Actor, TokenScope } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import type { AnyEndpoint } from "#lib/http/endpoint.ts";

const SCOPES: readonly TokenScope[] = ["readonly", "provisioning", "cli"]; // each scope includes the scopes before it

/** Refuses tokens on endpoints that require a session, whether or not the token is valid. */
export function refuseBearerToken(endpoint: Pick<AnyEndpoint, "scope" | "purpose">, headers: Headers): void {
  if (!headers.has("authorization")) return;
  if (endpoint.scope === "flow") {
    const message = "Remove the Authorization header: this endpoint requires a session, not a token";
    throw new Fault("unauthenticated", "no_bearer_here", message);
  }
  if (endpoint.scope === "session") {
    throw new Fault("unauthenticated", "session_required", `${endpoint.purpose ?? "this"} requires a session`);
  }
}

/** Checks that the token has the required scope or a wider scope. Sessions are always allowed. */
export function requireScope(endpoint: Pick<AnyEndpoint, "scope">, actor: Actor | null): void {
  const needed = SCOPES.indexOf(endpoint.scope as TokenScope);
  if (needed < 0 || actor?.credential.kind !== "token") return;
  const { scope } = actor.credential;
  if (SCOPES.indexOf(scope) >= needed) return;
  const message = `The token's scope is ${scope}; this request needs a token with the scope ${
    SCOPES.slice(needed).join(" or ")
  }`;
  throw new Fault("forbidden", "scope_too_narrow", message);
}

/**
 * Checks that a request with a session cookie comes from this site (CSRF protection). Browsers send `Sec-Fetch-Site` or
 * `Origin`, so a request with neither header does not come from a browser and is allowed.
 */
export function requireSameOrigin(request: Request, actor: Actor | null, publicUrl: URL): void {
  if (request.method === "GET" || request.method === "HEAD" || actor?.credential.kind === "token") return;
  const { headers } = request;
  const site = headers.get("sec-fetch-site"), origin = headers.get("origin");
  const isOwn = site !== null
    ? site === "same-origin" || site === "none"
    : origin === null || origin === publicUrl.origin || isHost(origin, headers.get("host"));
  if (!isOwn) throw new Fault("forbidden", "cross_origin", "Requests from another site are not allowed");
}

function isHost(origin: string, host: string | null): boolean {
  return host !== null && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
