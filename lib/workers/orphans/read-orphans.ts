/**
 * Recognizes VolumeSnapshotContents and retained volumes that remain after their namespace was deleted. These objects
 * belong to the cluster, so the namespace name that they contain shows their owner.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { belongsToRelease } from "#lib/moodle/names.ts";

/**
 * Matches names of snapshots of a backup or template, such as `files-06fj2c4v7tq0w1x9n3m8k5r2dg`. The suffix is the
 * random part of the ID of the backup or template.
 */
const SNAPSHOT_NAME = /^(?:files|db)-([0-9a-z]{26})$/;
/** Matches names of snapshots from which new volumes are created, for example `origin-files-k5r2dg7w1x`. */
const SOURCE_NAME = /^origin-(?:files|database)-([0-9a-z]+)$/;

export interface OrphanedSnapshotContent {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly snapshot: string;
  /**
   * `cut`: the content of a snapshot that was taken from a volume. `source`: a second content object for data of
   * another content. `id` is the random part of the ID of the backup or template, or the suffix of the source.
   */
  readonly kind: "cut" | "source";
  readonly id: string;
}

/** Reads a VolumeSnapshotContent. Returns null if the content does not belong to this installation. */
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

export const PERSISTENT_VOLUME = { apiVersion: "v1", kind: "PersistentVolume" };

/** Reads a retained PersistentVolume of this installation that no PVC uses. Returns null for any other volume. */
export function parseOrphanedVolume(object: KubeObject, isOwn: (namespace: string) => boolean): OrphanedVolume | null {
  const { claimRef, persistentVolumeReclaimPolicy: policy } = object["spec"] ?? {}, phase = object["status"]?.phase;
  const namespace = String(claimRef?.namespace ?? "");
  if (!isOwn(namespace) || policy === "Delete" || phase !== "Released" && phase !== "Failed") return null;
  return { object, namespace, claim: String(claimRef.name) };
}

/** Returns whether the namespace is a sandbox (for restore tests) of this installation. */
export function isSandboxNamespace(namespace: string, release: string): boolean {
  return namespace.startsWith("sandbox-") && belongsToRelease(namespace, release);
}
