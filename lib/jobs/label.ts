/** Describes what a queued operation is waiting for. The text never names hubs or spokes that a user may not see. */
import type { Job } from "#lib/jobs/job.ts";
import { findJobPlan } from "#lib/operations/table.ts";
import type { JobQueuePosition } from "#lib/jobs/queue.ts";

const RETRY_PREFIX = /^Trying again: /;

/** Returns the job's stored label, or builds a new one if the text depends on the time or on other operations. */
export function buildCurrentLabel(job: Job, queuePosition: JobQueuePosition | undefined): string {
  if (job.state === "cancelled" && job.startedAt === null) return "Cancelled before it started";
  if (job.state !== "queued" || !queuePosition) return job.label;
  if (queuePosition.nextAttemptAt) {
    return job.label.replace(RETRY_PREFIX, `Trying again at ${formatSecond(queuePosition.nextAttemptAt)}: `);
  }
  if (queuePosition.hubState === "failed") return "Waiting until the hub's failed setup is retried";
  if (queuePosition.hubState !== null) return "Waiting until the hub is set up";
  if (queuePosition.waitsForTurn) return "Waiting for its turn: only some of a cluster's sites are changed at once";
  if (queuePosition.waitingFor === null && !findJobPlan(job)) {
    return `Waiting for a newer release of this service that supports ${job.kind} in version ${job.plan}`;
  }
  return job.label;
}

function formatSecond(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
