/**
 * Creates the two objects through which a volume is created from a snapshot in the storage: a VolumeSnapshotContent with
 * the storage driver's handle, and a VolumeSnapshot that is bound to it.
 */
import { Refusal } from "#lib/base/refusals.ts";
import type { SnapshotClass } from "#lib/domains/backups/snapshot-classes.ts";
import type { Cluster, ClusterNamespace } from "#lib/drivers/cluster/cluster.ts";
import { buildOwnerLabels } from "#lib/moodle/owner-labels.ts";
import { SNAPSHOT_CONTENT, VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";

/** The values with which a storage driver finds a snapshot, and the size of its volume. */
export interface StorageSnapshot {
  readonly handle: string;
  readonly driver: string;
  readonly class: string;
  /** The minimum size of a volume created from this snapshot, in bytes; null if the driver does not report it. */
  readonly restoreSize: number | null;
}

interface SnapshotSource {
  /** The name of the VolumeSnapshot. */
  readonly name: string;
  /** The owner, from which both objects get their labels. */
  readonly owner: Parameters<typeof buildOwnerLabels>[0];
  readonly snapshot: Pick<StorageSnapshot, "handle" | "driver" | "class">;
}

export async function createSnapshotSource(
  { cluster, space }: { readonly cluster: Cluster; readonly space: ClusterNamespace },
  run: JobRun,
  { name, owner, snapshot: { handle, driver, class: volumeSnapshotClassName } }: SnapshotSource,
): Promise<void> {
  const labels = buildOwnerLabels(owner), { namespace } = space, content = buildSourceContentName(namespace, name);
  await cluster.createGlobal({
    ...SNAPSHOT_CONTENT,
    metadata: { name: content, labels },
    spec: {
      deletionPolicy: "Retain",
      driver,
      source: { snapshotHandle: handle },
      sourceVolumeMode: "Filesystem",
      volumeSnapshotClassName,
      volumeSnapshotRef: { ...VOLUME_SNAPSHOT, namespace, name },
    },
  }, run);
  const spec = { volumeSnapshotClassName, source: { volumeSnapshotContentName: content } };
  await space.create({ ...VOLUME_SNAPSHOT, metadata: { name, labels }, spec }, run);
}

export function buildSourceContentName(namespace: string, name: string): string {
  return `${namespace}-${name}`;
}

/**
 * Returns the snapshot's original VolumeSnapshotClass or, if missing, one for the same driver. Throws a Refusal
 * (`NoSnapshotClass`).
 */
export function chooseSnapshotClass(
  classes: readonly SnapshotClass[],
  { driver, class: className }: Pick<StorageSnapshot, "driver" | "class">,
): string {
  const candidates = classes.filter((each) => each.driver === driver);
  const choice = candidates.find(({ name }) => name === className) ?? candidates[0];
  if (choice) return choice.name;
  throw new Refusal(
    "NoSnapshotClass",
    `Cannot create volumes: the cluster has no VolumeSnapshotClass for ${driver} with deletionPolicy: Retain`,
    "Create this snapshot class, then retry. If the cluster no longer has this driver, the snapshots cannot be used.",
  );
}
