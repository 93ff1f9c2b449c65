/**
 * The job that sends a mail. It is enqueued in the transaction of what it tells of, and is nobody's operation: however
 * it ends, what it tells of stands.
 *
 * A replica without SMTP does not know this kind, so the mail waits in the queue until one that has it comes. Mail has a
 * few lanes of its own: a mail server that hangs holds that many jobs up and no more, however much mail waits; and what
 * goes to one address goes out in the order in which it was written.
 */
import type { JobKind, NewJob } from "#lib/jobs/job.ts";
import type { Letter } from "#lib/mail/letter.ts";
import { DAY, MINUTE } from "#lib/time.ts";

export const MAIL: JobKind = {
  kind: "mail",
  plan: 1,
  visible: false,
  steps: [{ name: "send", label: "Sending a mail", timeout: 2 * MINUTE }],
  timeLimit: 3 * DAY,
};

const LANES = 4;

/** What lies in the queue. */
export interface MailPayload {
  readonly letter: Letter;
  /** The one-time token that the letter's link opens: its row, not its secret. Sent only while that is open. */
  readonly grantId: string | null;
}

/** To be handed to `record` with the change that it tells of. */
export function mailJob(letter: Letter, grantId: string | null = null): NewJob {
  const payload: MailPayload = { letter, grantId };
  return { kind: MAIL, lane: mailLane(letter.to.email), federationId: null, spokeId: null, payload: { ...payload } };
}

/** Any spreading of the addresses over the lanes will do, as long as it is the same everywhere. */
function mailLane(email: string): string {
  const sum = [...email].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) >>> 0, 7);
  return `mail:${sum % LANES}`;
}
