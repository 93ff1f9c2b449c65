/**
 * Ensures that Kubernetes Jobs of earlier attempts do not run in parallel with a new Job. Waits for an old Job if this
 * operation created it or its pod has started. Deletes any other Job, because its pod could start later.
 */
import { findStatusCondition } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import { isTrueCondition } from "#lib/drivers/cluster/diagnosis/readiness.ts";
import type { JobResult, JobWaitOptions, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import type { JobContext } from "#lib/steps/site-jobs.ts";
import { buildClusterWaitOptions, KUBERNETES_JOB_KIND } from "#lib/steps/site.ts";

export interface PreviousAttempts {
  /** The names of the Kubernetes Jobs that this operation created. Each was saved before its Job was created. */
  readonly own: readonly string[];
  readonly listen?: JobWaitOptions["listen"];
}

/** Waits for each unfinished Kubernetes Job, or deletes it. Returns the results of the Jobs that were not deleted. */
export async function waitForEarlierJobs(
  place: JobContext,
  run: JobRun,
  attempts: readonly KubeObject[],
  earlier: PreviousAttempts,
): Promise<{ readonly op: string | undefined; readonly result: JobResult }[]> {
  const ended = [];
  for (const attempt of attempts.filter((job) => !hasKubernetesJobEnded(job))) {
    const result = await endAttempt(place, run, attempt, earlier);
    if (result) ended.push({ op: attempt.metadata.labels?.["op"], result });
  }
  return ended;
}

/** Waits for a Job that this operation created or whose pod runs, and returns its result. Deletes any other Job. */
async function endAttempt(
  { space }: JobContext,
  run: JobRun,
  attempt: KubeObject,
  { own, listen }: PreviousAttempts,
): Promise<JobResult | null> {
  const { name, uid } = attempt.metadata;
  if (own.includes(name) || await hasBegun(space, run, name)) {
    run.showProgress("Waiting for the Job of an earlier attempt");
    return await space.follow(name, { ...buildClusterWaitOptions(run), ...(listen && { listen }) });
  }
  await space.delete({ ...KUBERNETES_JOB_KIND, name }, uid!, run);
  return null;
}

export function hasKubernetesJobEnded(job: KubeObject): boolean {
  return ["Complete", "Failed"].some((type) => isTrueCondition(findStatusCondition(job, type)));
}

async function hasBegun(space: JobContext["space"], run: JobRun, name: string): Promise<boolean> {
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, `job-name=${name}`, run);
  return pods.some((pod) => pod["status"]?.phase !== "Pending");
}
