/**
 * Creates jobs that send emails. The job is enqueued in the same transaction as the change that the email reports. A
 * replica without SMTP settings does not run these jobs, so emails stay queued until another replica can send them.
 * Emails to one address are sent in the order in which they were enqueued.
 */
import * as v from "valibot";
import { createJob, type NewJob } from "#lib/jobs/job.ts";
import { declareJobKind, type PayloadOf } from "#lib/operations/plan.ts";
import { QueuedMail } from "#lib/drivers/mail/letter.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";

export const MAIL_JOB_KIND = declareJobKind({
  kind: "mail",
  steps: { send: ["Sending an email", 2 * MINUTE] },
  timeLimit: 3 * DAY,
  payload: v.object({
    letter: QueuedMail,
    /** The ID of the one-time token in the email's link. The email is sent only while the token is unused. */
    grantId: v.nullable(v.string()),
  }),
});

export type MailPayload = PayloadOf<typeof MAIL_JOB_KIND>;

const LANES = 4, BULK_LANES = 2;

/** Creates a job that sends one email. Pass it to `recordChange` with the change that the email reports. */
export function createMailJob(letter: QueuedMail, grantId: string | null = null): NewJob {
  return createJob(MAIL_JOB_KIND, { letter, grantId }, { lane: `mail:${laneNumberOf(letter.to.email, LANES)}` });
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
