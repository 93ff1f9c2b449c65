/**
 * Waits for Jobs of earlier attempts that must never run in parallel. If this operation created a Job, or its pod has
 * started, the module waits for the Job to end. It deletes any other Job, because its pod could
 * start later.
 */
import type { JobResult, JobWait, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import type { JobContext } from "#lib/workers/site-jobs.ts";
import { BATCH_JOB, clusterWaitOf } from "#lib/workers/site.ts";

export interface PreviousAttempts {
  /** Names of the Jobs that this operation created. */
  readonly own: readonly string[];
  readonly listen?: JobWait["listen"];
}

/** Waits for unfinished Jobs and returns their results. Deleted Jobs have no result. */
export async function waitForJobAttemptsToEnd(
  place: JobContext,
  run: Run,
  attempts: readonly KubeObject[],
  earlier: PreviousAttempts,
): Promise<{ readonly op: string | undefined; readonly result: JobResult }[]> {
  const ended = [];
  for (const attempt of attempts.filter((job) => !hasAttemptEnded(job))) {
    const result = await endAttempt(place, run, attempt, earlier);
    if (result) ended.push({ op: attempt.metadata.labels?.["op"], result });
  }
  return ended;
}

/** Returns the Job's result; null if the Job was deleted. */
async function endAttempt(
  { space }: JobContext,
  run: Run,
  attempt: KubeObject,
  { own, listen }: PreviousAttempts,
): Promise<JobResult | null> {
  const { name, uid } = attempt.metadata;
  if (own.includes(name) || await hasBegun(space, run, name)) {
    run.showProgress("Waiting for the Job of an earlier attempt");
    return await space.follow(name, { ...clusterWaitOf(run), ...(listen && { listen }) });
  }
  await space.delete({ ...BATCH_JOB, name }, uid!, run);
  return null;
}

export function hasAttemptEnded(job: KubeObject): boolean {
  const conditions: { type: string; status: string }[] = job["status"]?.conditions ?? [];
  return conditions.some(({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"));
}

/**
 * Returns the names of Jobs that this operation created. They are stored in its progress before the Jobs are created.
 */
export function findOwnAttempts(run: Run, key: string): string[] {
  const names: unknown = run.job.progress[key];
  return Array.isArray(names) ? names.map(String) : [];
}

async function hasBegun(space: JobContext["space"], run: Run, name: string): Promise<boolean> {
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, `job-name=${name}`, run);
  return pods.some((pod) => pod["status"]?.phase !== "Pending");
}
