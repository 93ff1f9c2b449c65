/** Simulates the part of seed.php that sets up a site's single sign-on, and stores its values in mdl_config. */
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";

type Settings = Readonly<Record<string, string>>;

/** The domain of providers that the simulated sites cannot reach. */
const UNREACHABLE = "unreachable.example";

/** The domain of providers that register no clients. */
const UNREGISTERED = "unregistered.example";

interface SharedSignIn {
  readonly issuer?: string;
  readonly clientId?: string;
  readonly label?: string;
  readonly domains?: readonly string[];
  readonly confirmation?: boolean;
}

/** Returns the lines that the script prints. */
export function listSignOnLines(settings: Settings, env: ProgramContext["env"]): string[] {
  const shared = readSharedSignIn(settings);
  if (shared === null) return env["SEED_ISSUER_CLIENT_SECRET"] ? ["single sign-on set"] : [];
  if (shared.issuer === undefined) return ["single sign-on removed"];
  return isReachable(shared)
    ? ["single sign-on set"]
    : [`left out: single sign-on: ${describeUnreachable(shared.issuer)}`];
}

/** Returns the rows of mdl_config that change. Moodle stores these values in a table for OAuth 2 services. */
export function changeSignOn(settings: Settings, env: ProgramContext["env"]): Record<string, string> {
  const { issuer, clientId = "", label = "Single sign-on", ...shared } = readSharedSignIn(settings) ?? {};
  if (issuer === undefined) return { oauth2_enabled: "0" };
  if (!isReachable({ issuer })) return {};
  const client = env["SEED_ISSUER_REGISTRATION_TOKEN"] ? describeOwnClient(settings) : {
    oauth2_clientid: clientId,
    oauth2_clientsecret: env["SEED_ISSUER_CLIENT_SECRET"] ?? "",
    oauth2_uris: "",
  };
  return {
    ...{ oauth2_enabled: "1", oauth2_issuer: issuer, oauth2_name: label, ...client },
    oauth2_domains: (shared.domains ?? []).join(" "),
    oauth2_confirmation: shared.confirmation ? "1" : "0",
  };
}

/** Returns the client that a simulated provider registers for the site. */
function describeOwnClient({ SEED_SITE: json }: Settings): Record<string, string> {
  const { id, redirectUris } = JSON.parse(json!) as { readonly id: string; readonly redirectUris: readonly string[] };
  return {
    oauth2_clientid: `client-of-${id}`,
    oauth2_clientsecret: `secret-of-${id}`,
    oauth2_uris: redirectUris.join(" "),
  };
}

/** Simulates check-sign-in.php. */
export function runSignInCheck({ env }: ProgramContext): ProgramRun {
  const issuer = env["ISSUER"]!, registers = env["REGISTERS"] === "yes" && issuer.includes(UNREGISTERED);
  const problem = registers ? NO_REGISTRATION : isReachable({ issuer }) ? null : describeUnreachable(issuer);
  return { lines: [problem === null ? "usable" : `refused: ${problem}`], exit: 0, delay: "cli" };
}

const NO_REGISTRATION = "the provider does not offer that sites register (registration_endpoint)";

function describeUnreachable(issuer: string): string {
  return `the site cannot read ${issuer}/.well-known/openid-configuration: The URL is blocked.`;
}

function readSharedSignIn({ SEED_SIGN_IN: json }: Settings): SharedSignIn | null {
  return json ? JSON.parse(json) : null;
}

function isReachable({ issuer = "" }: SharedSignIn): boolean {
  return !issuer.includes(UNREACHABLE);
}
