/** What an operation that does not run waits for, in a sentence. It names nothing that not everybody may know of. */
import type { Job } from "#lib/jobs/job.ts";
import { findPlan } from "#lib/operations/table.ts";
import type { QueuePlace } from "#lib/jobs/queue.ts";

const AGAIN = /^Trying again: /;

/** The label that it has, but for what a row cannot know: the state of others, and the time. */
export function labelOf(job: Job, place: QueuePlace | undefined): string {
  if (job.state === "cancelled" && job.startedAt === null) return "Called off before it began";
  if (job.state !== "queued" || !place) return job.label;
  if (place.nextTryAt) return job.label.replace(AGAIN, `Trying again at ${secondOf(place.nextTryAt)}: `);
  if (place.hubState === "failed") return "Waiting until the hub's set-up, which has failed, is retried";
  if (place.hubState !== null) return "Waiting until the hub is set up";
  if (place.ahead === null && !findPlan(job)) {
    return `Waiting for a release of this service that knows ${job.kind} in version ${job.plan}`;
  }
  return job.label;
}

function secondOf(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
