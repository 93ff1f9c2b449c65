/**
 * Creates billing jobs, which lib/workers/billing runs. All jobs for one hub's subscription run in order, in the same
 * lane (queue). Only a few billing lanes exist, so a payment provider that hangs blocks only a few running jobs.
 */
import * as v from "valibot";
import { createJob, type NewJob } from "#lib/jobs/job.ts";
import { declareJobKind, type JobKind } from "#lib/operations/plan.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";

const LANES = 4;

/** A time limit of ten years, in milliseconds: the payment provider may be unavailable for a long time. */
export const BILLING_JOB_TIME_LIMIT = 3650 * DAY;

export const SYNC_BILLING_JOB = declareJobKind({
  kind: "sync-billing",
  steps: {
    customer: ["Updating the customer at the payment provider", 5 * MINUTE],
    quantities: ["Updating the billed quantities at the payment provider", 10 * MINUTE],
  },
  timeLimit: BILLING_JOB_TIME_LIMIT,
  progress: {
    /** The email address that was sent to the payment provider. */
    email: v.string(),
    /** Whether another sync must follow, because an earlier one may have been interrupted. */
    again: v.boolean(),
  },
});

export const CHECK_BILLING_JOB = declareJobKind({
  kind: "check-billing",
  steps: {
    check: ["Checking the subscription", 5 * MINUTE],
    customer: ["Updating the customer at the payment provider", 5 * MINUTE],
  },
  timeLimit: DAY,
});

export function createBillingSyncJob(federationId: string): NewJob {
  return billingJob(SYNC_BILLING_JOB, federationId);
}

/** Creates a second billing sync. It runs after delayed requests from an earlier replica have arrived (see sync.ts). */
export function createFollowUpSyncJob(federationId: string, runAt: Date): NewJob {
  const job = createBillingSyncJob(federationId);
  // Uses a separate deduplication key, so that this job does not delay the sync of later changes.
  return { ...job, runAt, dedupeKey: `${job.dedupeKey}:again` };
}

/** Creates a job that checks a hub's subscription. Callers spread the checks of many hubs over time with `runAt`. */
export function createBillingCheckJob(federationId: string, runAt?: Date): NewJob {
  return { ...billingJob(CHECK_BILLING_JOB, federationId), ...(runAt && { runAt }) };
}

function billingJob(kind: JobKind, federationId: string): NewJob {
  const dedupeKey = `${kind.kind}:${federationId}`;
  return createJob(kind, {}, { lane: getBillingLane(federationId), federationId, dedupeKey });
}

/** Returns the lane (queue) for a hub's billing jobs. Every replica computes the same lane for a hub. */
export function getBillingLane(federationId: string): string {
  const sum = [...federationId].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) >>> 0, 7);
  return `billing:${sum % LANES}`;
}
