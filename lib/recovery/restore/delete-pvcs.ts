/** Deletes PVCs that no site uses. For PVCs that were never used, also deletes the VolumeSnapshots they came from. */
import { deleteRetainedPvcRows, listUnusedPvcs, type RetainedPvc } from "#lib/domains/backups/retained-pvcs.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { getAdoptionId } from "#lib/moodle/names.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { buildClusterWaitOptions, type SpokeSite } from "#lib/steps/site.ts";
import { deleteSourceSnapshots, type VolumeContext } from "#lib/recovery/volumes/pvcs.ts";

const DELETE_TIMEOUT = MINUTE; // after this time, the storage continues the deletion
const PVC = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

/** Deletes PVCs. If the UID of a PVC was recorded, deletes the PVC only if it has this UID: names can be reused. */
export async function deleteRetainedPvcs(
  context: VolumeContext,
  run: JobRun,
  claims: readonly RetainedPvc[],
): Promise<void> {
  const { space, inputs } = context, refs = [];
  for (const { claim, uid } of claims) {
    const ref = { ...PVC, name: claim }, pvc = await space.get(ref, run);
    if (!pvc || (uid !== null && pvc.metadata.uid !== uid)) continue;
    await space.delete(ref, pvc.metadata.uid!, run);
    refs.push(ref);
  }
  await space.gone(refs, buildClusterWaitOptions(run, DELETE_TIMEOUT));
  const unused = claims.filter(({ reason }) => reason === "unused").map(({ operationId }) => operationId);
  for (const operation of new Set(unused)) {
    const origin = { adoptionId: getAdoptionId(operation), identity: "same" as const };
    await deleteSourceSnapshots({ ...context, inputs: { ...inputs, origin } }, run);
  }
}

/** Deletes PVCs that failed restores left behind, to free quota. If a pod still uses a PVC, it is deleted later. */
export async function deleteUnusedPvcs(site: SpokeSite, run: JobRun): Promise<void> {
  const { app: { db }, spoke: { id } } = site, unused = await listUnusedPvcs(db.rows, id, run.job.id);
  try {
    await deleteRetainedPvcs(site, run, unused);
    await run.write((tx) => deleteRetainedPvcRows(tx, id, unused.map(({ claim }) => claim)));
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== "deadline") throw error;
    run.log.warn("Cannot delete the unused PVCs of an earlier restore", { error });
  }
}
