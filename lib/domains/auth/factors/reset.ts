/** Removes all second factors of a user who lost them, for operators and for the command line on the server. */
import type { App } from "#lib/app.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { announceFactorChange } from "#lib/domains/auth/factors/announce.ts";
import { deleteUserFactors } from "#lib/domains/auth/factors/store.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { canonicalizeSearchTerm } from "#lib/base/email.ts";
import { endUserSessions, type LockedUser, lockUser } from "#lib/domains/users/store.ts";

/** Removes a user's second factors and ends all the user's sessions. Changes nothing if the user has no factors. */
export async function resetFactorsAsOperator(app: App, actor: Actor, userId: string): Promise<void> {
  const at = await app.db.now();
  await app.db.transact(async (tx) => {
    await resetFactors(tx, actor, (await lockUser(tx, { id: userId }))!, at);
  });
}

/** Removes a user's second factors from the command line. Throws a `missing` fault (`user_missing`). */
export async function resetFactorsFromCommandLine(
  { db }: Pick<App, "db">,
  address: string,
): Promise<{ readonly removed: number }> {
  const email = canonicalizeSearchTerm(address.trim()), at = await db.now();
  return await db.transact(async (tx) => {
    const user = await lockUser(tx, { email });
    if (!user) throw new Fault("missing", "user_missing", `There is no user with the email address ${address}`);
    return { removed: await resetFactors(tx, SYSTEM_REQUESTER, user, at) };
  });
}

async function resetFactors(tx: Tx, requester: Requester, user: LockedUser, at: Date): Promise<number> {
  const removed = await deleteUserFactors(tx, user.id);
  if (removed.length === 0) return 0;
  await endUserSessions(tx, user.id);
  await recordChange(tx, requester, announceFactorChange(user, "factors_reset", { at, ip: requester.ip }));
  return removed.length;
}
