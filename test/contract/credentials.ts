/** Reads which credentials an endpoint accepts, and how many users may call it. */
import { findAccessNote } from "#lib/reference/refusals.ts";
import { TOKEN_SCOPE_DESCRIPTIONS } from "#lib/reference/overview.ts";
import type { NamedValues, Operation } from "#test/contract/openapi-document.ts";

export const NO_CREDENTIALS = "nothing", SESSION = "session";
const TOKENS = TOKEN_SCOPE_DESCRIPTIONS.map(([scope]) => scope);
const ALL = [NO_CREDENTIALS, ...TOKENS, SESSION];

/**
 * Returns the accepted credentials. The document declares them twice, and both declarations must allow a credential.
 */
export function credentialsOf({ "x-scope": scope = "public", security = [] }: Operation): readonly string[] {
  const secured = security.length === 0 ? ALL : security.flatMap(goodFor), scoped = enough(scope);
  return ALL.filter((one) => secured.includes(one) && scoped.includes(one));
}

function goodFor(way: NamedValues<readonly string[]>): readonly string[] {
  if (way.bearer) {
    return way.bearer.map(tokensFrom).reduce((one, other) => one.length < other.length ? one : other, TOKENS);
  }
  return "session" in way ? [SESSION] : Object.keys(way).length === 0 ? ALL : [];
}

/** Returns the credentials that satisfy the scope. See EndpointScope in lib/http/endpoint.ts. */
function enough(scope: string): readonly string[] {
  if (scope === "public") return ALL;
  return scope === "flow" ? [NO_CREDENTIALS, SESSION] : [...tokensFrom(scope), SESSION];
}

/** Returns the token scopes that include this scope, or none for a scope that no token has. */
function tokensFrom(scope: string): readonly string[] {
  const least = TOKENS.indexOf(scope);
  return least < 0 ? [] : TOKENS.slice(least);
}

/** Whether the endpoint requires the credential of this security scheme. A public endpoint requires none. */
export function requiresCredentials(scheme: string, credentials: readonly string[]): boolean {
  return !credentials.includes(NO_CREDENTIALS) &&
    credentials.some((one) => scheme === (one === SESSION ? SESSION : "bearer"));
}

/** Returns the credential's name for a sentence. */
export function describeCredentials(credential: string): string {
  return credential === NO_CREDENTIALS
    ? "no credential"
    : credential === SESSION
    ? "a session"
    : `a ${credential} token`;
}

/** Ranks an access rule: a higher number allows fewer users. Rules with the same number are indistinguishable here. */
export function accessRank(access: string): number {
  if (access === "anyone") return 0;
  if (access === "signed in") return 1;
  return findAccessNote(access)?.who === "Operators" ? 3 : 2;
}
