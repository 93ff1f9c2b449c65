/**
 * Creates jobs that send mail. A mail job is enqueued in the transaction of the change that it reports. It is not an
 * operation, and its failure does not affect the change. A replica without SMTP does not run this kind, so mail stays
 * queued until a replica with SMTP runs. Mail has few lanes, so a hanging mail server blocks only a few jobs. Mails to
 * one address are sent in the order in which they were enqueued.
 */
import type { NewJob } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { Letter } from "#lib/drivers/mail/letter.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";

export const MAIL_KIND: JobKind = {
  kind: "mail",
  plan: 1,
  visible: false,
  steps: [{ name: "send", label: "Sending an email", timeout: 2 * MINUTE }],
  timeLimit: 3 * DAY,
};

const LANES = 4, BULK_LANES = 2;

export interface MailPayload {
  readonly letter: Letter;
  /** The ID of the one-time token in the mail's link. The mail is sent only if the token is still open. */
  readonly grantId: string | null;
}

/** Creates a mail job. Pass it to `recordChange` together with the change that the mail reports. */
export function createMailJob(letter: Letter, grantId: string | null = null): NewJob {
  const payload: MailPayload = { letter, grantId };
  const lane = `mail:${laneNumberOf(letter.to.email, LANES)}`;
  return { kind: MAIL_KIND, lane, federationId: null, spokeId: null, payload: { ...payload } };
}

/** Creates a job for one of many mails without a token. Its lanes keep bulk mails from delaying password resets. */
export function createBulkMailJob(letter: Letter): NewJob {
  const lane = `bulk-mail:${laneNumberOf(letter.to.email, BULK_LANES)}`;
  return { ...createMailJob(letter), lane };
}

/** Maps an address to a lane number. The mapping must be the same on every replica. */
function laneNumberOf(email: string, lanes: number): number {
  return [...email].reduce((hash, character) => (hash * 31 + character.codePointAt(0)!) >>> 0, 7) % lanes;
}
