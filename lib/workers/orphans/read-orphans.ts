/**
 * Recognizes storage objects of deleted namespaces: VolumeSnapshotContents, and volumes with the reclaim policy
 * `Retain`. The objects are cluster-scoped, so their owner follows from the namespace to which they refer. Pure.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { belongsToRelease } from "#lib/moodle/names.ts";

/**
 * The name of a snapshot of a backup or template, with the random part of its ID: `files-06fj2c4v7tq0w1x9n3m8k5r2dg`.
 */
const SNAPSHOT_NAME = /^(?:files|db)-([0-9a-z]{26})$/;
/**
 * The name of a snapshot from which volumes are created, with the suffix of the adoption: `origin-files-k5r2dg7w1x`.
 */
const SOURCE_NAME = /^origin-(?:files|database)-([0-9a-z]+)$/;

export interface RemainingContent {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly snapshot: string;
  /**
   * `cut`: the content of a snapshot of a volume. `source`: a second content for the data of another content, which
   * keeps the data when it is deleted. `id` is the random part of the ID of the backup, template or adoption.
   */
  readonly kind: "cut" | "source";
  readonly id: string;
}

/** Returns a snapshot content of this release; null if the content belongs to another release or to someone else. */
export function readSnapshotContent(
  object: KubeObject,
  isOwn: (namespace: string) => boolean,
): RemainingContent | null {
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

export interface ReleasedVolume {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly claim: string;
}

export const PERSISTENT_VOLUME = { apiVersion: "v1", kind: "PersistentVolume" };

/** Returns a retained volume of this release that no PVC uses; null for any other volume. */
export function readReleasedVolume(object: KubeObject, isOwn: (namespace: string) => boolean): ReleasedVolume | null {
  const { claimRef, persistentVolumeReclaimPolicy: policy } = object["spec"] ?? {}, phase = object["status"]?.phase;
  const namespace = String(claimRef?.namespace ?? "");
  if (!isOwn(namespace) || policy === "Delete" || phase !== "Released" && phase !== "Failed") return null;
  return { object, namespace, claim: String(claimRef.name) };
}

/** Returns whether the namespace is a sandbox of the release. A sandbox contains only copies of data. */
export function isSandboxOf(namespace: string, release: string): boolean {
  return namespace.startsWith("sandbox-") && belongsToRelease(namespace, release);
}
