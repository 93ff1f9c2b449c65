/** Locks the user who changes their own second factors. */
import type { Actor } from "#lib/domains/auth/access.ts";
import { sessionEndedFault } from "#lib/domains/auth/authorize-transactions.ts";
import { lockSession } from "#lib/domains/auth/sessions.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { type LockedUser, lockUser } from "#lib/domains/users/store.ts";

/** Locks the caller's row, and the session, so that it cannot end before the transaction does. */
export async function lockOwnUser(tx: Tx, { userId, credential }: Actor): Promise<LockedUser> {
  const user = await lockUser(tx, { id: userId });
  if (!user || !await lockSession(tx, credential.id)) throw sessionEndedFault();
  return user;
}
