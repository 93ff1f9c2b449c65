/** Reads the details of a backup's snapshots from its database row. */
import { Refusal } from "#lib/base/refusals.ts";
import type { Backup } from "#lib/domains/backups/store.ts";
import { DATABASE_STATEFULSET_REF } from "#lib/moodle/names.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { SiteSnapshots } from "#lib/recovery/volumes/pvcs.ts";
import type { StorageSnapshot } from "#lib/recovery/volumes/snapshot-source.ts";

/** Returns the two snapshots described by a backup's row. Throws a Refusal if one is not described. */
export function readBackupSnapshots(
  { id, cluster, volumes }: Pick<Backup, "id" | "cluster" | "volumes">,
  { clusterUid }: Pick<SpokeRow, "clusterUid">,
): SiteSnapshots {
  const find = (isDatabase: boolean): StorageSnapshot => {
    const volume = volumes.find(({ claim }) => claim.endsWith(`-${DATABASE_STATEFULSET_REF.name}-0`) === isDatabase);
    if (volume?.handle !== undefined && volume.driver !== undefined) {
      return {
        handle: volume.handle,
        driver: volume.driver,
        class: volume.class ?? "",
        restoreSize: volume.restoreSize ?? null,
      };
    }
    const message = `Backup ${id} is incomplete: it has no snapshot of the ${isDatabase ? "database" : "files"}`;
    throw new Refusal("Incomplete", message, "Choose another backup.");
  };
  return { cluster, clusterUid, volumes: { files: find(false), database: find(true) } };
}
