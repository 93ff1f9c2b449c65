/**
 * Deletes VolumeSnapshotContents and volumes that remain after a sandbox (temporary namespace) was deleted. They are
 * identified by the release ID in the name of their namespace.
 * Data of spokes is never deleted here, because it may be the last copy: see `wheelwright doctor --reconcile`.
 */
import type { App } from "#lib/app.ts";
import { isNeededSandbox, readNeededSandboxes } from "#lib/domains/templates/store.ts";
import { type Cluster, ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { setSnapshotContentDeletePolicy } from "#lib/workers/backups/delete-expired.ts";
import { deleteBackupsOfRemovedHubs } from "#lib/workers/courses/expired-library-backups.ts";
import {
  isSandboxNamespace,
  type OrphanedSnapshotContent,
  parseOrphanedContent,
  parseOrphanedVolume,
  PERSISTENT_VOLUME,
  SNAPSHOT_CONTENT,
} from "#lib/moodle/storage-objects.ts";
import { upkeepHandler } from "#lib/steps/upkeep.ts";

/** The time limit per cluster, in milliseconds, so that an unresponsive cluster does not delay the others. */
const CLUSTER_TIMEOUT = 10 * MINUTE;

export function deleteOrphanedStorage(app: App): JobHandler {
  return upkeepHandler({ kind: "delete-orphans", plan: 2, every: HOUR }, {
    sandboxes: ["Removing the storage of deleted sandboxes", HOUR, async (run) => {
      await Promise.all((await clusterNames(app)).map((name) => removeFromCluster(app, run, name)));
    }],
    libraries: ["Removing the backups of removed hubs' libraries", HOUR, (run) => deleteBackupsOfRemovedHubs(app, run)],
  });
}

async function clusterNames({ db, catalog, clusters }: App): Promise<string[]> {
  const rows = await db.rows.selectFrom("federations").select("cluster").distinct().where("state", "<>", "removed")
    .execute();
  const regionClusters = [null, ...catalog.regions.map(({ name }) => name)].map((region) =>
    clusters.clusterFor(region)
  );
  return [...new Set([...regionClusters, ...rows.map(({ cluster }) => cluster)])];
}

/** Deletes the orphaned storage objects in one cluster. Logs cluster errors; the next hourly run tries again. */
async function removeFromCluster(app: App, run: JobRun, name: string): Promise<void> {
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(CLUSTER_TIMEOUT)]), bounded = { ...run, signal };
  try {
    await removeAll(app, bounded, await app.clusters.open(name));
  } catch (error) {
    run.signal.throwIfAborted();
    run.throwIfStopped();
    if (!(error instanceof ClusterError) && !signal.aborted) throw error;
    run.log.warn("Cannot remove the storage of deleted sandboxes; trying again in an hour", {
      cluster: name,
      error,
    });
  }
}

async function removeAll({ config, db }: App, run: JobRun, cluster: Cluster): Promise<void> {
  const isSandbox = (namespace: string): boolean => isSandboxNamespace(namespace, config.releaseId);
  const contents = (await listAll(cluster, run, SNAPSHOT_CONTENT)).flatMap((each) =>
    parseOrphanedContent(each, isSandbox) ?? []
  );
  const volumes = (await listAll(cluster, run, PERSISTENT_VOLUME)).flatMap((each) =>
    parseOrphanedVolume(each, isSandbox) ?? []
  );
  if (contents.length + volumes.length === 0) return;
  const needed = await readNeededSandboxes(db.rows), namespaces = new Map<string, boolean>();
  const isDeleted = async (namespace: string): Promise<boolean> => {
    if (isNeededSandbox(needed, namespace)) return false;
    if (!namespaces.has(namespace)) {
      namespaces.set(namespace, await cluster.findNamespace(namespace, run) !== null);
    }
    return !namespaces.get(namespace);
  };
  for (const content of contents) {
    if (needed.contents.has(content.object.metadata.name) || !await isDeleted(content.namespace)) continue;
    await removeContent(cluster, run, content);
  }
  for (const { object, namespace } of volumes) {
    if (await isDeleted(namespace)) await removeVolume(cluster, run, object);
  }
}

/** Lists all objects of a kind. Returns an empty list if the cluster does not have the kind or denies access. */
async function listAll(cluster: Cluster, run: JobRun, kind: typeof SNAPSHOT_CONTENT): Promise<KubeObject[]> {
  return await cluster.listAll(kind, "", run).catch((error) => {
    if (error instanceof ClusterError && [403, 404].includes(error.status)) return [];
    throw error;
  });
}

/** Deletes a VolumeSnapshotContent. Also deletes its data, unless the data belongs to another one (kind `source`). */
async function removeContent(cluster: Cluster, run: JobRun, { object, kind }: OrphanedSnapshotContent): Promise<void> {
  const { name, uid, deletionTimestamp } = object.metadata;
  if (deletionTimestamp) return;
  if (kind === "source" && object["spec"].deletionPolicy !== "Retain") return;
  if (kind === "cut") await setSnapshotContentDeletePolicy(cluster, run, object);
  await cluster.deleteGlobal({ ...SNAPSHOT_CONTENT, name }, uid!, run);
  run.log.info("Deleted a VolumeSnapshotContent of a deleted sandbox", { cluster: cluster.name, content: name, kind });
}

/** Sets an unused volume's reclaim policy to `Delete`, so that the storage driver deletes the volume and its data. */
async function removeVolume(cluster: Cluster, run: JobRun, object: KubeObject): Promise<void> {
  await cluster.patchGlobal({ ...PERSISTENT_VOLUME, name: object.metadata.name }, [
    { op: "test", path: "/spec/claimRef/uid", value: object["spec"].claimRef.uid },
    { op: "replace", path: "/spec/persistentVolumeReclaimPolicy", value: "Delete" },
  ], run);
  run.log.info("Deleted an orphaned volume of a deleted sandbox", {
    cluster: cluster.name,
    volume: object.metadata.name,
  });
}
