/** Reads the snapshots of a backup from its row. */
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { Backup } from "#lib/domains/backups/store.ts";
import { DATABASE } from "#lib/moodle/names.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { Snapshots, SnapshotVolume } from "#lib/workers/volumes/pvcs.ts";

/**
 * Returns the snapshots of a backup. `spoke` is the backup's spoke. Throws a final ClusterError if a volume is missing
 * in the row.
 */
export function readBackupSnapshots(
  { id, cluster, volumes }: Pick<Backup, "id" | "cluster" | "volumes">,
  { clusterUid }: Pick<SpokeRow, "clusterUid">,
): Snapshots {
  const find = (isDatabase: boolean): SnapshotVolume => {
    const found = volumes.find(({ claim }) => claim.endsWith(`-${DATABASE.name}-0`) === isDatabase);
    if (found?.handle !== undefined && found.driver !== undefined) {
      return {
        handle: found.handle,
        driver: found.driver,
        class: found.class ?? "",
        restoreSize: found.restoreSize ?? null,
      };
    }
    const message = `The backup ${id} is not whole: nothing is known of its ${isDatabase ? "database" : "files"}`;
    throw new ClusterError("Incomplete", message, { transient: false, blame: "operator" });
  };
  return { cluster, clusterUid, volumes: { files: find(false), database: find(true) } };
}
