/**
 * What a template is kept as: contents of snapshots that outlive the namespace that they were cut in. Nothing else of ours
 * deletes them, and this only those that still are what the template's row remembers.
 */
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import { type Cluster, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { CONTENT, retainNoMore } from "#lib/workers/backups/expired.ts";
import { lookUntil } from "#lib/workers/site.ts";

/** Each goes with what it is of in the storage. Throws a passing ClusterError while one is still there. */
export async function deleteContents(cluster: Cluster, run: Run, volumes: readonly BackupVolume[]): Promise<void> {
  const late = await lookUntil(run, async () => {
    const left: string[] = [];
    for (const volume of volumes) {
      const content = await findContent(cluster, run, volume);
      if (!content) continue;
      left.push(content.metadata.name);
      if (content.metadata.deletionTimestamp) continue;
      await retainNoMore(cluster, run, content);
      await cluster.deleteGlobal({ ...CONTENT, name: content.metadata.name }, content.metadata.uid!, run);
    }
    return left.length > 0
      ? `Not deleted yet: ${left.map((name) => `VolumeSnapshotContent ${name}`).join(", ")}`
      : null;
  });
  if (late !== null) throw new ClusterError("deadline", late, { transient: true });
}

/** Null where it is gone, or is another one: a name may be taken again, a snapshot's uid never. */
async function findContent(cluster: Cluster, run: Run, volume: BackupVolume): Promise<KubeObject | null> {
  const { content: name, snapshotUid } = volume;
  if (name === undefined || snapshotUid === undefined) return null;
  const content = await cluster.find({ ...CONTENT, name }, run);
  return content?.["spec"]?.volumeSnapshotRef?.uid === snapshotUid ? content : null;
}
