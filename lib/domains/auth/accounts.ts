/**
 * Lets operators rename, promote, demote, disable and enable other users, and set a generated password for a user who
 * forgot the old one. The new password is shown once and not stored in plaintext. The operator who requests the reset
 * vouches for the user, so the reset also verifies the email address.
 */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { type AccessRule, type Actor, operatorAccess } from "#lib/domains/auth/access.ts";
import { voidOneTimeTokens } from "#lib/domains/auth/one-time-tokens.ts";
import { requirePasswordSignIn } from "#lib/domains/auth/sign-in-methods.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { Fault } from "#lib/base/errors.ts";
import { findUserRecord } from "#lib/domains/users/records.ts";
import { keepMappedRole } from "#lib/domains/members/mapped-roles.ts";
import { enableUser, endUserSessions, type LockedUser, lockUser } from "#lib/domains/users/store.ts";
import type { UserPatch, UserRecord } from "#lib/domains/users/views.ts";
import { canonicalizeSearchTerm } from "#lib/base/email.ts";
import { type Requester, SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { AuditEntry } from "#lib/audit/store.ts";
import { takeOverAccount } from "#lib/domains/auth/mail-link.ts";
import { generatePassword } from "#lib/drivers/crypto/secret.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { createMailJob } from "#lib/jobs/mail.ts";

export const userAccess: AccessRule<Actor, { readonly user: UserRecord }> = {
  name: "operator",
  async admit(request) {
    const { actor } = await operatorAccess.admit(request);
    const user = await findUserRecord(request.app.db.rows, request.params.userId ?? "");
    if (!user) throw new Fault("missing", "user_missing", "This user does not exist");
    return { actor, user };
  },
};

interface Changes {
  readonly displayName?: string;
  readonly operator?: boolean;
  readonly disabled?: boolean;
}

/**
 * Changes a user. Undefined fields stay unchanged; nothing is written if no field changes. Disabling a user ends the
 * user's sessions, voids emailed links, and blocks API tokens until the user is enabled again. Throws a `conflict`
 * fault (`last_operator` or `user_unverified`), or an `unauthenticated` fault (`session_required`) if a caller with an
 * API token tries to make a user an operator or to enable an operator.
 */
export async function patchUser(app: App, actor: Actor, { id }: UserRecord, patch: UserPatch): Promise<UserRecord> {
  return await app.db.transact(async (tx) => {
    // Takes a lock, so that two operators cannot demote each other at the same time.
    if (patch.operator === false || patch.disabled === true) await lockOperators(tx);
    // Operators cannot promote or enable themselves, because another operator may be demoting or disabling them now.
    const adjusted = { operator: patch.operator && undefined, disabled: patch.disabled || undefined };
    const changes = await planChanges(tx, actor, id, id === actor.userId ? { ...patch, ...adjusted } : patch);
    if (Object.keys(changes).length > 0) await writeChanges(tx, actor, id, changes);
    return (await findUserRecord(tx, id))!;
  });
}

/** Locks the user's row and returns the fields that the patch changes. */
async function planChanges(tx: Tx, { credential }: Actor, id: string, patch: UserPatch): Promise<Changes> {
  const before = (await lockUser(tx, { id }))!;
  const changes: Changes = {};
  for (const field of ["displayName", "operator", "disabled"] as const) {
    if (patch[field] !== undefined && patch[field] !== before[field]) Object.assign(changes, { [field]: patch[field] });
  }
  // Requires a session: an operator created with a stolen token would remain one after the token is revoked.
  const regainsOperator = changes.disabled === false && before.operator && changes.operator !== false;
  if ((patch.operator || regainsOperator) && credential.kind === "token") {
    throw new Fault(
      "unauthenticated",
      "session_required",
      "An API token cannot make a user an operator: sign in instead",
    );
  }
  if (changes.operator && !before.verified) {
    const message = "Cannot make this user an operator: the user's email address is not verified";
    throw new Fault("conflict", "user_unverified", message);
  }
  // A person has decided on the role, so a provider that gave it no longer removes it.
  const wasMapped = patch.operator !== undefined && await keepMappedRole(tx, id, null);
  if (wasMapped && patch.operator && before.operator) Object.assign(changes, { operator: true });
  const losesOperator = changes.operator === false || changes.disabled === true;
  if (losesOperator && before.operator && !await hasOtherOperator(tx, id)) {
    const message = "Cannot disable or demote the last operator; make another user an operator first";
    throw new Fault("conflict", "last_operator", message);
  }
  return changes;
}

async function writeChanges(tx: Tx, actor: Actor, id: string, changed: Changes): Promise<void> {
  const { displayName, operator, disabled } = changed;
  await tx.updateTable("users").set({
    ...(displayName !== undefined && { displayName }),
    ...(operator !== undefined && { operator }),
    ...(disabled !== undefined && { disabledAt: disabled ? sql<Date>`wheelwright_now()` : null }),
    updatedAt: sql<Date>`wheelwright_now()`,
  }).where("id", "=", id).execute();
  if (disabled) {
    await endUserSessions(tx, id);
    await voidOneTimeTokens(tx, id, ["invitation", "password_reset", "email_verification"]);
  }
  // Makes the user's event streams check the user's permissions again.
  if (disabled || operator !== undefined) tx.wakes.add(`user:${id}`);
  await recordChange(tx, actor, {
    audit: [{ kind: "user_updated", objectType: "user", objectId: id, metadata: { changed } }],
  });
}

/** Prevents other transactions from demoting or disabling operators until this transaction ends. */
export async function lockOperators(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('wheelwright: the last operator', 0))`.execute(tx);
}

/** Returns whether an operator other than this user can sign in. Disabled and unverified operators do not count. */
export async function hasOtherOperator(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom("users").select("id").where("operator", "=", true).where("id", "<>", id)
    .where("disabledAt", "is", null).where("emailVerifiedAt", "is not", null).limit(1).executeTakeFirst();
  return row !== undefined;
}

/**
 * Resets a user's password, ends all the user's sessions and voids emailed links. Throws a fault: `conflict`
 * (`user_disabled`) or `unavailable` (`busy`).
 */
export async function resetPasswordAsOperator(
  app: App,
  actor: Actor,
  { id: userId, email }: Pick<UserRecord, "id" | "email">,
): Promise<{ readonly userId: string; readonly password: string }> {
  requirePasswordSignIn(app, email);
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
