/**
 * Deletes a template's VolumeSnapshotContents, which still exist after their namespace was deleted. Deletes only
 * contents that the template's database row lists.
 */
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import { type Cluster, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { SNAPSHOT_CONTENT } from "#lib/moodle/storage-objects.ts";
import { setSnapshotContentDeletePolicy } from "#lib/workers/backups/delete-expired.ts";
import { pollUntil } from "#lib/steps/site.ts";

/** Deletes the VolumeSnapshotContents and their data. Throws a transient ClusterError if one of them still exists. */
export async function deleteTemplateContents(
  cluster: Cluster,
  run: JobRun,
  volumes: readonly BackupVolume[],
): Promise<void> {
  const timeoutReason = await pollUntil(run, async () => {
    const remaining: string[] = [];
    for (const volume of volumes) {
      const content = await findContent(cluster, run, volume);
      if (!content) continue;
      remaining.push(content.metadata.name);
      if (content.metadata.deletionTimestamp) continue;
      await setSnapshotContentDeletePolicy(cluster, run, content);
      await cluster.deleteGlobal({ ...SNAPSHOT_CONTENT, name: content.metadata.name }, content.metadata.uid!, run);
    }
    return remaining.length > 0
      ? `Waiting for the deletion of ${remaining.map((name) => `VolumeSnapshotContent ${name}`).join(", ")}`
      : null;
  });
  if (timeoutReason !== null) throw new ClusterError("deadline", timeoutReason, { transient: true });
}

/**
 * Returns the VolumeSnapshotContent of one of the template's volumes; null if it was deleted or replaced. Compares the
 * UID of the snapshot, because names can be reused.
 */
async function findContent(cluster: Cluster, run: JobRun, volume: BackupVolume): Promise<KubeObject | null> {
  const { content: name, snapshotUid } = volume;
  if (name === undefined || snapshotUid === undefined) return null;
  const content = await cluster.find({ ...SNAPSHOT_CONTENT, name }, run);
  return content?.["spec"]?.volumeSnapshotRef?.uid === snapshotUid ? content : null;
}
