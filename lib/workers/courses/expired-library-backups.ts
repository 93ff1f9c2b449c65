/** Deletes expired backups of hubs' libraries, with the data in the storage. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { MINUTE } from "#lib/base/time.ts";
import { REMOVED_LIBRARY_DAYS, selectExpiredLibraryBackups } from "#lib/domains/courses/library-retention.ts";
import {
  type LibraryBackup,
  listLibraryBackups,
  markLibraryBackupDeleted,
  startLibraryBackupDeletion,
} from "#lib/domains/courses/library-store.ts";
import { type Cluster, ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { listPackages } from "#lib/moodle/library-jobs.ts";
import { VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { buildClusterWaitOptions, type HubSite } from "#lib/steps/site.ts";
import { setSnapshotDeletePolicy } from "#lib/workers/backups/delete-expired.ts";
import { deleteTemplateContents } from "#lib/workers/templates/delete-contents.ts";

/** How long to wait for the deletion of one snapshot, in milliseconds. A later run checks the result. */
const DELETE_TIMEOUT = 2 * MINUTE;

/** Deletes the expired backups of a hub's library. */
export async function deleteExpiredLibraryBackups(
  { app, cluster, hub: { id, courses } }: HubSite,
  run: JobRun,
): Promise<void> {
  const named = listPackages(courses).map(({ sha256 }) => sha256), now = await app.db.now();
  const expired = selectExpiredLibraryBackups(await listLibraryBackups(app.db.rows, id), named, now);
  await deleteLibraryBackups(app, run, cluster, expired);
}

/** Deletes the backups. Logs an error of the cluster; a later run tries again. */
async function deleteLibraryBackups(
  { db }: Pick<App, "db">,
  run: JobRun,
  cluster: Cluster,
  backups: readonly LibraryBackup[],
): Promise<void> {
  for (const backup of backups) {
    if (!await run.write((tx) => startLibraryBackupDeletion(tx, backup))) continue;
    try {
      const hub = await db.rows.selectFrom("federations").select(["namespace", "namespaceUid"])
        .where("id", "=", backup.federationId).executeTakeFirstOrThrow();
      await deleteSnapshot(cluster, run, backup, hub.namespace === backup.namespace ? hub.namespaceUid : null);
      await run.write((tx) => markLibraryBackupDeleted(tx, backup.id));
    } catch (error) {
      run.signal.throwIfAborted();
      if (!(error instanceof ClusterError)) throw error;
      run.log.warn("Cannot delete an expired backup of a library; trying again later", { backup: backup.id, error });
    }
  }
}

/** Deletes the VolumeSnapshot, if its namespace still exists, and the stored data. */
async function deleteSnapshot(
  cluster: Cluster,
  run: JobRun,
  { namespace, volumes, id }: LibraryBackup,
  namespaceUid: string | null,
): Promise<void> {
  const found = namespaceUid === null ? null : await cluster.findNamespace(namespace, run);
  if (found && found.metadata.uid === namespaceUid) {
    const space = cluster.space(namespace, namespaceUid!);
    for (const { snapshot: name, snapshotUid } of volumes) {
      const ref = { ...VOLUME_SNAPSHOT, name }, snapshot = await space.get(ref, run);
      if (!snapshot || snapshotUid !== undefined && snapshot.metadata.uid !== snapshotUid) continue;
      await setSnapshotDeletePolicy(cluster, run, snapshot);
      await space.delete(ref, snapshot.metadata.uid!, run);
      await space.gone([ref], buildClusterWaitOptions(run, DELETE_TIMEOUT));
    }
  }
  await deleteTemplateContents(cluster, run, volumes); // those whose VolumeSnapshot was deleted with the namespace
  run.log.info("Deleted an expired backup of a library", { backup: id, cluster: cluster.name });
}

/** Deletes the backups of removed hubs' libraries: all but the newest immediately, and the newest after some days. */
export async function deleteBackupsOfRemovedHubs(app: App, run: JobRun): Promise<void> {
  const { rows: hubs } = await sql<{ id: string; cluster: string; isOld: boolean }>`
    select id, cluster, removed_at < wheelwright_now() - ${REMOVED_LIBRARY_DAYS} * interval '1 day' as is_old
    from federations where state = 'removed' and exists (
      select from library_backups where federation_id = federations.id and library_backups.state <> 'deleted'
    )`.execute(app.db.rows);
  for (const { id, isOld } of hubs) {
    const [newest, ...older] = (await listLibraryBackups(app.db.rows, id)).filter(({ state }) => state !== "pending");
    for (const backup of [...isOld && newest ? [newest] : [], ...older]) {
      try {
        await deleteLibraryBackups(app, run, await app.clusters.open(backup.cluster), [backup]);
      } catch (error) {
        run.signal.throwIfAborted();
        if (!(error instanceof ClusterError)) throw error;
        run.log.warn("Cannot delete the backup of a removed hub's library", { backup: backup.id, error });
      }
    }
  }
}
