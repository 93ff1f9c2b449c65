/** Who may call: a credential that was enough and is not any more is refused like a value that is no good any more. */
import { noteOf } from "#lib/docs/access.ts";
import type { Named, Operation } from "#lib/docs/contract/document.ts";
import { resolve } from "#lib/docs/contract/document.ts";
import type { Change } from "#lib/docs/contract/finding.ts";
import { change, type Place } from "#lib/docs/contract/place.ts";
import { SCOPES } from "#lib/docs/overview.ts";
import type { JsonSchema } from "#lib/docs/json-schema.ts";

const TOKENS = SCOPES.map(([scope]) => scope);
const NOTHING = "no credential", SESSION = "a session";
const ALL = [NOTHING, ...TOKENS.map(token), SESSION];

export function compareCredentials(once: Operation, then: Operation, outer: Place): readonly Change[] {
  const at = { ...outer, root: "credentials" };
  const good = credentialsOf(then), gone = [...credentialsOf(once)].filter((one) => !good.has(one));
  const was = once.declaration["x-access"], is = then.declaration["x-access"];
  return [
    ...(gone.length > 0
      ? [change(at, "validation_tightened", `It can no longer be called with ${gone.join(" or ")}`)]
      : []),
    ...(was !== undefined && is !== undefined && narrowness(is) > narrowness(was)
      ? [change(at, "validation_tightened", `Fewer may call it: the access was "${was}", is "${is}" now`)]
      : []),
    ...compareSchemes(once, then, at),
  ];
}

/** What a caller can come with and be let in. The document says it twice, and both have to hold. */
function credentialsOf({ document, declaration }: Operation): ReadonlySet<string> {
  const { "x-scope": scope = "public", security = document.security ?? [] } = declaration;
  const secured = security.length === 0 ? ALL : security.flatMap(goodFor);
  return new Set(secured).intersection(new Set(enough(scope)));
}

function goodFor(way: Named<readonly string[]>): readonly string[] {
  if (way.bearer) {
    return way.bearer.map(tokensFrom).reduce((one, other) => one.length < other.length ? one : other, ALL);
  }
  return "session" in way ? [SESSION] : Object.keys(way).length === 0 ? ALL : [];
}

/** See EndpointScope in lib/http/endpoint.ts. */
function enough(scope: string): readonly string[] {
  if (scope === "public") return ALL;
  if (scope === "flow") return [NOTHING, SESSION];
  return [...tokensFrom(scope), SESSION];
}

/** The tokens that may do what one of that scope may; none for a scope that no token has. */
function tokensFrom(scope: string): readonly string[] {
  const least = TOKENS.indexOf(scope);
  return least < 0 ? [] : TOKENS.slice(least).map(token);
}

function token(scope: string): string {
  return `a ${scope} token`;
}

/** Larger for fewer people. Between accesses of one number nobody can tell here who was let in by which. */
function narrowness(access: string): number {
  if (access === "anyone") return 0;
  if (access === "signed in") return 1;
  return noteOf(access)?.who === "Operators" ? 3 : 2;
}

interface Scheme extends JsonSchema {
  readonly description?: string;
}

/** How a credential is shown: the header, the cookie's name. */
function compareSchemes(once: Operation, then: Operation, at: Place): readonly Change[] {
  const names = new Set((once.declaration.security ?? []).flatMap((way) => Object.keys(way)));
  return [...names].filter((name) => schemeOf(once, name) !== schemeOf(then, name)).map((name) =>
    change(
      { ...at, within: `the scheme ${name}` },
      "validation_tightened",
      `The credential \`${name}\` is sent in another way now`,
    )
  );
}

function schemeOf({ document }: Operation, name: string): string {
  const found = document.components?.securitySchemes?.[name];
  if (!found) return "";
  const { description: _, ...scheme } = resolve<Scheme>(document, found as Scheme);
  return JSON.stringify(Object.entries(scheme).sort());
}
