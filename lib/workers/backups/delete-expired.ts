/**
 * Deletes expired backups. A good backup is deleted only if a newer good backup exists and no operation needs the old
 * one. Backups of a spoke that is being removed are kept.
 * By default, the stored data outlives its VolumeSnapshot, because the deletionPolicy is `Retain`. This module first
 * changes the policy to `Delete`, then deletes the VolumeSnapshot by its UID and waits until it is gone.
 */
import { canDeleteBackup, selectExpiredBackups } from "#lib/domains/backups/retention.ts";
import { listBackupsInUse } from "#lib/domains/backups/restore-test-store.ts";
import { type Backup, listBackups, markBackupRemovalStarted, markBackupRemoved } from "#lib/domains/backups/store.ts";
import { BACKUP_ID_LABEL } from "#lib/moodle/names.ts";
import { refersToSnapshot, SNAPSHOT_CONTENT, VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";
import {
  addErrorDetails,
  type Cluster,
  ClusterError,
  type KubeObject,
  type ObjectRef,
} from "#lib/drivers/cluster/cluster.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { lockSpoke } from "#lib/domains/spokes/store.ts";
import { retentionOf } from "#lib/moodle/tier-inputs.ts";
import { DAY, MINUTE } from "#lib/base/time.ts";
import { addNotes, buildClusterWaitOptions, type SpokeSite, tryInCluster } from "#lib/steps/site.ts";

/**
 * How long to wait for the deletion of one backup, in milliseconds. If the storage takes longer, the
 * deletion continues in the background, and the next nightly backup checks the result.
 */
const DELETE_TIMEOUT = 2 * MINUTE;
const MAX_ATTEMPTS = 3;
/**
 * The error code for a deletion that takes longer than `DELETE_TIMEOUT`. A timeout of a single API call has a different
 * code and is transient.
 */
const SLOW = "slow_storage";

/**
 * Deletes the spoke's expired backups. With the scope `expired and failed`, also deletes failed backups from the last
 * day, to free quota.
 */
export async function deleteExpiredBackups(
  site: SpokeSite,
  run: JobRun,
  scope: "expired" | "expired and failed",
): Promise<void> {
  const ids = await run.write(async (tx) => {
    const now = await readClock(tx, run), inUse = await listBackupsInUse(tx, site.spoke.id);
    const expired = selectExpiredBackups(
      await listBackups(tx, site.spoke.id),
      scope === "expired" ? now : new Date(now.getTime() + DAY),
      retentionOf(site.inputs),
    );
    return expired.filter((id) => !inUse.has(id));
  });
  for (const id of ids) {
    const backup = await run.write((tx) => startDeletion(tx, site.spoke.id, id));
    if (!backup) continue;
    try {
      await deleteBackup(site, run, backup);
    } catch (error) {
      // Continues after a permanent error, which does not harm the new backup. The next run tries the deletion again.
      const isTransient = error instanceof ClusterError && error.transient && error.code !== SLOW;
      if (!(error instanceof ClusterError) || isTransient && run.job.attempt < MAX_ATTEMPTS) throw error;
      run.log.warn("Cannot delete an expired backup", { backup: id, error });
      await addNotes(run, [`An expired backup could not be deleted: ${error.message}`]);
      if (error.code === SLOW) return; // the next deletion would be slow too
    }
  }
}

/**
 * Marks a backup as being removed, so that no restore uses it, and returns the row of the backup. Returns null if the
 * backup must not be deleted.
 */
async function startDeletion(tx: Tx, spokeId: string, id: string): Promise<Backup | null> {
  const { state } = await lockSpoke(tx, spokeId);
  if (state === "removing" || state === "removed") return null;
  const rows = await listBackups(tx, spokeId);
  if (!canDeleteBackup(rows, id) || (await listBackupsInUse(tx, spokeId)).has(id)) return null;
  await markBackupRemovalStarted(tx, id);
  return rows.find((row) => row.id === id)!;
}

async function deleteBackup(site: SpokeSite, run: JobRun, backup: Backup): Promise<void> {
  await deleteBackupSnapshots(site, run, backup);
  await run.write((tx) => markBackupRemoved(tx, backup.id));
}

/** Deletes a backup's VolumeSnapshots and VolumeSnapshotContents, and waits until the VolumeSnapshots are gone. */
export async function deleteBackupSnapshots(site: SpokeSite, run: JobRun, backup: Backup): Promise<void> {
  const { space } = site, refs: ObjectRef[] = [];
  for (const { snapshot: name, snapshotUid, content } of backup.volumes) {
    const ref = { ...VOLUME_SNAPSHOT, name };
    const snapshot = await space.get(ref, run);
    if (!snapshot) {
      if (content !== undefined) await noteOrphan(site.cluster, run, content, snapshotUid);
      continue;
    }
    if (!isSnapshotOfBackup(snapshot, backup, snapshotUid)) {
      await addNotes(run, [`The VolumeSnapshot ${name} was kept, because this backup did not create it`]);
      continue;
    }
    await setSnapshotDeletePolicy(site.cluster, run, snapshot);
    await space.delete(ref, snapshot.metadata.uid!, run);
    refs.push(ref);
  }
  await space.gone(refs, buildClusterWaitOptions(run, DELETE_TIMEOUT)).catch((error) => {
    const late = error instanceof ClusterError && error.code === "deadline";
    throw late ? addErrorDetails(error, { code: SLOW }) : error;
  });
}

function isSnapshotOfBackup({ metadata }: KubeObject, backup: Backup, uid: string | undefined): boolean {
  if (uid !== undefined) return metadata.uid === uid;
  return metadata.labels?.[BACKUP_ID_LABEL] === backup.id; // a failed attempt did not record the snapshot's UID
}

/** Changes a snapshot's deletion policy, so that the stored data is deleted together with the VolumeSnapshot. */
export async function setSnapshotDeletePolicy(cluster: Cluster, run: JobRun, snapshot: KubeObject): Promise<void> {
  const content = await findSnapshotContent(cluster, run, snapshot);
  if (content) await setSnapshotContentDeletePolicy(cluster, run, content);
}

/**
 * Returns the VolumeSnapshotContent of a VolumeSnapshot, or null if it does not exist. If the snapshot's status does
 * not name it yet, uses the name that external-snapshotter generates (GetDynamicSnapshotContentNameForSnapshot).
 */
export async function findSnapshotContent(
  cluster: Cluster,
  run: JobRun,
  snapshot: KubeObject,
): Promise<KubeObject | null> {
  const name: string = snapshot["status"]?.boundVolumeSnapshotContentName ?? `snapcontent-${snapshot.metadata.uid}`;
  const content = await cluster.find({ ...SNAPSHOT_CONTENT, name }, run);
  return content && refersToSnapshot(content, snapshot) ? content : null;
}

/**
 * Returns a note that lists the VolumeSnapshotContents of the failed last backup of a spoke that is being removed.
 * These objects remain in the cluster after the spoke's namespace is deleted.
 */
export async function describeRetainedContents(
  { app, cluster, space, spoke }: SpokeSite,
  run: JobRun,
): Promise<string[]> {
  const backup = (await listBackups(app.db.rows, spoke.id)).find(({ operationId }) => operationId === run.job.id);
  const names: string[] = [];
  await tryInCluster(
    run,
    async () => {
      for (const { snapshot: name } of backup?.volumes ?? []) {
        const snapshot = await space.get({ ...VOLUME_SNAPSHOT, name }, run);
        const content = snapshot && await findSnapshotContent(cluster, run, snapshot);
        if (content) names.push(content.metadata.name);
      }
    },
    "info",
    "Cannot find the stored snapshots of a failed last backup",
  ); // reconcile finds them by name
  return names.length === 0 ? [] : [`Kept in the cluster: VolumeSnapshotContent ${names.join(", ")}`];
}

/**
 * Sets a VolumeSnapshotContent's deletion policy to `Delete`. The patch fails if the content now belongs to another
 * snapshot.
 */
export async function setSnapshotContentDeletePolicy(
  cluster: Cluster,
  run: JobRun,
  content: KubeObject,
): Promise<void> {
  const { deletionPolicy, volumeSnapshotRef } = content["spec"];
  if (deletionPolicy === "Delete") return;
  await cluster.patchGlobal({ ...SNAPSHOT_CONTENT, name: content.metadata.name }, [
    { op: "test", path: "/spec/volumeSnapshotRef/uid", value: volumeSnapshotRef.uid },
    { op: "replace", path: "/spec/deletionPolicy", value: "Delete" },
  ], run);
}

/** Adds a note to the operation if a backup's VolumeSnapshot is gone but its VolumeSnapshotContent still exists. */
async function noteOrphan(cluster: Cluster, run: JobRun, name: string, uid: string | undefined): Promise<void> {
  const content = await cluster.find({ ...SNAPSHOT_CONTENT, name }, run);
  if (!content || content["spec"]?.volumeSnapshotRef?.uid !== uid) return;
  await addNotes(run, [`VolumeSnapshotContent ${name} was kept: another program or a user deleted its snapshot`]);
}

/** Returns the current time from the database, whose clock tests can shift. */
async function readClock(tx: Tx, { job }: JobRun): Promise<Date> {
  const row = await tx.selectFrom("jobs").select("updatedAt").where("id", "=", job.id).executeTakeFirstOrThrow();
  return row.updatedAt; // saveProgress has just set this time
}
