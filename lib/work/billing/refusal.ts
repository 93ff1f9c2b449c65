/**
 * What a refusal of the provider that trying again does not mend leaves behind: why, for operators, and when to try
 * anew.
 */
import { sql } from "kysely";
import { lockSubscription, updateSubscription } from "#lib/domains/billing/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { FailureReport, Job } from "#lib/records/jobs/job.ts";
import type { Log } from "#lib/base/log.ts";
import type { Outcome } from "#lib/scheduler/handler.ts";

/** For a job's onFailed. Nobody waits for these jobs, so nobody would look at their rows. */
export async function noteRefusal(tx: Tx, log: Log, job: Job, { message, hint }: FailureReport): Promise<Outcome> {
  const federationId = job.federationId!, error = hint === null ? message : `${message}. ${hint}`;
  if (await lockSubscription(tx, federationId)) {
    // Somebody may have mended it in an hour.
    await updateSubscription(tx, federationId, { error, retryAt: sql<Date>`wheelwright_now() + interval '1 hour'` });
  }
  log.error("The payment provider refuses what a hub's billing needs", {
    operation: job.id,
    federation: federationId,
    kind: job.kind,
    reason: error,
  });
  return {};
}
