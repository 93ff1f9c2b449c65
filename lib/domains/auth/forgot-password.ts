/**
 * Emails links for resetting forgotten passwords, and sets the new passwords. Each request for a link enqueues a job, even
 * if no account has the address, so neither the response nor the response time reveals which addresses have accounts.
 */
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import {
  createAnonymousRequester,
  createMailLinkRequester,
  redeemMailLink,
  requireMailLink,
  takeOverAccount,
} from "#lib/domains/auth/mail-link.ts";
import { createOneTimeToken, hasRecentOneTimeToken } from "#lib/domains/auth/one-time-tokens.ts";
import { requirePasswordsOn } from "#lib/domains/auth/sign-in-methods.ts";
import { type AuditedChange, recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import * as v from "valibot";
import { createJob } from "#lib/jobs/job.ts";
import { declareJobKind } from "#lib/operations/plan.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { type LockedUser, lockUser } from "#lib/domains/users/store.ts";
import { requireStrongPassword } from "#lib/drivers/crypto/password-rules.ts";

export const PASSWORD_RESET_LINK_JOB = declareJobKind({
  kind: "forgotten-password",
  steps: { answer: ["Sending a password reset link", MINUTE] },
  timeLimit: HOUR,
  payload: v.object({ email: v.string() }),
});

/**
 * The minimum time between two emails to the same address, in milliseconds. Without this limit, anybody could flood a
 * mailbox with emails.
 */
const MAIL_INTERVAL = 5 * MINUTE;

/** Enqueues the job that emails a password reset link. `email` must be in lower case. */
export async function requestResetLink(app: App, origin: RequestOrigin, email: string): Promise<void> {
  requirePasswordsOn(app);
  const dedupeKey = `${PASSWORD_RESET_LINK_JOB.kind}:${email}`;
  const jobs = [createJob(PASSWORD_RESET_LINK_JOB, { email }, { dedupeKey })];
  await app.db.transact((tx) => recordChange(tx, createAnonymousRequester(email, origin), { jobs }));
}

/** Emails a password reset link if an active user has this address and did not receive a link recently. */
export async function sendResetLink(tx: Tx, requester: Requester, email: string): Promise<void> {
  const user = await lockUser(tx, { email });
  if (!user || user.disabled || await hasRecentOneTimeToken(tx, "password_reset", user.id, MAIL_INTERVAL)) return;
  await recordChange(tx, requester, await createResetLink(tx, user));
}

/** Creates a password reset link and the email that contains it. */
export async function createResetLink(tx: Tx, user: LockedUser): Promise<AuditedChange> {
  const grant = await createOneTimeToken(tx, "password_reset", user.id);
  const about = { expiresAt: grant.expiresAt.toISOString() };
  return {
    audit: [{ kind: "password_reset_requested", objectType: "user", objectId: user.id }],
    jobs: [createMailJob({ template: "password-reset", to: getMailRecipient(user), about }, grant.id)],
  };
}

/** Returns the user's address and name. Omits the name of an unverified user, because a stranger may have chosen it. */
export function getMailRecipient({ email, displayName, verified }: LockedUser): { email: string; name: string } {
  return { email, name: verified ? displayName : email };
}

interface PasswordReset {
  readonly token: string;
  readonly password: string;
  /** Whether the user's API tokens stay valid. By default, the tokens are revoked. */
  readonly keepTokens?: boolean | undefined;
}

/**
 * Sets the password, verifies the email address and ends all sessions. Returns the user's email address. Throws an
 * `impossible` fault (`link_spent`) if the link is not valid.
 */
export async function resetPasswordByLink(
  app: App,
  origin: RequestOrigin,
  { token, password, keepTokens }: PasswordReset,
): Promise<string> {
  requirePasswordsOn(app);
  const link = await requireMailLink(app.db.rows, "password_reset", token);
  requireStrongPassword(password, link.email);
  const passwordHash = await app.passwords.hash(password, { caller: link.userId });
  const at = (await app.db.now()).toISOString();
  await app.db.transact(async (tx) => {
    const user = await redeemMailLink(tx, link);
    const revoked = await takeOverAccount(tx, user, { passwordHash, keepTokens });
    const about = { objectType: "user", objectId: user.id } as const;
    const notice = { template: "password-changed", to: getMailRecipient(user), about: { at, ip: origin.ip } } as const;
    await recordChange(tx, createMailLinkRequester(link, origin), {
      audit: [
        { kind: "password_reset", ...about },
        ...(user.verified ? [] : [{ kind: "email_verified", ...about } as const]),
        ...revoked,
      ],
      jobs: user.hasPassword ? [createMailJob(notice)] : [],
    });
  });
  return link.email;
}
