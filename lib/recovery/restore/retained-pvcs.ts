/**
 * Keeps and deletes PVCs that a site no longer uses. PVCs that a restore replaced get a label with their deletion date.
 * For PVCs that were never used, the VolumeSnapshots they came from are deleted too. Names can be reused, so the UIDs of
 * the PVCs are saved.
 */
import { DAY, MINUTE } from "#lib/base/time.ts";
import {
  deleteRetainedPvcRows,
  listUnusedPvcs,
  type PvcIdentity,
  type RetainedPvc,
} from "#lib/domains/backups/retained-pvcs.ts";
import { ClusterError, type KubeObject, type PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import { getAdoptionId, getSitePvcNames, PVC_KEPT_UNTIL_LABEL } from "#lib/moodle/names.ts";
import type { SiteVersionAndVolumes } from "#lib/moodle/site-base.ts";
import { PVC } from "#lib/moodle/storage-objects.ts";
import { ROLLBACK_DAYS } from "#lib/operations/restore.ts";
import { deleteSourceSnapshots, type VolumeContext } from "#lib/recovery/volumes/pvcs.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { patchWithFence } from "#lib/steps/fenced-objects.ts";
import { buildClusterWaitOptions, type OperationRun, type SpokeSite } from "#lib/steps/site.ts";

const DELETE_TIMEOUT = MINUTE; // after this time, the storage continues the deletion

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

const LABEL = `/metadata/labels/${PVC_KEPT_UNTIL_LABEL.replaceAll("/", "~1")}`;

export async function retainReplacedPvcs(
  { app, space }: SpokeSite,
  run: OperationRun<"restore">,
  { before, target }: { readonly before: SiteVersionAndVolumes; readonly target: SiteVersionAndVolumes },
): Promise<void> {
  const until = new Date((await app.db.now()).getTime() + ROLLBACK_DAYS * DAY).toISOString().slice(0, 10);
  const used = Object.values(getSitePvcNames(target)), previous = Object.values(getSitePvcNames(before));
  const patchPvc = async (name: string, change: (claim: KubeObject) => PatchOperation[]): Promise<PvcIdentity[]> => {
    const ref = { ...PVC, name };
    if (!await space.get(ref, run)) return []; // the PVC is missing, perhaps because its loss led to this restore
    const { metadata } = await patchWithFence(space, ref, run, change);
    return [{ claim: name, uid: metadata.uid! }];
  };
  for (const name of used) await patchPvc(name, removeLabel);
  const replaced: PvcIdentity[] = [];
  for (const name of previous.filter((each) => !used.includes(each))) {
    replaced.push(...await patchPvc(name, (claim) => addLabel(claim, until)));
  }
  await run.saveProgress({ replaced });
}

function addLabel({ metadata }: KubeObject, until: string): PatchOperation[] {
  const emptyLabels: PatchOperation = { op: "add", path: "/metadata/labels", value: {} };
  return [...(metadata.labels ? [] : [emptyLabels]), { op: "add", path: LABEL, value: until }];
}

/** Returns the patch that removes the label with the deletion date from a PVC, because the site uses the PVC again. */
function removeLabel({ metadata }: KubeObject): PatchOperation[] {
  return metadata.labels?.[PVC_KEPT_UNTIL_LABEL] === undefined ? [] : [{ op: "remove", path: LABEL }];
}
