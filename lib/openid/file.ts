/**
 * Defines the schema for the SIGN_IN_PROVIDERS file, which is in YAML or JSON and lists OpenID Connect providers.
 *
 *     - id: contoso
 *       label: Contoso
 *       issuer: https://login.contoso.example
 *       clientId: wheelwright
 *       clientSecretFile: /run/secrets/contoso
 *       emailDomains: [contoso.example]
 *       signUp: true
 *       rolesFrom: groups
 *       roles:
 *         wheelwright-operators: operator
 *         "north-*": { hubAdmin: north }
 *         "hub-*": { hubAdmin: "*" } # the slug is the text that the asterisk matches
 */
import * as v from "valibot";
import { boundedText, Flag, HostName } from "#lib/base/schema.ts";
import { isAllowedProviderUrl } from "#lib/openid/urls.ts";

const ID = "must be 1 to 40 lower-case letters, digits or hyphens";
const ISSUER = "must be an https URL without query or fragment; http is allowed only for this machine";
const SLUG = "must be a hub's slug, or * for the text that the pattern's asterisk matches";
const ROLE = "must be operator or {hubAdmin: SLUG}";
const SCOPE = "must be a scope such as email, without spaces";

const HubRole = v.strictObject(
  { hubAdmin: v.pipe(v.string(SLUG), v.regex(/^(?:\*|[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)$/, SLUG)) },
  ROLE,
);
const Role = v.union([v.literal("operator"), HubRole], ROLE);

const Pattern = v.pipe(
  boundedText(1, 200),
  v.check((pattern) => !pattern.slice(0, -1).includes("*"), "may have an asterisk only at the end"),
);

const Issuer = v.pipe(
  v.string(ISSUER),
  v.maxLength(500, ISSUER),
  v.check((text) => {
    const url = URL.parse(text);
    return url !== null && isAllowedProviderUrl(url, true) && url.search === "" && url.hash === "";
  }, ISSUER),
);

const SignInProviderEntry = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(ID), v.regex(/^[a-z0-9-]{1,40}$/, ID)),
    /** The text of the button. */
    label: boundedText(1, 60),
    issuer: Issuer,
    clientId: boundedText(1, 500),
    clientSecret: v.optional(boundedText(1, 1000)),
    /** The path to a file with the client secret. */
    clientSecretFile: v.optional(boundedText(1, 4096)),
    scopes: v.optional(v.array(v.pipe(v.string(SCOPE), v.regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,100}$/, SCOPE))), [
      "openid",
      "email",
      "profile",
    ]),
    /** The domains of addresses that may sign in. Undefined allows every domain. */
    emailDomains: v.optional(v.pipe(v.array(HostName, "must be a list"), v.minLength(1, "must not be empty"))),
    /** The claim that lists a person's groups. */
    rolesFrom: v.optional(boundedText(1, 200), "groups"),
    /** The roles of groups. A group is written in full, or as a prefix with an asterisk. */
    roles: v.optional(v.record(Pattern, Role), {}),
    /** Whether a person with an unknown address gets an account. Without it, a person needs an account or invitation. */
    signUp: v.optional(Flag, false),
  }),
  v.forward(
    v.check(({ scopes }) => scopes.includes("openid"), "must include openid"),
    ["scopes"],
  ),
  v.forward(
    v.check(
      ({ clientSecret, clientSecretFile }) => clientSecret === undefined || clientSecretFile === undefined,
      "and clientSecretFile are both set; set only one of them",
    ),
    ["clientSecret"],
  ),
  v.forward(
    v.check(
      ({ roles }) =>
        Object.entries(roles).every(([pattern, role]) =>
          role === "operator" || role.hubAdmin !== "*" || pattern.endsWith("*")
        ),
      "may use the slug * only for a pattern that ends with an asterisk",
    ),
    ["roles"],
  ),
);
export type SignInProviderEntry = v.InferOutput<typeof SignInProviderEntry>;

export const SignInProvidersFile = v.pipe(
  v.array(SignInProviderEntry, "must be a list of providers"),
  v.minLength(1, "must list a provider"),
  v.check((list) => new Set(list.map(({ id }) => id)).size === list.length, "has an id twice"),
  v.check((list) => new Set(list.map(({ issuer }) => issuer)).size === list.length, "has an issuer twice"),
);
