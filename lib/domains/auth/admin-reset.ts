/**
 * Sets a generated password for a user who forgot the old one. The new password is shown once and not stored in
 * plaintext. The operator who requests the reset vouches for the user, so the reset also verifies the email address.
 */
import { canonicalizeSearchTerm } from "#lib/base/email.ts";
import type { App } from "#lib/app.ts";
import { type Requester, SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { hasOtherOperator } from "#lib/domains/auth/accounts.ts";
import { takeOverAccount } from "#lib/domains/auth/mail-link.ts";
import { recordChange } from "#lib/changes/record.ts";
import { generatePassword } from "#lib/drivers/crypto/secret.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import { enableUser, type LockedUser, lockUser } from "#lib/domains/users/store.ts";

/**
 * Resets a user's password, ends all the user's sessions and voids emailed links. Throws a fault: `conflict`
 * (`user_disabled`) or `unavailable` (`busy`).
 */
export async function resetPasswordAsOperator(
  app: App,
  actor: Actor,
  userId: string,
): Promise<{ readonly userId: string; readonly password: string }> {
  const password = generatePassword();
  const passwordHash = await app.passwords.hash(password, { caller: actor.userId });
  const at = (await app.db.now()).toISOString();
  await app.db.transact(async (tx) => {
    const user = (await lockUser(tx, { id: userId }))!;
    if (user.disabled) throw userDisabledFault(user, "enable the user first");
    const { email, displayName: name } = user;
    const notice = createMailJob({ template: "password-changed", to: { email, name }, about: { at, ip: actor.ip } });
    await applyReset(tx, actor, user, passwordHash, user.verified && user.hasPassword ? [notice] : []);
  });
  return { userId, password };
}

/**
 * Resets a user's password from the command line. If the user is the only operator and is disabled, also enables the
 * user. Throws a fault: `missing` (`user_missing`) or `conflict` (`user_disabled`).
 */
export async function resetPasswordFromCommandLine(
  { db, passwords }: Pick<App, "db" | "passwords">,
  address: string,
): Promise<{ readonly password: string; readonly enabled: boolean }> {
  const password = generatePassword(), email = canonicalizeSearchTerm(address.trim());
  const passwordHash = await passwords.hash(password, { caller: SYSTEM_REQUESTER.userId });
  const enabled = await db.transact(async (tx) => {
    const user = await lockUser(tx, { email });
    if (!user) throw new Fault("missing", "user_missing", `There is no user with the email address ${address}`);
    if (user.disabled) await enableLastOperator(tx, user);
    await applyReset(tx, SYSTEM_REQUESTER, user, passwordHash);
    return user.disabled;
  });
  return { password, enabled };
}

async function applyReset(
  tx: Tx,
  requester: Requester,
  user: LockedUser,
  passwordHash: string,
  jobs: readonly NewJob[] = [],
): Promise<void> {
  const revoked = await takeOverAccount(tx, user, { passwordHash, keepTokens: true });
  const about = { objectType: "user", objectId: user.id } as const;
  const audit: AuditEntry[] = [{ kind: "password_reset", ...about, metadata: { email: user.email } }, ...revoked];
  if (!user.verified) audit.push({ kind: "email_verified", ...about, metadata: { vouchedFor: true } });
  if (user.disabled) audit.push({ kind: "user_updated", ...about, metadata: { changed: { disabled: false } } });
  await recordChange(tx, requester, { audit, jobs });
}

async function enableLastOperator(tx: Tx, user: LockedUser): Promise<void> {
  if (!user.operator || await hasOtherOperator(tx, user.id)) {
    throw userDisabledFault(user, "an operator must enable the user first");
  }
  await enableUser(tx, user.id);
}

function userDisabledFault({ email }: LockedUser, remedy: string): Fault {
  return new Fault(
    "conflict",
    "user_disabled",
    `The user ${email} is disabled and cannot sign in; ${remedy}`,
  );
}
