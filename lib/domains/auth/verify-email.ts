/**
 * Proving the address that somebody signed up with.
 *
 * The person who signed up is not known to read the mail: a stranger may have signed up with this address, and its owner
 * clicks on what looks like a welcome. If the stranger's password survived that, the stranger would hold a proven
 * account in the owner's name, with all that it is ever given. So the page behind the link asks for the password, which
 * is the one that counts from then on; the same as before may be typed again. A program that sends the token alone is
 * taken at its word that it signed up itself, unless something has been given to the account already: then it is left
 * without a password, and the next comes by "forgot password". Sessions and tokens from before the proof always end.
 */
import type { App } from "#lib/app.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { redeemLink, requesterOfLink, requireLink, takeOverAccount } from "#lib/domains/auth/mail-link.ts";
import { linkSpentFault } from "#lib/domains/auth/one-time-tokens.ts";
import { record } from "#lib/changes/record.ts";
import { requirePassword } from "#lib/drivers/crypto/password-rules.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { listAdministeredNames } from "#lib/domains/members/seats.ts";
import { type LockedUser, readUser, type User } from "#lib/domains/users/store.ts";

interface Verification {
  readonly token: string;
  /** One that the rules for passwords allow; absent, the one of the signup stays where nothing is at stake yet. */
  readonly password?: string | undefined;
}

/** Throws Fault impossible `link_spent`, also for an address that was proved otherwise meanwhile. */
export async function verifyEmail(app: App, origin: RequestOrigin, { token, password }: Verification): Promise<User> {
  const link = await requireLink(app.db.rows, "email_verification", token);
  if (password !== undefined) requirePassword(password, link.email);
  const chosenHash = password === undefined ? null : await app.passwords.hash(password, { caller: link.userId });
  await app.db.transact(async (tx) => {
    const user = await redeemLink(tx, link);
    if (user.verified) throw linkSpentFault(); // its password is the owner's by now, and stays
    const keepsPassword = chosenHash === null && await hasNoAccess(tx, user);
    const revoked = await takeOverAccount(tx, user, { passwordHash: keepsPassword ? undefined : chosenHash });
    const metadata = { passwordSet: chosenHash !== null };
    await record(tx, requesterOfLink(link, origin), {
      audit: [{ kind: "email_verified", objectType: "user", objectId: user.id, metadata }, ...revoked],
    });
  });
  return await readUser(app.db.rows, link.userId);
}

/** Whether the account opens nothing that somebody was given: a stranger's password would open nothing either. */
async function hasNoAccess(tx: Tx, user: LockedUser): Promise<boolean> {
  return !user.operator && (await listAdministeredNames(tx, user.id)).length === 0;
}

/** Throws Fault forbidden `unverified`. */
export function requireVerified({ verified }: Pick<LockedUser, "verified">): void {
  if (verified) return;
  const message = "Verify your e-mail address first: open the link that was mailed to you";
  throw new Fault("forbidden", "unverified", message);
}
