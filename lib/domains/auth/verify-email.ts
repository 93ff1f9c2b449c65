/**
 * Verifies the email address that a user signed up with. Because a stranger may have signed up with this address, the
 * page requires a new password, and earlier sessions and tokens are revoked. If an API client omits the password, the
 * password from the signup stays valid, unless the account already has memberships.
 */
import type { App } from "#lib/app.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import {
  createMailLinkRequester,
  redeemMailLink,
  requireMailLink,
  takeOverAccount,
} from "#lib/domains/auth/mail-link.ts";
import { invalidLinkFault } from "#lib/domains/auth/one-time-tokens.ts";
import { requirePasswordSignIn } from "#lib/domains/auth/sign-in-methods.ts";
import { recordChange } from "#lib/changes/record.ts";
import { requireStrongPassword } from "#lib/drivers/crypto/password-rules.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { listAdministeredNames } from "#lib/domains/members/memberships.ts";
import { type LockedUser, readUser, type User } from "#lib/domains/users/store.ts";

interface Verification {
  readonly token: string;
  /**
   * A new password, which must meet the password rules. If omitted, the password from the signup stays valid, unless
   * the account already administers a hub or spoke.
   */
  readonly password?: string | undefined;
}

/** Verifies a user's address. Throws an `impossible` fault if the link is invalid or the address already verified. */
export async function verifyEmail(app: App, origin: RequestOrigin, { token, password }: Verification): Promise<User> {
  const link = await requireMailLink(app.db.rows, "email_verification", token);
  if (password !== undefined) requirePasswordSignIn(app, link.email);
  if (password !== undefined) requireStrongPassword(password, link.email);
  const chosenHash = password === undefined ? null : await app.passwords.hash(password, { caller: link.userId });
  await app.db.transact(async (tx) => {
    const user = await redeemMailLink(tx, link);
    if (user.verified) throw invalidLinkFault(); // the owner has already set the password
    const keepsPassword = chosenHash === null && await hasNoAccess(tx, user);
    const revoked = await takeOverAccount(tx, user, { passwordHash: keepsPassword ? undefined : chosenHash });
    const metadata = { passwordSet: chosenHash !== null };
    await recordChange(tx, createMailLinkRequester(link, origin), {
      audit: [{ kind: "email_verified", objectType: "user", objectId: user.id, metadata }, ...revoked],
    });
  });
  return await readUser(app.db.rows, link.userId);
}

/** Returns whether the user has no permissions that a stranger with the signup password could misuse. */
async function hasNoAccess(tx: Tx, user: LockedUser): Promise<boolean> {
  return !user.operator && (await listAdministeredNames(tx, user.id)).length === 0;
}

/** Throws a `forbidden` fault (`unverified`) unless the user's email address is verified. */
export function requireVerifiedEmail({ verified }: Pick<LockedUser, "verified">): void {
  if (verified) return;
  const message = "Verify your email address first: open the link that was emailed to you";
  throw new Fault("forbidden", "unverified", message);
}
