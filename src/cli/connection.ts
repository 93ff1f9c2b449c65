/**
 * Selects the server and token of a command. They come from --profile, from WHEELWRIGHT_URL and WHEELWRIGHT_TOKEN, or
 * from the file of `login`.
 */
import { processEnvironment } from "#lib/base/environment.ts";
import { SECOND } from "#lib/base/time.ts";
import { CLIENT_VERSION, connect, type Wheelwright } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { didYouMean } from "../commands/parse-options.ts";
import { lightFetchWith } from "./light-fetch.ts";
import type { Cli } from "./verb-declaration.ts";
import { remark, warn } from "./output.ts";
import { type Profile, readSettings, settingsFile } from "./settings.ts";
import { NOT_ALLOWED, NOT_FOUND } from "./exit-status.ts";

/** The default server, on which `npm start` listens. */
export const LOCAL = "http://localhost:3000";

type Asking = Pick<Cli, "env" | "profile" | "quiet">;

/** Connects with the user's token. Throws a CommandError if the user is not signed in. */
export function openSignedIn(cli: Asking): Wheelwright {
  const { url, token } = whereTo(cli);
  if (url && token) return connectTo(cli, url, token);
  const names = Object.keys(readSettings(settingsFile(cli.env), () => {}).profiles);
  const others = names.length > 0 ? `, or --profile with one of ${names.join(", ")}` : "";
  const next = `wheelwright login${others}, or set WHEELWRIGHT_URL and WHEELWRIGHT_TOKEN`;
  throw new CommandError(NOT_ALLOWED, `Nobody is signed in${url ? ` to ${url}` : ""}; ${next}`);
}

export function openPublic(cli: Asking): Wheelwright {
  const { url, token } = whereTo(cli);
  return connectTo(cli, url ?? LOCAL, token);
}

/** Returns the URL of the server that commands use. */
export function contactUrl(cli: Asking): string {
  return whereTo(cli).url ?? LOCAL;
}

/** Creates a client that reports each retry with a delay of a second or more. */
export function connectTo(cli: Pick<Cli, "quiet">, url: string, token?: string): Wheelwright {
  return connect({
    ...{ url, token, headers: { "user-agent": `wheelwright/${CLIENT_VERSION}` } },
    fetch: "deno" in process.versions ? undefined : lightFetchWith(processEnvironment()),
    onRetry({ error, wait }) {
      if (wait >= SECOND) remark(cli, `${error.message}; trying again in ${Math.ceil(wait / SECOND)} s`);
    },
  });
}

interface Way {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

/**
 * Returns the server and token. --profile takes precedence over the environment variables, and these over the stored
 * profile. A stored token is sent only to its own server.
 */
function whereTo(cli: Asking): Way {
  const { WHEELWRIGHT_URL: url, WHEELWRIGHT_TOKEN: token } = cli.env;
  if (cli.profile !== undefined) return keptProfile(cli)!;
  if (url && token) return { url, token };
  const kept = keptProfile(cli);
  if (!url) return { url: kept?.url, token: token || kept?.token };
  return { url, token: token || (kept && sameServer(kept.url, url) ? kept.token : undefined) };
}

/** The name of the default profile. */
export const USUAL_PROFILE = "default";

export function profileName({ env, profile }: Pick<Cli, "env" | "profile">): string {
  return profile ?? (env.WHEELWRIGHT_PROFILE || USUAL_PROFILE);
}

/** Returns the stored profile. If it is missing, returns null for the default profile, else throws a CommandError. */
export function keptProfile(cli: Pick<Cli, "env" | "profile">): Profile | null {
  const { profiles } = readSettings(settingsFile(cli.env), warn), name = profileName(cli);
  const found = Object.hasOwn(profiles, name) ? profiles[name]! : null;
  if (found || name === USUAL_PROFILE) return found;
  const meant = didYouMean(name, Object.keys(profiles));
  throw new CommandError(
    NOT_FOUND,
    `No server is kept under the name ${name}${meant || "; wheelwright login --profile makes one"}`,
  );
}

export function sameServer(one: string, other: string): boolean {
  const place = (text: string) => URL.parse(text)?.href.replace(/(?:\/api)?\/*$/, "");
  return place(one) === place(other);
}
