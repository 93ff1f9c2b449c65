/**
 * Stops a site before its removal, so that the last backup is consistent and no pod uses a PVC. If the site cannot be
 * stopped, adds a note to the operation and continues with the removal.
 */
import {
  DATABASE_STATEFULSET_REF,
  MOODLE_CRONJOB_REF,
  MOODLE_DEPLOYMENT_REF,
  SITE_POD_SELECTOR,
} from "#lib/moodle/names.ts";
import {
  ClusterError,
  type ClusterNamespace,
  type ObjectRef,
  type PatchOperation,
} from "#lib/drivers/cluster/cluster.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { backoffDelay, MINUTE, SECOND, sleep } from "#lib/base/time.ts";
import { patchWithFence } from "#lib/steps/fenced-objects.ts";
import { isMissingNamespace } from "#lib/steps/same-cluster.ts";
import {
  addNotes,
  buildClusterWaitOptions,
  KUBERNETES_JOB_KIND,
  type OperationRun,
  type SpokeSite,
} from "#lib/steps/site.ts";

const MAX_ATTEMPTS = 3;
const MAX_POD_WAIT = 3 * MINUTE; // for the pods of Moodle or the database to end; six times the usual grace period

export async function stopSite(site: SpokeSite, run: OperationRun<"remove">): Promise<void> {
  if (site.spoke.readyAt === null || site.holding.uid === null) return; // the site never had data
  const giveUp = (reason: string) => addNotes(run, [`The site was not stopped before it was removed: ${reason}`]);
  for (let attempt = (run.job.progress.stops ?? 0) + 1; attempt <= MAX_ATTEMPTS; attempt++) {
    await run.saveProgress({ stops: attempt }); // so that attempts that crashed are counted too
    try {
      return await stopWorkloads(site.space, run);
    } catch (error) {
      run.signal.throwIfAborted();
      if (!(error instanceof ClusterError)) throw error;
      if (isMissingNamespace(error)) return; // nothing is left to stop
      run.log.warn("Cannot stop a site before its removal", { error });
      if (!error.transient || error.code === "deadline" || attempt === MAX_ATTEMPTS) {
        return await giveUp(getErrorMessage(error));
      }
      await sleep(backoffDelay(attempt, SECOND, MINUTE), run.signal);
    }
  }
  await giveUp(`${MAX_ATTEMPTS} attempts did not finish`);
}

/** Stops the site's Kubernetes Jobs, Moodle and the database. Ignores objects that do not exist. */
export async function stopWorkloads(space: ClusterNamespace, run: JobRun): Promise<void> {
  await patchIfExists(space, run, MOODLE_CRONJOB_REF, { op: "add", path: "/spec/suspend", value: true });
  // Deletes all Jobs, even scheduled tasks and Jobs of cancelled operations, because no operation needs them.
  for (const { metadata } of await space.list(KUBERNETES_JOB_KIND, "", run)) {
    await space.delete({ ...KUBERNETES_JOB_KIND, name: metadata.name }, metadata.uid!, run);
  }
  await patchIfExists(space, run, MOODLE_DEPLOYMENT_REF, { op: "add", path: "/spec/replicas", value: 0 });
  await space.noPods("app=moodle", buildClusterWaitOptions(run, podWaitOf(run)));
  await patchIfExists(space, run, DATABASE_STATEFULSET_REF, { op: "add", path: "/spec/replicas", value: 0 });
  await space.noPods(SITE_POD_SELECTOR, buildClusterWaitOptions(run, podWaitOf(run)));
}

/** Returns how long to wait for pods to terminate, in milliseconds. Leaves enough time to add a note afterwards. */
function podWaitOf(run: JobRun): number {
  return Math.min(MAX_POD_WAIT, run.timeLeft() / 3);
}

/** Patches an object if it exists. Throws FenceLostError if a newer run has already changed the object. */
async function patchIfExists(
  space: ClusterNamespace,
  run: JobRun,
  ref: ObjectRef,
  change: PatchOperation,
): Promise<void> {
  if (!await space.get(ref, run)) return;
  await patchWithFence(space, ref, run, () => [change]);
}
