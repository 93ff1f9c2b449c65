/**
 * Names the kinds of objects that store a site's data. Recognizes VolumeSnapshotContents and PersistentVolumes that
 * remain after their namespace was deleted: they are in no namespace, but contain the name of the namespace that used
 * them.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { isReleaseNamespaceName } from "#lib/moodle/names.ts";

const API = "snapshot.storage.k8s.io/v1";
export const VOLUME_SNAPSHOT = { apiVersion: API, kind: "VolumeSnapshot" };
/** The cluster-scoped object that represents the data of a VolumeSnapshot in the storage. */
export const SNAPSHOT_CONTENT = { apiVersion: API, kind: "VolumeSnapshotContent" };

export const PERSISTENT_VOLUME = { apiVersion: "v1", kind: "PersistentVolume" };
export const PVC = { apiVersion: "v1", kind: "PersistentVolumeClaim" };

/** Returns whether the VolumeSnapshotContent belongs to this snapshot. Compares UIDs, because names can be reused. */
export function refersToSnapshot(content: KubeObject, { metadata }: Pick<KubeObject, "metadata">): boolean {
  const source = content["spec"]?.volumeSnapshotRef;
  return source?.uid === metadata.uid && source?.name === metadata.name && source?.namespace === metadata.namespace;
}

/**
 * Matches the names of a backup's or template's snapshots, such as `files-06fj2c4v7tq0w1x9n3m8k5r2dg`. The suffix is
 * the random part of the ID of the backup or template.
 */
const SNAPSHOT_NAME = /^(?:files|db|library)-([0-9a-z]{26})$/;
/** Matches the names of snapshots from which volumes are created, for example `origin-files-k5r2dg7w1x`. */
const SOURCE_NAME = /^origin-(?:files|database|library)-([0-9a-z]+)$/;

export interface OrphanedSnapshotContent {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly snapshot: string;
  /**
   * `cut`: the VolumeSnapshotContent of a snapshot of a volume. `source`: another one for the same data, from which a
   * new volume is created. `id` is the random part of the backup's or template's ID, or the suffix of the source.
   */
  readonly kind: "cut" | "source";
  readonly id: string;
}

/** Parses a VolumeSnapshotContent. Returns null if it was not created by this installation of Wheelwright. */
export function parseOrphanedContent(
  object: KubeObject,
  isOwn: (namespace: string) => boolean,
): OrphanedSnapshotContent | null {
  const { volumeSnapshotRef: snapshotRef, source } = object["spec"] ?? {};
  const namespace = String(snapshotRef?.namespace ?? ""), snapshot = String(snapshotRef?.name ?? "");
  if (!isOwn(namespace)) return null;
  const snapshotName = SNAPSHOT_NAME.exec(snapshot), sourceName = SOURCE_NAME.exec(snapshot);
  if (snapshotName && source?.volumeHandle !== undefined) {
    return { object, namespace, snapshot, kind: "cut", id: snapshotName[1]! };
  }
  if (!sourceName || source?.snapshotHandle === undefined || object.metadata.name !== `${namespace}-${snapshot}`) {
    return null;
  }
  return { object, namespace, snapshot, kind: "source", id: sourceName[1]! };
}

export interface OrphanedVolume {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly claim: string;
}

/** Parses a PersistentVolume that remained after its PVC was deleted. Returns null for any other volume. */
export function parseOrphanedVolume(object: KubeObject, isOwn: (namespace: string) => boolean): OrphanedVolume | null {
  const { claimRef, persistentVolumeReclaimPolicy: policy } = object["spec"] ?? {}, phase = object["status"]?.phase;
  const namespace = String(claimRef?.namespace ?? "");
  if (!isOwn(namespace) || policy === "Delete" || phase !== "Released" && phase !== "Failed") return null;
  return { object, namespace, claim: String(claimRef.name) };
}

/** Returns whether the namespace is one of this installation's sandboxes (temporary namespaces). */
export function isSandboxNamespace(namespace: string, release: string): boolean {
  return namespace.startsWith("sandbox-") && isReleaseNamespaceName(namespace, release);
}
