/** Implements `wheelwright login`, `logout` and `me`, which sign in, sign out and show the current user. */
import { hostname, userInfo } from "node:os";
import { SECOND } from "#lib/base/time.ts";
import { type MintedToken, type NewToken, type Wheelwright, WheelwrightError } from "#lib/client/client.ts";
import {
  connectToServer,
  DEFAULT_PROFILE,
  findProfile,
  isSameServer,
  LOCAL_SERVER_URL,
  resolveProfileName,
} from "./connection.ts";
import { requireMintedToken, revokeUnstoredToken } from "./minted-token.ts";
import { type CliContext, defineCommand, type OptionValues } from "./command.ts";
import { printNote, printWarning, showChange, showRecord } from "./output.ts";
import { promptLine, promptSecret, readSecret } from "./prompt.ts";
import { signInWithBrowser } from "./browser-login.ts";
import { changeSettings, findSettingsPath, readSettings, type ServerProfile } from "./settings.ts";
import { CommandError, EXIT, UsageError } from "./exit-status.ts";

const SINGLE_TRY = { maxAttempts: 1, timeout: 5 * SECOND };

export const CREDENTIAL_OPTIONS = {
  email: { type: "string", help: "email address, instead of a prompt" },
  password: { type: "boolean", help: "read the password from standard input, instead of a prompt" },
  code: { type: "string", help: "code of your authenticator app, instead of a prompt" },
} as const;
export const SCOPE_OPTION = {
  scope: { type: "string", value: "cli|provisioning|readonly", help: "scope of the token" },
} as const;

export const loginCommand = defineCommand({
  words: ["[URL]"],
  options: {
    ...CREDENTIAL_OPTIONS,
    "no-browser": { type: "boolean", help: "show a code to type into a page, in a browser on any machine" },
    token: { type: "boolean", help: "store an existing token, from standard input or WHEELWRIGHT_TOKEN" },
    ...SCOPE_OPTION,
  },
  more: "Opens the browser, where you sign in and approve a token named after this machine. The token is stored in a " +
    "file that only you can read. With --email, asks for a password instead.\nInstead of signing in, you can set WHEELWRIGHT_URL and WHEELWRIGHT_TOKEN.",
  examples: [
    "login",
    "login https://wheelwright.example --profile school",
    "login https://wheelwright.example --no-browser",
    "login https://wheelwright.example --email ada@school.example",
    "login https://wheelwright.example --token < token",
  ],
  async run(cli, { words: [word], options }) {
    const argument = word ?? (cli.env.WHEELWRIGHT_URL || undefined), known = defaultUrl(cli);
    const address = argument ?? (cli.terminal.in ? await promptLine("Server", known) : known);
    const { url } = connectToServer(cli, address); // throws for an invalid URL
    const token = options.email === undefined && cli.env.WHEELWRIGHT_TOKEN || null;
    if (options.token || token) return await storeExistingToken(cli, url, token);
    const newToken = { name: machineName(), scope: options.scope ?? "cli" } as const;
    if (options.email === undefined && !options.password) {
      return await logInWithBrowser(cli, url, { ...newToken, useCode: options["no-browser"] === true });
    }
    await signInAndCreateToken(cli, { ...options, url, newToken }, async (minted, email) => {
      await storeProfile(cli, { url, token: minted.token, tokenId: minted.id, email });
    });
  },
});

/** Signs in with the browser, and stores the new token. Revokes the token if it cannot be stored. */
async function logInWithBrowser(
  cli: CliContext,
  url: string,
  login: NewToken & { readonly useCode: boolean },
): Promise<void> {
  warnIfUnencrypted(url);
  if (!cli.terminal.in && !login.useCode && !cli.env.BROWSER) {
    throw new UsageError(`Without a terminal, use --no-browser, or ${WITHOUT_TERMINAL}`);
  }
  const created = await signInWithBrowser(cli, connectToServer(cli, url), login);
  requireMintedToken(url, created);
  const { id: tokenId, token } = created, server = connectToServer(cli, url, token);
  try {
    const { user: { email } } = await server.getMe();
    await storeProfile(cli, { url, token, tokenId, email });
  } catch (error) {
    await revokeUnstoredToken(server, tokenId);
    throw error;
  }
}

