/**
 * Creates billing jobs; lib/workers/billing runs them. All jobs of one hub's subscription run in one lane, in order.
 * There are only a few lanes, so a provider that hangs blocks only a few jobs.
 */
import type { NewJob } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";

const LANES = 4;

/** Milliseconds that count as no time limit, because the provider may be unavailable for any time. */
export const NO_TIME_LIMIT = 3650 * DAY;

export const SYNC_BILLING_JOB: JobKind = {
  kind: "sync-billing",
  plan: 1,
  visible: false,
  steps: [
    { name: "customer", label: "Updating the customer at the payment provider", timeout: 5 * MINUTE },
    { name: "quantities", label: "Updating the quantities at the payment provider", timeout: 10 * MINUTE },
  ],
  timeLimit: NO_TIME_LIMIT,
};

export const CHECK_BILLING_JOB: JobKind = {
  kind: "check-billing",
  plan: 1,
  visible: false,
  steps: [
    { name: "check", label: "Checking the subscription", timeout: 5 * MINUTE },
    { name: "customer", label: "Updating the customer at the payment provider", timeout: 5 * MINUTE },
  ],
  timeLimit: DAY,
};

export function syncBillingJob(federationId: string): NewJob {
  return billingJob(SYNC_BILLING_JOB, federationId);
}

/** Creates a second sync that runs after late requests of an earlier replica have arrived; see sync.ts. */
export function followUpSyncBillingJob(federationId: string, runAt: Date): NewJob {
  const job = syncBillingJob(federationId);
  // A separate key: changes in the meantime need not wait for it.
  return { ...job, runAt, dedupeKey: `${job.dedupeKey}:again` };
}

/** Creates a check. `runAt` spreads the checks of many hubs. */
export function createBillingCheckJob(federationId: string, runAt?: Date): NewJob {
  return { ...billingJob(CHECK_BILLING_JOB, federationId), ...(runAt && { runAt }) };
}

function billingJob(kind: JobKind, federationId: string): NewJob {
  const dedupeKey = `${kind.kind}:${federationId}`;
  return { kind, lane: billingLane(federationId), federationId, spokeId: null, dedupeKey };
}

/** Returns the lane of a hub. The distribution must be the same on every replica. */
export function billingLane(federationId: string): string {
  const sum = [...federationId].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) >>> 0, 7);
  return `billing:${sum % LANES}`;
}
