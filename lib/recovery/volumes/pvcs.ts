/**
 * Creates a site's PVCs from snapshots, before the site's other objects. VolumeSnapshots are deleted with their
 * namespace, so a backup stores the storage driver's handles instead. For each PVC, this module creates a
 * VolumeSnapshotContent with the handle, and a VolumeSnapshot that is bound to this content. Both objects are deleted
 * later, but the stored data remains, because the deletionPolicy is `Retain`.
 */
import { Refusal } from "#lib/base/refusals.ts";
import { buildSourceSnapshotName } from "#lib/moodle/origin.ts";
import { findSnapshotBlueprintProblem } from "#lib/moodle/adoption.ts";
import type { SiteOrigin } from "#lib/moodle/inputs.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import { DISK_NAMES, type DiskName } from "#lib/moodle/resize.ts";
import { type Cluster, type KubeObject, type ObjectRef, toObjectRef } from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { PVC, SNAPSHOT_CONTENT, VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";
import { readRetainingSnapshotClasses } from "#lib/steps/snapshot-classes.ts";
import { createWithFence } from "#lib/steps/fenced-objects.ts";
import type { JobContext } from "#lib/steps/site-jobs.ts";
import { buildClusterWaitOptions, waitUntil } from "#lib/steps/site.ts";
import { renderPvcs } from "#lib/recovery/volumes/render-pvcs.ts";
import {
  buildSourceContentName,
  chooseSnapshotClass,
  createSnapshotSource,
  type StorageSnapshot,
} from "#lib/recovery/volumes/snapshot-source.ts";

/** The context in which volumes are created from snapshots. The blueprint inputs must contain `origin`. */
export interface VolumeContext extends JobContext {
  readonly cluster: Cluster;
}

/** The snapshots of a site's two volumes, and the cluster in which they were taken. */
export interface SiteSnapshots {
  readonly cluster: string;
  /** The UID of the cluster; null if it is unknown. */
  readonly clusterUid: string | null;
  readonly volumes: Readonly<Record<DiskName, StorageSnapshot>>;
}

/**
 * Creates the PVCs from the snapshots. Can be repeated. A PVC may stay Pending until a pod first uses it.
 * Throws a Refusal: `another_cluster`, `BlueprintLacks`, `NoSnapshotClass` or `ClaimTaken`; or the cluster's error for a
 * missing snapshot.
 */
export async function createPvcsFromSnapshots(context: VolumeContext, run: JobRun, from: SiteSnapshots): Promise<void> {
  const { space, inputs } = context, { adoptionId } = requireOrigin(context);
  await requireSnapshotCluster(context, run, from);
  const problem = findSnapshotBlueprintProblem(context.blueprint, inputs);
  if (problem !== null) {
    const hint = "Copy this part of the built-in blueprint to BLUEPRINT_DIR, then retry.";
    throw new Refusal("BlueprintLacks", `Cannot create a site from snapshots: ${problem}`, hint);
  }
  const pvcs = renderPvcs(context, from.volumes), existing = new Map<DiskName, KubeObject>();
  for (const disk of DISK_NAMES) {
    const pvc = await space.get(toObjectRef(pvcs[disk]), run);
    if (pvc) requireSource(pvc, buildSourceSnapshotName(disk, adoptionId));
    if (pvc) existing.set(disk, pvc);
  }
  const unbound = DISK_NAMES.filter((disk) => existing.get(disk)?.["status"]?.phase !== "Bound");
  if (unbound.length === 0) return;
  const names = await chooseSnapshotClasses(context, run, from);
  for (const disk of unbound) {
    await createSnapshotSource(context, run, {
      name: buildSourceSnapshotName(disk, adoptionId),
      owner: inputs,
      snapshot: { ...from.volumes[disk], class: names[disk] },
    });
  }
  await space.ready(
    unbound.map((disk) => ({ ...VOLUME_SNAPSHOT, name: buildSourceSnapshotName(disk, adoptionId) })),
    buildClusterWaitOptions(run),
  );
  for (const disk of unbound) {
    if (!existing.has(disk)) await createWithFence(space, pvcs[disk], run.job, run);
  }
}

/** Waits until the PVCs are bound, then deletes the snapshot objects from which they were created. */
export async function deleteSourceSnapshotsWhenBound(context: VolumeContext, run: JobRun): Promise<void> {
  const { space, inputs } = context, names = Object.values(getSitePvcNames(inputs));
  await waitUntil(run, async () => {
    const pvcs = await Promise.all(names.map((name) => space.get({ ...PVC, name }, run)));
    const unbound = names.filter((_, i) => pvcs[i]?.["status"]?.phase !== "Bound");
    return unbound.length > 0 ? `Waiting for the volumes of PersistentVolumeClaim ${unbound.join(", ")}` : null;
  });
  await deleteSourceSnapshots(context, run);
}

/** Deletes the snapshot objects from which the PVCs were created. The data in the storage remains. */
export async function deleteSourceSnapshots(context: VolumeContext, run: JobRun): Promise<void> {
  const { space, cluster } = context, { adoptionId } = requireOrigin(context), deleted: ObjectRef[] = [];
  for (const disk of DISK_NAMES) {
    const ref = { ...VOLUME_SNAPSHOT, name: buildSourceSnapshotName(disk, adoptionId) },
      snapshot = await space.get(ref, run);
    if (!snapshot) continue;
    await space.delete(ref, snapshot.metadata.uid!, run);
    deleted.push(ref);
  }
  await space.gone(deleted, buildClusterWaitOptions(run));
  await deleteSourceSnapshotContents(cluster, run, { namespace: space.namespace, adoptionId });
}

/** Deletes the VolumeSnapshotContents, which are in no namespace and would remain after the namespace is deleted. */
export async function deleteSourceSnapshotContents(
  cluster: Cluster,
  run: JobRun,
  { namespace, adoptionId }: { readonly namespace: string; readonly adoptionId: string },
): Promise<void> {
  const refs = DISK_NAMES.map((disk) => ({
    ...SNAPSHOT_CONTENT,
    name: buildSourceContentName(namespace, buildSourceSnapshotName(disk, adoptionId)),
  }));
  await waitUntil(run, async () => {
    const remaining = (await Promise.all(refs.map((ref) => cluster.find(ref, run)))).filter((content) =>
      content !== null
    );
    for (const content of remaining) {
      if (!content.metadata.deletionTimestamp) {
        await cluster.deleteGlobal(toObjectRef(content), content.metadata.uid!, run);
      }
    }
    return remaining.length > 0
      ? `Waiting for the deletion of ${remaining.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(", ")}`
      : null;
  });
}

function requireOrigin({ inputs: { origin } }: VolumeContext): SiteOrigin {
  if (!origin) throw new TypeError("The blueprint inputs lack an origin: the snapshots to use");
  return origin;
}

/** Throws if the snapshots are in another cluster, because their storage handles are valid only there. */
async function requireSnapshotCluster({ cluster }: VolumeContext, run: JobRun, from: SiteSnapshots): Promise<void> {
  const isSame = from.clusterUid === null
    ? cluster.name === from.cluster
    : from.clusterUid === await cluster.identity(run);
  if (isSame) return;
  throw new Refusal(
    "another_cluster",
    `The snapshots are in the cluster ${from.cluster}, but this site is in another cluster`,
    "Choose the region of the snapshots' cluster, or a backup from the site's cluster.",
  );
}

function requireSource({ metadata: { name }, spec }: KubeObject, source: string): void {
  if (spec?.dataSource?.name === source) return;
  throw new Refusal(
    "ClaimTaken",
    `PersistentVolumeClaim ${name} already exists and was not created from the snapshot`,
    "The PersistentVolumeClaim may contain data. If nobody needs this data, delete the claim, then retry.",
  );
}

/** Returns a VolumeSnapshotClass for each snapshot. */
async function chooseSnapshotClasses(
  { cluster }: VolumeContext,
  run: JobRun,
  { volumes }: SiteSnapshots,
): Promise<Readonly<Record<DiskName, string>>> {
  const classes = await readRetainingSnapshotClasses(cluster, run);
  return {
    files: chooseSnapshotClass(classes, volumes.files),
    database: chooseSnapshotClass(classes, volumes.database),
  };
}
