/** A new password for somebody who has lost theirs. */
import { SYSTEM } from "#lib/audit/asker.ts";
import { record } from "#lib/changes/record.ts";
import { hashPassword } from "#lib/crypto/password.ts";
import { newPassword } from "#lib/crypto/secret.ts";
import type { Database } from "#lib/db/database.ts";
import { Fault } from "#lib/errors.ts";
import { endSessionsOf, findAccount, setPassword } from "#lib/users/store.ts";

/**
 * Sets a password of ours, on this machine's authority, ends the user's sessions, and returns the password, which is
 * kept nowhere. API tokens stay. Throws Fault missing `user_missing`.
 */
export async function resetPassword(db: Database, email: string): Promise<string> {
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  await db.transact(async (tx) => {
    const account = await findAccount(tx, email.trim().toLowerCase());
    if (!account) throw new Fault("missing", "user_missing", `There is no user with the e-mail address ${email}`);
    await setPassword(tx, account.id, passwordHash);
    await endSessionsOf(tx, account.id);
    await record(tx, SYSTEM, { audit: [{ kind: "password_reset", objectType: "user", objectId: account.id }] });
  });
  return password;
}
