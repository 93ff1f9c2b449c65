/** Creates an API token: signs in with email address and password, creates the token, and ends the session. */
import type { MintedToken, NewToken, Wheelwright } from "#lib/client/client.ts";
import { connectToServer } from "./connection.ts";
import type { CliContext, OptionValues } from "./command.ts";
import { printNote, printWarning } from "./output.ts";
import { promptLine, promptSecret, readSecret } from "./prompt.ts";
import { CommandError, EXIT, UsageError } from "./exit-status.ts";

export const CREDENTIAL_OPTIONS = {
  email: { type: "string", help: "email address, instead of a prompt" },
  password: { type: "boolean", help: "read the password from standard input, instead of a prompt" },
} as const;
export const SCOPE_OPTION = {
  scope: { type: "string", value: "cli|provisioning|readonly", help: "scope of the token" },
} as const;

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
    throw new UsageError("Without a terminal, use --email and --password (read from standard input), or --token");
  }
  const email = credentials.email ?? await promptLine("Email");
  const password = credentials.password && !cli.terminal.in ? await readSecret() : await promptSecret("Password");
  const session = connectToServer(cli, url);
  const { message } = await session.login({ email, password });
  if (message) printNote(cli, message);
  try {
    const token = await session.createToken(newToken);
    requireToken(url, token);
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

/** Throws a CommandError if the response contains no token, for example because a proxy sent the response. */
function requireToken(url: string, { id, token }: Partial<MintedToken>): void {
  if (typeof id === "string" && typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) return;
  throw new CommandError(EXIT.server, `${url} returned no token. You are not signed in, and nothing was written`);
}

async function revokeUnstoredToken(session: Wheelwright, tokenId: string): Promise<void> {
  await session.deleteToken({ tokenId }).catch(() => {
    printWarning(`A new token could be neither stored nor revoked. Run 'wheelwright tokens revoke ${tokenId}'`);
  });
}

/** Warns that anyone on the network can read a connection without TLS. Does not warn about local addresses. */
export function warnIfUnencrypted(url: string): void {
  const { protocol, hostname = "" } = URL.parse(url) ?? {};
  if (protocol === "http:" && !/^(?:localhost|127\.\S+|\[::1\]|\S+\.localhost)$/.test(hostname)) {
    printWarning(`${url} is not encrypted: others on the network can read your password and token`);
  }
}
