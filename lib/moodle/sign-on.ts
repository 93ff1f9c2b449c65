/**
 * Computes the placeholder values for a site's single sign-on: from the hub's policy or, if the policy never had a
 * sign-in, from the settings that someone wrote into the hub's namespace.
 */
import * as v from "valibot";
import { boundedText } from "#lib/base/schema.ts";
import { HttpsUrl, type PolicyValues } from "#lib/model/policy.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";

/** The single sign-on that a hub's namespace configures. */
export interface HubIdentity {
  readonly name: string;
  readonly url: string | null;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: string;
  readonly authorizationEndpoint: string | null;
  readonly tokenEndpoint: string | null;
  readonly userinfoEndpoint: string | null;
}

/** The settings in a hub's namespace on which the single sign-on of its sites depends. */
interface SignOnSettings {
  readonly identity: HubIdentity | null;
  /** The client secrets and registration tokens that versions of the hub's policy name, by name. */
  readonly clientSecrets: Readonly<Record<string, string>>;
}

type SignOnPlaceholder =
  | "SIGN_IN"
  | "SITE"
  | `ISSUER_${"NAME" | "URL" | "CLIENT_ID" | "CLIENT_SECRET" | "REGISTRATION_TOKEN" | "SCOPES"}`
  | `ISSUER_${"AUTHORIZATION" | "TOKEN" | "USERINFO"}_ENDPOINT`;

const SECRET_MISSING = "single sign-on: the hub's client secret is missing in its Kubernetes Secret; set it again";
const TOKEN_MISSING = "single sign-on: the hub's registration token is missing in its Kubernetes Secret; set it again";

/** Whether sites with this sign-in register their own clients at the provider. */
export function registersClient(values: PolicyValues<"signIn"> | null | undefined): boolean {
  return values?.registrationToken !== undefined;
}

/** Returns the addresses to which the provider may send people back. Former hosts redirect to the current one. */
export function listRedirectUris(
  { https, host, port, formerHosts = [] }: Pick<SpokeInputs, "https" | "host" | "port" | "formerHosts">,
): readonly string[] {
  const suffix = `${port === undefined ? "" : `:${port}`}/admin/oauth2callback.php`;
  return [host, ...formerHosts.map((former) => former.host)].map((each) =>
    `http${https ? "s" : ""}://${each}${suffix}`
  );
}

/** Returns why the site cannot get the hub's sign-in, as lines that seed.php could print. */
export function listSignOnProblems(
  { shared }: SpokeInputs,
  { clientSecrets }: Pick<SignOnSettings, "clientSecrets">,
): readonly string[] {
  const values = shared?.signIn?.values;
  if (!values || clientSecrets[values.registrationToken ?? values.clientSecret ?? ""] !== undefined) return [];
  return [registersClient(values) ? TOKEN_MISSING : SECRET_MISSING];
}

/** Returns a sentence if the hub has no sign-in for the site. */
export function listSignOnNotes(
  { identity, shared }: Pick<SpokeInputs, "identity" | "shared">,
  hub: Pick<SignOnSettings, "identity">,
): readonly string[] {
  if (!identity || hub.identity || shared?.signIn) return [];
  return ["Single sign-on was skipped, because the hub has no identity settings"];
}

/** Returns the placeholder values. `changes` lists the parts to set; null sets all. */
export function buildSignOnValues(
  inputs: SpokeInputs,
  hub: SignOnSettings,
  changes: readonly string[] | null,
): Record<SignOnPlaceholder, string | null> {
  const shared = inputs.shared?.signIn, isRemoved = shared ? shared.values === null : !inputs.identity;
  const site = { ...describeIssuer(null), ...formerName(hub), SITE: JSON.stringify(describeSite(inputs)) };
  if (isRemoved) return changes?.includes("sign-on") ? { ...site, SIGN_IN: "{}" } : describeIssuer(null);
  if (!shared) return describeIssuer(hub.identity);
  const { clientSecret = "", registrationToken, ...values } = shared.values ?? {};
  const secret = hub.clientSecrets[registrationToken ?? clientSecret];
  if (secret === undefined) return describeIssuer(null);
  const name = registrationToken === undefined ? "ISSUER_CLIENT_SECRET" : "ISSUER_REGISTRATION_TOKEN";
  return { ...site, SIGN_IN: JSON.stringify(values), [name]: secret };
}

