/**
 * Recognises what the storage keeps after a namespace is deleted: snapshot contents, and volumes whose class retains
 * them. They are cluster-scoped, so only the names that they refer to show the owner. Pure.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { belongsToRelease } from "#lib/moodle/names.ts";

/**
 * The name of a snapshot of a backup or template, with the random part of its ID: `files-06fj2c4v7tq0w1x9n3m8k5r2dg`.
 */
const CUT = /^(?:files|db)-([0-9a-z]{26})$/;
/**
 * The name of a snapshot from which volumes are created, with the suffix of the adoption: `origin-files-k5r2dg7w1x`.
 */
const SOURCE = /^origin-(?:files|database)-([0-9a-z]+)$/;

export interface RemainingContent {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly snapshot: string;
  /**
   * `cut`: the content of a snapshot that was taken of a volume. `source`: a second content for data that belongs to
   * another one; deleting it keeps the data. `id` is the random part of the ID of the backup, template or adoption.
   */
  readonly kind: "cut" | "source";
  readonly id: string;
}

/** Returns a snapshot content of this release; null if the content belongs to another release or to someone else. */
export function readContent(object: KubeObject, isOwn: (namespace: string) => boolean): RemainingContent | null {
  const { volumeSnapshotRef: of, source } = object["spec"] ?? {};
  const namespace = String(of?.namespace ?? ""), snapshot = String(of?.name ?? "");
  if (!isOwn(namespace)) return null;
  const cut = CUT.exec(snapshot), made = SOURCE.exec(snapshot);
  if (cut && source?.volumeHandle !== undefined) return { object, namespace, snapshot, kind: "cut", id: cut[1]! };
  if (!made || source?.snapshotHandle === undefined || object.metadata.name !== `${namespace}-${snapshot}`) return null;
  return { object, namespace, snapshot, kind: "source", id: made[1]! };
}

export interface ReleasedVolume {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly claim: string;
}

export const VOLUME = { apiVersion: "v1", kind: "PersistentVolume" };

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
