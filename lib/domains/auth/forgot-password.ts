/**
 * Emails links for resetting forgotten passwords. Each request enqueues a job, whether or not an account with the
 * address exists, so neither the response nor its duration reveals which addresses have accounts.
 */
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { anonymousRequester } from "#lib/domains/auth/mail-link.ts";
import { createGrant, hasRecentGrant } from "#lib/domains/auth/one-time-tokens.ts";
import { type AuditedChange, recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { createMailJob } from "#lib/jobs/mail.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { type LockedUser, lockUser } from "#lib/domains/users/store.ts";

export const FORGOTTEN_PASSWORD_JOB: JobKind = {
  kind: "forgotten-password",
  plan: 1,
  visible: false,
  steps: [{ name: "answer", label: "Sending a link to reset a password", timeout: MINUTE }],
  timeLimit: HOUR,
};

/**
 * The minimum time between two emails to the same address, in milliseconds. Without it, anybody could flood any mailbox
 * with emails.
 */
const MAIL_INTERVAL = 5 * MINUTE;

/** Enqueues the job that sends the link. `email` must be in lower case, as the Email schema returns it. */
export async function requestResetLink(app: App, origin: RequestOrigin, email: string): Promise<void> {
  const job = { kind: FORGOTTEN_PASSWORD_JOB, lane: null, federationId: null, spokeId: null, payload: { email } };
  await app.db.transact(async (tx) => {
    await recordChange(tx, anonymousRequester(email, origin), {
      jobs: [{ ...job, dedupeKey: `${FORGOTTEN_PASSWORD_JOB.kind}:${email}` }],
    });
  });
}

/** Emails the link. Does nothing if no user has the address, or if the user is disabled or recently got a link. */
export async function sendResetLink(tx: Tx, requester: Requester, email: string): Promise<void> {
  const user = await lockUser(tx, { email });
  if (!user || user.disabled || await hasRecentGrant(tx, "password_reset", user.id, MAIL_INTERVAL)) return;
  await recordChange(tx, requester, await createResetLink(tx, user));
}

/** Creates a link for setting a new password, and the email that contains it. */
export async function createResetLink(tx: Tx, user: LockedUser): Promise<AuditedChange> {
  const grant = await createGrant(tx, "password_reset", user.id);
  const about = { expiresAt: grant.expiresAt.toISOString() };
  return {
    audit: [{ kind: "password_reset_requested", objectType: "user", objectId: user.id }],
    jobs: [createMailJob({ template: "password-reset", to: mailRecipientOf(user), about }, grant.id)],
  };
}

/** Omits the name of an unverified user, because anybody could have signed up with this address and any name. */
export function mailRecipientOf({ email, displayName, verified }: LockedUser): { email: string; name: string } {
  return { email, name: verified ? displayName : email };
}