const WITHOUT_TERMINAL = "use --email and --password (read from standard input), or --token";

/** Returns a name for the new token: `wheelwright on USER@HOST`. */
function machineName(): string {
  return `wheelwright on ${userInfo().username}@${hostname()}`.slice(0, 100);
}

/** Returns the URL in the selected profile, or else the local URL. Throws a CommandError if the file is unusable. */
function defaultUrl(cli: CliContext): string {
  const { profiles } = readSettings(findSettingsPath(cli.env), () => {}), name = resolveProfileName(cli);
  return (Object.hasOwn(profiles, name) ? profiles[name]!.url : null) ?? LOCAL_SERVER_URL;
}

async function storeExistingToken(cli: CliContext, url: string, known: string | null): Promise<void> {
  warnIfUnencrypted(url);
  const token = known ?? (cli.terminal.in ? await promptSecret("Token") : await readSecret());
  if (!token) throw new UsageError("Standard input contains no token, which --token requires");
  const { user } = await connectToServer(cli, url, token).getMe();
  if (typeof user?.email !== "string") {
    throw new CommandError(
      EXIT.server,
      `${url} did not return the owner of the token. You are not signed in, and nothing was written`,
    );
  }
  await storeProfile(cli, { url, token, tokenId: null, email: user.email });
}

/** Stores the profile. Revokes the token of a replaced profile if `login` created that token. */
async function storeProfile(cli: CliContext, profile: ServerProfile): Promise<void> {
  const file = findSettingsPath(cli.env), name = resolveProfileName(cli), { token, ...fields } = profile;
  let before: ServerProfile | undefined;
  await changeSettings(file, ({ profiles }) => {
    before = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    return { profiles: { ...profiles, [name]: profile } };
  });
  if (before?.tokenId) {
    const past = connectToServer(cli, before.url, before.token);
    await past.deleteToken({ tokenId: before.tokenId }, { maxAttempts: 1 }).catch(() => {});
  }
  const sentence = `Signed in to ${profile.url} as ${profile.email}. The token is stored in ${file}`;
  showChange(cli, { profile: name, ...fields }, sentence, name);
  if (before && !isSameServer(before.url, profile.url)) {
    printNote(cli, `Replaced the token for ${before.url}. To use several servers, add --profile NAME`);
  }
  if (name !== DEFAULT_PROFILE) {
    printNote(cli, `To use this profile, add --profile ${name} or set WHEELWRIGHT_PROFILE=${name}`);
  }
  const next = await suggestNextCommand(connectToServer(cli, profile.url, token)).catch(() => null);
  if (next) printNote(cli, `Next: wheelwright ${next}${cli.profile === undefined ? "" : ` --profile ${name}`}`);
}

/** Returns the suggested next command for the user. */
async function suggestNextCommand(api: Wheelwright): Promise<string> {
  const { user } = await api.getMe(SINGLE_TRY), [hub] = await api.listFederations({ limit: 1 }, SINGLE_TRY);
  if (hub || user.spokeIds.length > 0) return "spokes list";
  return `${user.role === "operator" ? "hubs" : "requests"} create north --name 'Northern schools'`;
}

interface TokenRequest extends OptionValues<typeof CREDENTIAL_OPTIONS> {
  readonly url: string;
  readonly newToken: NewToken;
}

