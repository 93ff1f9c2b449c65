/** Creates a token in a short session that is signed in with an email address and a password. */
import type { MintedToken, NewToken, Wheelwright } from "#lib/client/client.ts";
import { CommandError } from "../commands/command.ts";
import { connectTo } from "./connection.ts";
import type { Cli } from "./verb-declaration.ts";
import { remark, warn } from "./output.ts";
import { askLine, askSecret, readSecret } from "./prompt.ts";
import { MISUSED, SERVER } from "./exit-status.ts";

export const CREDENTIALS = {
  email: { type: "string", help: "whom to sign in, in place of being asked" },
  password: { type: "boolean", help: "read the password from standard input, in place of being asked" },
} as const;

export interface Credentials {
  readonly email?: string;
  readonly password?: boolean;
}

interface Minting extends Credentials {
  readonly url: string;
  readonly wish: NewToken;
}

/** Creates a token and passes it to `keep` before the session ends. Revokes the token if `keep` throws. */
export async function mintToken(
  cli: Cli,
  { url, wish, ...given }: Minting,
  keep: (token: MintedToken, email: string) => Promise<void>,
): Promise<void> {
  warnOfPlain(url);
  if (given.password ? !given.email : !cli.terminal.in) {
    const message = "Without a terminal, give --email and --password (from standard input), or --token";
    throw new CommandError(MISUSED, message);
  }
  const email = given.email ?? await askLine("E-mail");
  const password = given.password && !cli.terminal.in ? await readSecret() : await askSecret("Password");
  const session = connectTo(cli, url);
  const { message } = await session.login({ email, password });
  if (message) remark(cli, message);
  try {
    const token = await session.createToken(wish);
    requireToken(url, token);
    await keep(token, email).catch(async (error) => {
      await revoke(session, token.id);
      throw error;
    });
  } finally {
    await session.logout({ maxAttempts: 2 }).catch(() => {}); // the session expires anyway
  }
}

/** Throws a CommandError if the response has no token. A proxy or another kind of server may have sent it. */
function requireToken(url: string, { id, token }: Partial<MintedToken>): void {
  if (typeof id === "string" && typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) return;
  throw new CommandError(SERVER, `${url} answered without a token; nobody is signed in, and nothing was written`);
}

async function revoke(session: Wheelwright, tokenId: string): Promise<void> {
  await session.deleteToken({ tokenId }).catch(() => {
    warn(`A token was made that could not be kept, nor revoked: wheelwright tokens revoke ${tokenId}`);
  });
}

/** Warns that a connection without TLS can be read on the network. Local addresses are exempt. */
export function warnOfPlain(url: string): void {
  const { protocol, hostname = "" } = URL.parse(url) ?? {};
  if (protocol === "http:" && !/^(?:localhost|127\.\S+|\[::1\]|\S+\.localhost)$/.test(hostname)) {
    warn(`${url} is not encrypted: others on the way can read what you send`);
  }
}
