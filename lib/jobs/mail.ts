/**
 * Creates jobs that send emails. The job is enqueued in the same transaction as the change that the email reports. A
 * replica without SMTP settings does not run these jobs, so emails stay queued until another replica can send them.
 * Emails to one address are sent in the order in which they were enqueued.
 */
import type { NewJob } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { QueuedMail } from "#lib/drivers/mail/letter.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";

export const MAIL_JOB_KIND: JobKind = {
  kind: "mail",
  plan: 1,
  visible: false,
  steps: [{ name: "send", label: "Sending an email", timeout: 2 * MINUTE }],
  timeLimit: 3 * DAY,
};

const LANES = 4, BULK_LANES = 2;

export interface MailPayload {
  readonly letter: QueuedMail;
  /** The ID of the one-time token in the email's link. The email is sent only while the token is unused. */
  readonly grantId: string | null;
}

/** Creates a job that sends one email. Pass it to `recordChange` with the change that the email reports. */
export function createMailJob(letter: QueuedMail, grantId: string | null = null): NewJob {
  const payload: MailPayload = { letter, grantId };
  const lane = `mail:${laneNumberOf(letter.to.email, LANES)}`;
  return { kind: MAIL_JOB_KIND, lane, federationId: null, spokeId: null, payload: { ...payload } };
}

/** Creates a job for one email of a bulk mailing. Its lane (queue) is separate, so password resets are not delayed. */
export function createBulkMailJob(letter: QueuedMail): NewJob {
  const lane = `bulk-mail:${laneNumberOf(letter.to.email, BULK_LANES)}`;
  return { ...createMailJob(letter), lane };
}

/** Maps an email address to a lane (queue) number. Every replica must compute the same number. */
function laneNumberOf(email: string, lanes: number): number {
  return [...email].reduce((hash, character) => (hash * 31 + character.codePointAt(0)!) >>> 0, 7) % lanes;
}
