/** Runs the Job that works on the packages in a hub's library. */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { type LibraryContents, type LibraryTask, parseLibraryContents } from "#lib/moodle/library-jobs.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { buildClusterWaitOptions, type HubSite, KUBERNETES_JOB_KIND } from "#lib/steps/site.ts";

/**
 * Runs the Job, deletes it, and returns which of the packages the library has afterwards. Throws a ClusterError
 * (`LibraryJobFailed`), which is transient if the Job was killed.
 */
export async function runLibraryJob(
  { blueprint, inputs, space }: HubSite,
  run: JobRun,
  task: LibraryTask,
): Promise<LibraryContents> {
  const job = blueprint.libraryJob(inputs, run.job.fence, task),
    ref = { ...KUBERNETES_JOB_KIND, name: job.metadata.name };
  const { log, uid } = await space.run(job, buildClusterWaitOptions(run));
  await space.delete(ref, uid, run);
  const contents = parseLibraryContents(log, task.packages);
  if (contents) return contents;
  const reason = log.findLast((line) => line.startsWith("failed: "))?.slice("failed: ".length);
  throw new ClusterError("LibraryJobFailed", `The hub's library cannot be read: ${reason ?? "its Job was killed"}`, {
    transient: reason === undefined,
    blame: "operator",
    hint: "Check the volume of the library in the hub's namespace, then try again.",
    evidence: { log, events: [] },
  });
}
