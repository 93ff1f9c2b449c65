/**
 * Selects the server and the token that a command uses: from --profile, from the variables WHEELWRIGHT_URL and
 * WHEELWRIGHT_TOKEN, or from the file that `wheelwright login` writes.
 */
import { processEnvironment } from "#lib/base/environment.ts";
import { SECOND } from "#lib/base/time.ts";
import { CLIENT_VERSION, connect, type Wheelwright } from "#lib/client/client.ts";
import { suggestSimilarName } from "./parse.ts";
import { createLightFetch } from "./light-fetch.ts";
import type { CliContext } from "./command.ts";
import { printNote, printWarning } from "./output.ts";
import { findSettingsPath, readSettings, type ServerProfile } from "./settings.ts";
import { CommandError, EXIT } from "./exit-status.ts";

/** The server that commands use by default. `npm start` listens at this address. */
export const LOCAL_SERVER_URL = "http://localhost:3000";

type ConnectionContext = Pick<CliContext, "env" | "profile" | "quiet">;

/** Connects to the server with the user's token. Throws a CommandError if the user is not signed in. */
export function connectSignedIn(cli: ConnectionContext): Wheelwright {
  const { url, token } = resolveServer(cli);
  if (url && token) return connectToServer(cli, url, token);
  const names = Object.keys(readSettings(findSettingsPath(cli.env), () => {}).profiles);
  const others = names.length > 0 ? `, use --profile with one of ${names.join(", ")}` : "";
  const next = `wheelwright login'${others}, or set WHEELWRIGHT_URL and WHEELWRIGHT_TOKEN`;
  throw new CommandError(EXIT.notAllowed, `You are not signed in${url ? ` to ${url}` : ""}. Run '${next}`);
}

export function connectWithoutSignIn(cli: ConnectionContext): Wheelwright {
  const { url, token } = resolveServer(cli);
  return connectToServer(cli, url ?? LOCAL_SERVER_URL, token);
}

/** Returns the URL of the server that the command uses. */
export function resolveServerUrl(cli: ConnectionContext): string {
  return resolveServer(cli).url ?? LOCAL_SERVER_URL;
}

/** Creates an API client that prints a note before each retry that is delayed by a second or more. */
export function connectToServer(cli: Pick<CliContext, "quiet">, url: string, token?: string): Wheelwright {
  return connect({
    ...{ url, token, headers: { "user-agent": `wheelwright/${CLIENT_VERSION}` } },
    fetch: "deno" in process.versions ? undefined : createLightFetch(processEnvironment()),
    onRetry({ error, wait }) {
      if (wait >= SECOND) printNote(cli, `${error.message}. Retrying in ${Math.ceil(wait / SECOND)} s`);
    },
  });
}

interface ServerAccess {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

/**
 * Returns the server and the token. --profile takes precedence over the environment variables, which take precedence
 * over the stored profile. A stored token is sent only to the server for which it was stored.
 */
function resolveServer(cli: ConnectionContext): ServerAccess {
  const { WHEELWRIGHT_URL: url, WHEELWRIGHT_TOKEN: token } = cli.env;
  if (cli.profile !== undefined) return findProfile(cli)!;
  if (url && token) return { url, token };
  const stored = findProfile(cli);
  if (!url) return { url: stored?.url, token: token || stored?.token };
  return { url, token: token || (stored && isSameServer(stored.url, url) ? stored.token : undefined) };
}

/** The name of the profile that commands use by default. */
export const DEFAULT_PROFILE = "default";

export function resolveProfileName({ env, profile }: Pick<CliContext, "env" | "profile">): string {
  return profile ?? (env.WHEELWRIGHT_PROFILE || DEFAULT_PROFILE);
}

/** Returns the selected profile; null if the default profile is missing. Throws if a named profile is missing. */
export function findProfile(cli: Pick<CliContext, "env" | "profile">): ServerProfile | null {
  const { profiles } = readSettings(findSettingsPath(cli.env), printWarning), name = resolveProfileName(cli);
  const found = Object.hasOwn(profiles, name) ? profiles[name]! : null;
  if (found || name === DEFAULT_PROFILE) return found;
  const suggestion = suggestSimilarName(name, Object.keys(profiles));
  throw new CommandError(
    EXIT.notFound,
    `Unknown profile ${name}${suggestion || `. To create it, run 'wheelwright login --profile ${name}'`}`,
  );
}

export function isSameServer(one: string, other: string): boolean {
  const normalizeUrl = (text: string) => URL.parse(text)?.href.replace(/(?:\/api)?\/*$/, "");
  return normalizeUrl(one) === normalizeUrl(other);
}
