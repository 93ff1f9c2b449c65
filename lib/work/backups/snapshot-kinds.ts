/** The objects of the snapshot controller, and how a snapshot and its content know each other. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";

const API = "snapshot.storage.k8s.io/v1";
export const SNAPSHOT = { apiVersion: API, kind: "VolumeSnapshot" };
/** What a snapshot was cut into. It belongs to no namespace. */
export const CONTENT = { apiVersion: API, kind: "VolumeSnapshotContent" };

/** Whether the content is of exactly this snapshot: a name may be taken again, a uid never. */
export function refersTo(content: KubeObject, { metadata }: KubeObject): boolean {
  const of = content["spec"]?.volumeSnapshotRef;
  return of?.uid === metadata.uid && of?.name === metadata.name && of?.namespace === metadata.namespace;
}