function describeSite(inputs: SpokeInputs) {
  return { id: inputs.spokeId, redirectUris: listRedirectUris(inputs) };
}

/** The name by which a site finds the single sign-on that it had before the hub shared its sign-in. */
function formerName({ identity }: SignOnSettings): { readonly ISSUER_NAME: string | null } {
  return { ISSUER_NAME: identity?.name ?? null };
}

function describeIssuer(identity: HubIdentity | null): Record<SignOnPlaceholder, string | null> {
  return {
    SIGN_IN: null,
    SITE: null,
    ISSUER_NAME: identity?.name ?? null,
    ISSUER_URL: identity?.url ?? null,
    ISSUER_CLIENT_ID: identity?.clientId ?? null,
    // Never null: a Secret without any key would be removed, and a key that is left out keeps its former value.
    ISSUER_CLIENT_SECRET: identity?.clientSecret ?? "",
    ISSUER_REGISTRATION_TOKEN: "",
    ISSUER_SCOPES: identity?.scopes ?? null,
    ISSUER_AUTHORIZATION_ENDPOINT: identity?.authorizationEndpoint ?? null,
    ISSUER_TOKEN_ENDPOINT: identity?.tokenEndpoint ?? null,
    ISSUER_USERINFO_ENDPOINT: identity?.userinfoEndpoint ?? null,
  };
}

/** The names of a policy's secrets in the Secret `identity`. Each has the time of its creation, in milliseconds. */
const CLIENT_SECRET_NAME = /^(?:client-secret|registration-token)-(\d{1,15})-[0-9a-f]{32}$/;

/** Returns when the secret was stored, in milliseconds; null if it is another entry of the Secret. */
export function parseClientSecretTime(name: string): number | null {
  const match = CLIENT_SECRET_NAME.exec(name);
  return match && Number(match[1]);
}

export function readClientSecrets(secret: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(secret).filter(([name]) => parseClientSecretTime(name) !== null));
}

/** The single sign-on settings that are URLs. Moodle accepts only https URLs. */
const ENDPOINT_FIELDS = ["url", "authorizationEndpoint", "tokenEndpoint", "userinfoEndpoint"] as const;
/** The schemas for the other single sign-on settings, with Moodle's own length limits. */
const IDENTITY_TEXTS = {
  name: boundedText(1, 255),
  clientId: boundedText(1, 1000),
  clientSecret: boundedText(1, 1000),
  scopes: boundedText(1, 1000),
};

/** Reads the single sign-on from the hub's ConfigMap and Secret. Adds a sentence for each problem to `problems`. */
export function readIdentity(
  room: Record<string, string>,
  secret: Record<string, string>,
  problems: string[],
): HubIdentity | null {
  if (Object.keys(room).length === 0) return null;
  const settings = { name: "Single sign-on", scopes: "openid profile email", ...room, ...secret } as Record<
    string,
    string
  >;
  const { url, name, clientId, clientSecret, scopes } = settings;
  const endpoints = settings["authorizationEndpoint"] && settings["tokenEndpoint"] && settings["userinfoEndpoint"];
  if (!clientId || !clientSecret || !(url || endpoints)) {
    problems.push(
      "The hub's identity settings are incomplete. Set clientId, clientSecret, and url or the three endpoints",
    );
    return null;
  }
  const fieldProblems = [
    ...ENDPOINT_FIELDS.filter((key) => settings[key] && !v.is(HttpsUrl, settings[key])).map((key) =>
      `${key} must be an https URL`
    ),
    ...Object.entries(IDENTITY_TEXTS).filter(([key, schema]) => !v.is(schema, settings[key])).map(([key]) =>
      `${key} is empty, too long, or has control characters`
    ),
  ];
  if (fieldProblems.length > 0) {
    problems.push(`The hub's identity settings cannot be used: ${fieldProblems.join("; ")}`);
    return null;
  }
  return {
    name: name!,
    url: url || null,
    clientId,
    clientSecret,
    scopes: scopes!,
    authorizationEndpoint: settings["authorizationEndpoint"] || null,
    tokenEndpoint: settings["tokenEndpoint"] || null,
    userinfoEndpoint: settings["userinfoEndpoint"] || null,
  };
}
