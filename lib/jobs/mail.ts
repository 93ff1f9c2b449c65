/**
 * The job that sends a mail. It is enqueued in the transaction of what it tells of, and is nobody's operation: however
 * it ends, what it tells of stands.
 *
 * A replica without SMTP does not know this kind, so the mail waits in the queue until one that has it comes.
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
  persistent: true,
};

/** What lies in the queue. */
export interface MailPayload {
  readonly letter: Letter;
  /** The one-time token that the letter's link opens: its row, not its secret. Sent only while that is open. */
  readonly grantId: string | null;
}

/** To be handed to `record` with the change that it tells of. */
export function mailJob(letter: Letter, grantId: string | null = null): NewJob {
  const payload: MailPayload = { letter, grantId };
  return { kind: MAIL, lane: null, federationId: null, spokeId: null, payload: { ...payload } };
}
