/** `wheelwright login`, `logout` and `me`: sign in, sign out and show the current user. */
import { hostname, userInfo } from "node:os";
import { SECOND } from "#lib/base/time.ts";
import { CommandError } from "../commands/command.ts";
import { type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import { connectTo, keptProfile, LOCAL, profileName, sameServer, USUAL_PROFILE } from "./connection.ts";
import { type Cli, type Noun, verb } from "./verb-declaration.ts";
import { remark, showChange, showRecord } from "./output.ts";
import { askLine, askSecret, readSecret } from "./prompt.ts";
import { changeSettings, type Profile, readSettings, settingsFile } from "./settings.ts";
import { CREDENTIALS, mintToken, warnOfPlain } from "./create-token.ts";
import { MISUSED, NOT_ALLOWED, SERVER } from "./exit-status.ts";

const ONCE = { tries: 1, timeout: 5 * SECOND };
const SCOPE = { type: "string", value: "cli|provisioning|readonly", help: "what the token may" } as const;

export const loginNoun: Noun = {
  name: "login",
  summary: "Sign in to a server, and keep a token for it",
  verbs: [verb({
    name: "",
    summary: "Sign in to a server, and keep a token for it",
    words: ["[URL]"],
    flags: {
      ...CREDENTIALS,
      token: {
        type: "boolean",
        help: "keep a token that is there already: read from standard input, or WHEELWRIGHT_TOKEN",
      },
      scope: SCOPE,
    },
    more:
      "It asks for what it is not told, makes a token that is named after this machine, and keeps it in a file of yours " +
      "alone.\nWHEELWRIGHT_URL and WHEELWRIGHT_TOKEN serve as well, without signing in.",
    examples: [
      "login",
      "login https://wheelwright.example --profile school",
      "login https://wheelwright.example --token < token",
    ],
    async run(cli, { words: [word], flags }) {
      const given = word ?? (cli.env.WHEELWRIGHT_URL || undefined), known = knownUrl(cli);
      const place = given ?? (cli.terminal.in ? await askLine("Server", known) : known);
      const { url } = connectTo(cli, place); // throws for an invalid URL
      const token = flags.email === undefined && cli.env.WHEELWRIGHT_TOKEN || null;
      if (flags.token || token) return await keepGiven(cli, url, token);
      const wish = { name: machineName(), scope: scopeOf(flags.scope) };
      await mintToken(cli, { ...flags, url, wish }, async (minted, email) => {
        await keep(cli, { url, token: minted.token, tokenId: minted.id, email });
      });
    },
  })],
};

export function scopeOf(given: string | undefined): "cli" | "provisioning" | "readonly" {
  if (given === undefined || given === "cli" || given === "provisioning" || given === "readonly") return given ?? "cli";
  throw new CommandError(MISUSED, "--scope must be cli, provisioning or readonly");
}

/** Returns a name for the new token: `wheelwright on USER@HOST`. */
function machineName(): string {
  const name = `${userInfo().username}@${hostname()}`;
  return `wheelwright on ${name}`.slice(0, 100);
}

/** Returns the default server. Throws a CommandError if the settings are unusable, as they could not store a token. */
function knownUrl(cli: Cli): string {
  const { profiles } = readSettings(settingsFile(cli.env), () => {}), name = profileName(cli);
  return (Object.hasOwn(profiles, name) ? profiles[name]!.url : null) ?? LOCAL;
}

async function keepGiven(cli: Cli, url: string, known: string | null): Promise<void> {
  warnOfPlain(url);
  const token = known ?? (cli.terminal.in ? await askSecret("Token") : await readSecret());
  if (!token) throw new CommandError(MISUSED, "No token came: --token reads one from standard input");
  const { user } = await connectTo(cli, url, token).getMe();
  if (typeof user?.email !== "string") {
    throw new CommandError(
      SERVER,
      `${url} did not say whose token it is; nobody is signed in, and nothing was written`,
    );
  }
  await keep(cli, { url, token, tokenId: null, email: user.email });
}

/** Stores the profile. Revokes the token that it replaces, if `login` created that token. */
async function keep(cli: Cli, profile: Profile): Promise<void> {
  const file = settingsFile(cli.env), name = profileName(cli), { token, ...shown } = profile;
  let before: Profile | undefined;
  await changeSettings(file, ({ profiles }) => {
    before = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    return { profiles: { ...profiles, [name]: profile } };
  });
  if (before?.tokenId) {
    const past = connectTo(cli, before.url, before.token);
    await past.deleteToken({ tokenId: before.tokenId }, { maxAttempts: 1 }).catch(() => {});
  }
  const sentence = `Signed in to ${profile.url} as ${profile.email}; the token is in ${file}`;
  showChange(cli, { profile: name, ...shown }, sentence, name);
  if (before && !sameServer(before.url, profile.url)) {
    remark(cli, `Before, ${name} was ${before.url}; --profile keeps several servers`);
  }
  if (name !== USUAL_PROFILE) remark(cli, `Use it by --profile ${name}, or WHEELWRIGHT_PROFILE=${name}`);
  const next = await nextStep(connectTo(cli, profile.url, token)).catch(() => null);
  if (next) remark(cli, `Next: wheelwright ${next}${cli.profile === undefined ? "" : ` --profile ${name}`}`);
}

/** Returns a useful next command for the user. */
async function nextStep(api: Wheelwright): Promise<string> {
  const { user } = await api.getMe(ONCE), [hub] = await api.listFederations({ limit: 1 }, ONCE);
  if (hub || user.spokeIds.length > 0) return "spokes list";
  return `${user.role === "operator" ? "hubs" : "requests"} create north --name 'Northern schools'`;
}

export const logoutNoun: Noun = {
  name: "logout",
  summary: "Revoke the token that login made, and forget it",
  verbs: [verb({
    name: "",
    summary: "Revoke the token that login made, and forget it",
    more: "A token that was given to login is forgotten, and goes on to work.",
    examples: ["logout", "logout --profile school"],
    async run(cli) {
      const found = keptProfile(cli), file = settingsFile(cli.env);
      if (!found) throw new CommandError(NOT_ALLOWED, "Nobody is signed in");
      if (found.tokenId) await revokeOwn(cli, found, found.tokenId);
      await changeSettings(file, ({ profiles: { [profileName(cli)]: _, ...profiles } }) => ({ profiles }));
      const { token: _, ...shown } = found, name = profileName(cli);
      const what = found.tokenId ? "its token is revoked" : "its token is forgotten here, and not revoked";
      showChange(cli, { profile: name, ...shown }, `Signed out of ${found.url}: ${what}`, name);
    },
  })],
};

/** Revokes the profile's token. Accepts a 401, because the token is invalid already, and reports a 403. */
async function revokeOwn(cli: Cli, { url, token }: Profile, tokenId: string): Promise<void> {
  try {
    await connectTo(cli, url, token).deleteToken({ tokenId });
  } catch (error) {
    if (error instanceof WheelwrightError && [401, 403].includes(error.statusCode)) {
      if (error.statusCode === 403) {
        remark(cli, `The token cannot revoke itself: wheelwright tokens revoke ${tokenId}, as cli`);
      }
    } else throw error;
  }
}

export const meNoun: Noun = {
  name: "me",
  summary: "Show who you are to the server",
  verbs: [verb({
    name: "",
    summary: "Show who you are to the server",
    examples: ["me", "me --json"],
    async run(cli) {
      const me = await cli.api.getMe(), { user } = me;
      showRecord(cli, me, [
        ["name", user.displayName],
        ["e-mail", user.email],
        ["role", user.role.replace("_", " ")],
        ["id", user.id],
        ["hubs", user.federationIds.length || null],
        ["spokes", user.spokeIds.length || null],
        ["server", cli.api.url],
      ], user.id);
    },
  })],
};
