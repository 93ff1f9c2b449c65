/**
 * Forgotten passwords. The request enqueues one job, whatever the address is, and has answered before anybody looks
 * whether there is such a user: neither the answer nor the clock tells. The job sends the link.
 *
 * Somebody who was invited and never accepted gets the same link: it proves the address and sets a password, which is all
 * that accepting does, and a person who asks for a password shall not be told to look for an older mail.
 */
import type { App } from "#lib/app.ts";
import type { Asker } from "#lib/audit/asker.ts";
import type { RequestOrigin } from "#lib/domains/auth/authenticate.ts";
import { anonymousRequester } from "#lib/domains/auth/mail-link.ts";
import { createGrant, hasRecentGrant } from "#lib/domains/auth/one-time-tokens.ts";
import { type Change, record } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { mailJob } from "#lib/jobs/mail.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { type LockedUser, lockUser } from "#lib/domains/users/store.ts";

export const FORGOTTEN_PASSWORD: JobKind = {
  kind: "forgotten-password",
  plan: 1,
  visible: false,
  steps: [{ name: "answer", label: "Sending a link to reset a password", timeout: MINUTE }],
  timeLimit: HOUR,
};

/** Anybody may ask in anybody's name: one mail in so many milliseconds is enough for an honest person. */
const MAIL_INTERVAL = 5 * MINUTE;

/** In lower case, as the Email schema leaves it. */
export async function forgotPassword(app: App, origin: RequestOrigin, email: string): Promise<void> {
  const job = { kind: FORGOTTEN_PASSWORD, lane: null, federationId: null, spokeId: null, payload: { email } };
  await app.db.transact(async (tx) => {
    await record(tx, anonymousRequester(email, origin), {
      jobs: [{ ...job, dedupeKey: `${FORGOTTEN_PASSWORD.kind}:${email}` }],
    });
  });
}

/** What the job does. An unknown address, a disabled user, and a link that has just gone out are nothing to do. */
export async function sendResetLink(tx: Tx, requester: Asker, email: string): Promise<void> {
  const user = await lockUser(tx, { email });
  if (!user || user.disabled || await hasRecentGrant(tx, "password_reset", user.id, MAIL_INTERVAL)) return;
  await record(tx, requester, await createResetLink(tx, user));
}

/** A link with which the user sets a new password, and the mail that brings it. */
export async function createResetLink(tx: Tx, user: LockedUser): Promise<Change> {
  const grant = await createGrant(tx, "password_reset", user.id);
  const about = { expiresAt: grant.expiresAt.toISOString() };
  return {
    audit: [{ kind: "password_reset_requested", objectType: "user", objectId: user.id }],
    jobs: [mailJob({ template: "password-reset", to: recipientOf(user), about }, grant.id)],
  };
}

/** A name that nobody vouches for is not put before somebody's eyes: anybody could have signed up with it. */
export function recipientOf({ email, displayName, verified }: LockedUser): { email: string; name: string } {
  return { email, name: verified ? displayName : email };
}