/** Creates a token and passes it to `store` before the session ends. If `store` throws, the token is revoked. */
export async function signInAndCreateToken(
  cli: CliContext,
  { url, newToken, ...credentials }: TokenRequest,
  store: (token: MintedToken, email: string) => Promise<void> | void,
): Promise<void> {
  warnIfUnencrypted(url);
  if (credentials.password ? !credentials.email : !cli.terminal.in) {
    throw new UsageError(`Without a terminal, ${WITHOUT_TERMINAL}`);
  }
  const email = credentials.email ?? await promptLine("Email");
  const password = credentials.password && !cli.terminal.in ? await readSecret() : await promptSecret("Password");
  const session = connectToServer(cli, url);
  const { message } = await logIn(cli, session, { email, password, code: credentials.code });
  if (message) printNote(cli, message);
  try {
    const token = await session.createToken(newToken);
    requireMintedToken(url, token);
    try {
      await store(token, email);
    } catch (error) {
      await revokeUnstoredToken(session, token.id);
      throw error;
    }
  } finally {
    await session.logout({ maxAttempts: 2 }).catch(() => {}); // the session expires anyway
  }
}

interface Login {
  readonly email: string;
  readonly password: string;
  readonly code: string | undefined;
}

/** Signs in. Prompts for the second factor if the user has one and the terminal allows it. */
async function logIn(
  cli: CliContext,
  session: Wheelwright,
  { code, ...login }: Login,
): Promise<{ readonly message?: string }> {
  try {
    return await session.login({ ...login, ...(code !== undefined && { code }) });
  } catch (error) {
    const needsFactor = error instanceof WheelwrightError && error.code === "second_factor_required";
    if (!needsFactor || !cli.terminal.in) throw error;
  }
  const text = (await promptLine("Code of your authenticator app, or a recovery code")).trim();
  const isCode = /^[0-9 ]+$/.test(text);
  return await session.login({ ...login, ...(isCode ? { code: text } : { recoveryCode: text }) });
}

/** Warns that anyone on the network can read a connection without TLS. Does not warn about local addresses. */
export function warnIfUnencrypted(url: string): void {
  const { protocol, hostname = "" } = URL.parse(url) ?? {};
  if (protocol === "http:" && !/^(?:localhost|127\.\S+|\[::1\]|\S+\.localhost)$/.test(hostname)) {
    printWarning(`${url} is not encrypted: others on the network can read your password and token`);
  }
}

export const logoutCommand = defineCommand({
  more: "A token that was stored with 'login --token' is deleted, but not revoked.",
  examples: ["logout", "logout --profile school"],
  async run(cli) {
    const found = findProfile(cli), file = findSettingsPath(cli.env);
    if (!found) throw new CommandError(EXIT.notAllowed, "You are not signed in");
    if (found.tokenId) await revokeOwn(cli, found, found.tokenId);
    await changeSettings(file, ({ profiles: { [resolveProfileName(cli)]: _, ...profiles } }) => ({ profiles }));
    const { token: _, ...fields } = found, name = resolveProfileName(cli);
    const what = found.tokenId ? "the token was revoked" : "the token was deleted, but not revoked";
    showChange(cli, { profile: name, ...fields }, `Signed out of ${found.url}: ${what}`, name);
  },
});

/** Revokes the profile's token. Ignores a 401, because the token is then already invalid, and reports a 403. */
async function revokeOwn(cli: CliContext, { url, token }: ServerProfile, tokenId: string): Promise<void> {
  await connectToServer(cli, url, token).deleteToken({ tokenId }).catch((error) => {
    const status = error instanceof WheelwrightError ? error.statusCode : 0;
    if (status === 403) {
      const next = `Run 'wheelwright tokens revoke ${tokenId}' with a token of the scope cli`;
      return printNote(cli, `This token cannot revoke itself. ${next}`);
    }
    if (status !== 401) throw error;
  });
}

export const meCommand = defineCommand({
  examples: ["me", "me --json"],
  async run(cli) {
    const me = await cli.api.getMe();
    showRecord(cli, me, ({ user }) => [
      ["name", user.displayName],
      ["email", user.email],
      ["role", user.role.replace("_", " ")],
      ["id", user.id],
      ["hubs", user.federationIds.length || null],
      ["spokes", user.spokeIds.length || null],
      ["server", cli.api.url],
    ], me.user.id);
  },
});
