/**
 * The jobs of billing, for those that enqueue them; lib/workers/billing does the work.
 *
 * All that is about one hub's subscription runs in one lane, one after the other: what was fetched is written in the
 * order in which it was fetched. The lanes are few, as those of mail are: a provider that hangs holds that many jobs up
 * and no more, however many hubs there are, and installs go on beside it. One that waits for its next try does not hold
 * its lane.
 */
import type { NewJob } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";

const LANES = 4;

/** A provider may be away for as long as it likes: what is to be paid for is still to be told then. */
export const NO_TIME_LIMIT = 3650 * DAY;

export const SYNC_BILLING: JobKind = {
  kind: "sync-billing",
  plan: 1,
  visible: false,
  steps: [
    { name: "customer", label: "Updating the customer at the payment provider", timeout: 5 * MINUTE },
    { name: "quantities", label: "Updating the quantities at the payment provider", timeout: 10 * MINUTE },
  ],
  timeLimit: NO_TIME_LIMIT,
};

export const CHECK_BILLING: JobKind = {
  kind: "look-billing",
  plan: 1,
  visible: false,
  steps: [
    { name: "look", label: "Checking the subscription", timeout: 5 * MINUTE },
    { name: "customer", label: "Updating the customer at the payment provider", timeout: 5 * MINUTE },
  ],
  timeLimit: DAY,
};

export function syncJob(federationId: string): NewJob {
  return billingJob(SYNC_BILLING, federationId);
}

/** One more, after whatever an earlier holder may still have on its way to the provider has arrived; see sync.ts. */
export function followUpSyncJob(federationId: string, runAt: Date): NewJob {
  const job = syncJob(federationId);
  return { ...job, runAt, dedupeKey: `${job.dedupeKey}:again` }; // of its own: what changes meanwhile need not wait for it
}

/** `runAt` so that not all look at once. */
export function checkBillingJob(federationId: string, runAt?: Date): NewJob {
  return { ...billingJob(CHECK_BILLING, federationId), ...(runAt && { runAt }) };
}

function billingJob(kind: JobKind, federationId: string): NewJob {
  const dedupeKey = `${kind.kind}:${federationId}`;
  return { kind, lane: billingLane(federationId), federationId, spokeId: null, dedupeKey };
}

/** Any spreading of the hubs over the lanes will do, as long as it is the same everywhere. */
export function billingLane(federationId: string): string {
  const sum = [...federationId].reduce((hash, letter) => (hash * 31 + letter.codePointAt(0)!) >>> 0, 7);
  return `billing:${sum % LANES}`;
}
