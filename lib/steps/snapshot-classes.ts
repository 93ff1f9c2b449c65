/** Reads the VolumeSnapshotClasses that Wheelwright can use for backups in a cluster. */
import type { SnapshotClass } from "#lib/domains/backups/snapshot-classes.ts";
import type { Cluster, ClusterCall } from "#lib/drivers/cluster/cluster.ts";
import { VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";

const CLASS = { apiVersion: VOLUME_SNAPSHOT.apiVersion, kind: "VolumeSnapshotClass" };

/** Returns the cluster's VolumeSnapshotClasses whose deletionPolicy is `Retain`. */
export async function readRetainingSnapshotClasses(
  cluster: Pick<Cluster, "serves" | "listAll">,
  call: ClusterCall,
): Promise<SnapshotClass[]> {
  if (!await cluster.serves(CLASS, call)) return [];
  const classes = await cluster.listAll(CLASS, "", call);
  return classes.filter(({ deletionPolicy }) => deletionPolicy === "Retain")
    .map(({ metadata, driver }) => ({ name: metadata.name, driver: String(driver) }));
}
