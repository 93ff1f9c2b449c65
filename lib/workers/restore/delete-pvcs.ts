/** Deletes PVCs that no site uses. Also deletes the snapshot objects of PVCs that were never bound. */
import { deleteRetainedClaims, listUnusedClaims, type RetainedClaim } from "#lib/domains/backups/retained-claims.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { turnOf } from "#lib/moodle/names.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { clusterWaitOf, type SpokeSite } from "#lib/workers/site.ts";
import { deleteSources, type VolumeContext } from "#lib/workers/volumes/pvcs.ts";

const PATIENCE = MINUTE; // the storage continues after this time
const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

/** Deletes PVCs, by UID if it is known, because names can be reused. */
export async function deleteRetainedPvcs(
  place: VolumeContext,
  run: Run,
  claims: readonly RetainedClaim[],
): Promise<void> {
  const { space, inputs } = place, going = [];
  for (const { claim, uid } of claims) {
    const ref = { ...CLAIM, name: claim }, found = await space.get(ref, run);
    if (!found || (uid !== null && found.metadata.uid !== uid)) continue;
    await space.delete(ref, found.metadata.uid!, run);
    going.push(ref);
  }
  await space.gone(going, clusterWaitOf(run, PATIENCE));
  const vain = claims.filter(({ reason }) => reason === "unused").map(({ operationId }) => operationId);
  for (const operation of new Set(vain)) {
    const origin = { turn: turnOf(operation), identity: "same" as const };
    await deleteSources({ ...place, inputs: { ...inputs, origin } }, run);
  }
}

/** Deletes unused PVCs of failed restores to free quota. PVCs that a pod still uses are deleted later. */
export async function deleteUnusedPvcs(site: SpokeSite, run: Run): Promise<void> {
  const { app: { db }, spoke: { id } } = site, vain = await listUnusedClaims(db.rows, id, run.job.id);
  try {
    await deleteRetainedPvcs(site, run, vain);
    await run.write((tx) => deleteRetainedClaims(tx, id, vain.map(({ claim }) => claim)));
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== "deadline") throw error;
    run.log.warn("Cannot remove what an earlier restore has made", { error });
  }
}
