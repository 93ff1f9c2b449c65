/**
 * Jobs that must never run twice at once, no matter who began them: what an earlier holder left running is adopted.
 *
 * A name that this operation remembers, or a pod that has begun, is followed to its end. A Job of an earlier operation
 * that never got that far makes room: the reason may be gone by now, and its image may be another one.
 */
import type { JobResult, JobWait, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import type { JobPlace } from "#lib/workers/jobs.ts";
import { JOB, waitingFor } from "#lib/workers/site.ts";

export interface Earlier {
  /** Names of those that this operation has begun. */
  readonly own: readonly string[];
  readonly listen?: JobWait["listen"];
}

/** How each of these Jobs ended that has not yet, by its name and label; nothing of a deleted one. */
export async function endAttempts(
  place: JobPlace,
  run: Run,
  attempts: readonly KubeObject[],
  earlier: Earlier,
): Promise<{ readonly op: string | undefined; readonly result: JobResult }[]> {
  const ended = [];
  for (const attempt of attempts.filter((job) => !isOver(job))) {
    const result = await endAttempt(place, run, attempt, earlier);
    if (result) ended.push({ op: attempt.metadata.labels?.["op"], result });
  }
  return ended;
}

/** How the Job ended, once it has; null for one that was deleted. */
async function endAttempt(
  { space }: JobPlace,
  run: Run,
  attempt: KubeObject,
  { own, listen }: Earlier,
): Promise<JobResult | null> {
  const { name, uid } = attempt.metadata;
  if (own.includes(name) || await hasBegun(space, run, name)) {
    run.showProgress("The job that was begun before is under way still");
    return await space.follow(name, { ...waitingFor(run), ...(listen && { listen }) });
  }
  await space.delete({ ...JOB, name }, uid!, run);
  return null;
}

export function isOver(job: KubeObject): boolean {
  const conditions: { type: string; status: string }[] = job["status"]?.conditions ?? [];
  return conditions.some(({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"));
}

/** Names of Jobs that this operation has begun, remembered in its progress under this key before they were created. */
export function ownAttempts(run: Run, key: string): string[] {
  const names: unknown = run.job.progress[key];
  return Array.isArray(names) ? names.map(String) : [];
}

async function hasBegun(space: JobPlace["space"], run: Run, name: string): Promise<boolean> {
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, `job-name=${name}`, run);
  return pods.some((pod) => pod["status"]?.phase !== "Pending");
}
