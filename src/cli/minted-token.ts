/** Checks a newly created token, and revokes it if it cannot be stored. */
import type { MintedToken, Wheelwright } from "#lib/client/client.ts";
import { CommandError, EXIT } from "./exit-status.ts";
import { printWarning } from "./output.ts";

/** Throws a CommandError if the response contains no token, for example because a proxy sent the response. */
export function requireMintedToken(url: string, { id, token }: Partial<MintedToken>): void {
  if (typeof id === "string" && typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) return;
  throw new CommandError(EXIT.server, `${url} returned no token. You are not signed in, and nothing was written`);
}

/** Revokes a new token that could not be stored. Warns if that fails too. */
export async function revokeUnstoredToken(session: Wheelwright, tokenId: string): Promise<void> {
  await session.deleteToken({ tokenId }).catch(() => {
    printWarning(`A new token could be neither stored nor revoked. Run 'wheelwright tokens revoke ${tokenId}'`);
  });
}
