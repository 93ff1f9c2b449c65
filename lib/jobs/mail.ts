/**
 * The job that sends a mail. It is enqueued in the transaction of what it tells of, and is nobody's operation: however
 * it ends, what it tells of stands.
 *
 * A replica without SMTP does not know this kind, so the mail waits in the queue until one that has it comes. Mail has a
 * few lanes of its own: a mail server that hangs holds that many jobs up and no more, however much mail waits; and what
 * goes to one address goes out in the order in which it was written.
 */
import type { NewJob } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { Letter } from "#lib/drivers/mail/letter.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";

export const MAIL_KIND: JobKind = {
  kind: "mail",
  plan: 1,
  visible: false,
  steps: [{ name: "send", label: "Sending a mail", timeout: 2 * MINUTE }],
  timeLimit: 3 * DAY,
};

/**
 * What goes to many at once. It has lanes of its own, so that nobody waits for the link to a new password behind
 * thousands of them; and is a kind of its own, so that earlier releases, which cannot write such letters, leave it
 * alone.
 */
export const BULK_MAIL_KIND: JobKind = { ...MAIL_KIND, kind: "bulk-mail" };

const LANES = 4, BULK_LANES = 2;

/** What lies in the queue. */
export interface MailPayload {
  readonly letter: Letter;
  /** The one-time token that the letter's link opens: its row, not its secret. Sent only while that is open. */
  readonly grantId: string | null;
}

/** To be handed to `record` with the change that it tells of. */
export function createMailJob(letter: Letter, grantId: string | null = null): NewJob {
  const payload: MailPayload = { letter, grantId };
  const lane = `mail:${laneNumberOf(letter.to.email, LANES)}`;
  return { kind: MAIL_KIND, lane, federationId: null, spokeId: null, payload: { ...payload } };
}

/** The same for a letter without a grant, of which many go out at once. */
export function createBulkMailJob(letter: Letter): NewJob {
  const lane = `bulk-mail:${laneNumberOf(letter.to.email, BULK_LANES)}`;
  return { ...createMailJob(letter), kind: BULK_MAIL_KIND, lane };
}

/** Any spreading of the addresses over the lanes will do, as long as it is the same everywhere. */
function laneNumberOf(email: string, lanes: number): number {
  return [...email].reduce((hash, character) => (hash * 31 + character.codePointAt(0)!) >>> 0, 7) % lanes;
}
