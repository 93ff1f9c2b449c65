/**
 * Lets users change their own name and password. Attempts with a wrong password are slowed down as at login, because
 * the session may be stolen. Changing the password ends all sessions and starts a new session for the caller.
 */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { requireActor } from "#lib/domains/auth/access.ts";
import { createSessionCookie } from "#lib/domains/auth/cookie.ts";
import { getMailRecipient } from "#lib/domains/auth/forgot-password.ts";
import { voidOneTimeTokens } from "#lib/domains/auth/one-time-tokens.ts";
import { beginSession } from "#lib/domains/auth/sessions.ts";
import { requirePasswordSignIn } from "#lib/domains/auth/sign-in-methods.ts";
import { requireVerifiedEmail } from "#lib/domains/auth/verify-email.ts";
import { recordChange } from "#lib/changes/record.ts";
import { requireStrongPassword } from "#lib/drivers/crypto/password-rules.ts";
import { Fault } from "#lib/base/errors.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import { getCallerNetwork } from "#lib/base/limits/address.ts";
import {
  type Account,
  endUserSessions,
  findAccount,
  lockAccount,
  lockUser,
  readUser,
  renameUser,
  setPassword,
  type User,
} from "#lib/domains/users/store.ts";

interface PasswordChange {
  readonly current: string;
  readonly password: string;
}

/**
 * Changes the caller's password. Returns the Set-Cookie header for the new session. API tokens stay valid. `signal`
 * aborts the wait for a free slot to check the password. Throws a fault: `forbidden` (`wrong_password`), `limited`
 * (`too_many_tries`) or `unavailable` (`busy`).
 */
export async function changeOwnPassword(
  app: App,
  actor: Actor,
  change: PasswordChange,
  signal?: AbortSignal,
): Promise<string> {
  requirePasswordSignIn(app, actor.email);
  requireStrongPassword(change.password, actor.email);
  const queueEntry = { caller: getCallerNetwork(actor.ip), signal };
  const cookie = await app.loginAttempts.run({ ...queueEntry, email: actor.email }, async () => {
    const account = await findAccount(app.db.rows, actor.email);
    const outcome = await app.passwords.verify(change.current, account?.passwordHash ?? null, queueEntry);
    if (!account || outcome === "wrong") return null;
    return await replacePassword(app, actor, account, await app.passwords.hash(change.password, queueEntry));
  });
  if (cookie !== null) return cookie;
  await app.db.transact(async (tx) => {
    await recordChange(tx, actor, {
      audit: [{ kind: "password_change_failed", objectType: "user", objectId: actor.userId }],
    });
  });
  throw new Fault("forbidden", "wrong_password", "Cannot change the password: the current password is wrong");
}

/** Changes the caller's name. Throws a `forbidden` fault (`unverified`) if the caller's address is not verified. */
export async function changeOwnName(
  app: App,
  actor: Actor,
  { displayName }: { readonly displayName?: string | undefined },
): Promise<User> {
  return await app.db.transact(async (tx) => {
    const before = (await lockUser(tx, { id: actor.userId }))!;
    if (displayName !== undefined && displayName !== before.displayName) {
      requireVerifiedEmail(before);
      await renameUser(tx, actor.userId, displayName);
      const metadata = { changed: { displayName } };
      await recordChange(tx, actor, {
        audit: [{ kind: "user_updated", objectType: "user", objectId: actor.userId, metadata }],
      });
    }
    return await readUser(tx, actor.userId);
  });
}

async function replacePassword(app: App, actor: Actor, account: Account, passwordHash: string): Promise<string> {
  const { userId } = actor, at = (await app.db.now()).toISOString();
  return await app.db.transact(async (tx) => {
    // Throws if another request has changed the password, because that also ended this session.
    if (!await lockAccount(tx, account)) requireActor(null);
    const user = (await lockUser(tx, { id: userId }))!;
    await setPassword(tx, userId, passwordHash);
    await endUserSessions(tx, userId);
    await voidOneTimeTokens(tx, userId, ["password_reset"]);
    const { secret } = await beginSession(tx, userId, actor, "password", { replacedId: actor.credential.id });
    await recordChange(tx, actor, {
      audit: [{ kind: "password_changed", objectType: "user", objectId: userId }],
      jobs: [createMailJob({ template: "password-changed", to: getMailRecipient(user), about: { at, ip: actor.ip } })],
    });
    return createSessionCookie(app.config.publicUrl, secret);
  });
}
