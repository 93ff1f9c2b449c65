/**
 * Takes a backup: snapshots of a spoke's two volumes, described by a database row. When a namespace is deleted, its
 * VolumeSnapshots are deleted but the stored data remains. The row therefore contains what a restore needs to find the
 * data. The row is stored before the snapshots are created, so that a retry finds them.
 */
import { FEDERATION_LABEL, MANAGED_BY_LABEL, SPOKE_LABEL } from "#lib/drivers/cluster/guard.ts";
import { describeMissingSnapshotClass, selectSnapshotClass } from "#lib/domains/backups/snapshot-classes.ts";
import type { BackupKind } from "#lib/model/backup.ts";
import {
  type Backup,
  type BackupVolume,
  markBackupReady,
  saveBackupVolumes,
  saveSnapshotClasses,
  startBackup,
} from "#lib/domains/backups/store.ts";
import { BACKUP_ID_LABEL, getSitePvcNames } from "#lib/moodle/names.ts";
import { serializeBackupRecord, type SignedRecord, SITE_RECORD_KEY } from "#lib/moodle/site-record.ts";
import { readInstallation, signWithInstallationKey } from "#lib/installation/installation.ts";
import { ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { refersToSnapshot, SNAPSHOT_CONTENT, VOLUME_SNAPSHOT } from "#lib/moodle/storage-objects.ts";
import { deleteBackupSnapshots, deleteExpiredBackups } from "#lib/workers/backups/delete-expired.ts";
import { readRetainingSnapshotClasses } from "#lib/steps/snapshot-classes.ts";
import { buildClusterWaitOptions, type SpokeSite } from "#lib/steps/site.ts";

const PROVISIONER = "volume.kubernetes.io/storage-provisioner"; // set by Kubernetes

export interface BackupRequest {
  readonly kind: BackupKind;
  /** How long to wait until the snapshots are ready, in milliseconds. Defaults to the step's remaining time. */
  readonly timeout?: number;
}

/**
 * Takes a backup, and returns its row when both snapshots are ready and recorded. Calling this function again in the
 * same operation continues the same backup.
 * Throws the Refusal `NoSnapshotClass` if the cluster has no snapshot class that keeps the data, or a ClusterError:
 * `SnapshotFailed` (permanent) if the storage fails repeatedly, `deadline` (transient) on a timeout.
 */
export async function takeBackup(site: SpokeSite, run: JobRun, { kind, timeout }: BackupRequest): Promise<Backup> {
  const { spoke } = site;
  const row = await run.write((tx) => startBackup(tx, spoke, { operationId: run.job.id, kind }));
  if (row.state === "ready") return row;
  const backup = await hasAllSnapshots(site, run, row) ? row : await saveSnapshotNames(site, run, row);
  const labels = {
    [MANAGED_BY_LABEL]: "wheelwright",
    [FEDERATION_LABEL]: spoke.federationId,
    [SPOKE_LABEL]: spoke.id,
    [BACKUP_ID_LABEL]: backup.id,
  };
  const annotations = { [SITE_RECORD_KEY]: await signBackupRecord(site, backup) };
  const create = (snapshot: KubeObject) =>
    createWithinQuota(site, run, { ...snapshot, metadata: { ...snapshot.metadata, annotations } });
  const volumes = await createSnapshots(site, run, backup.volumes, { labels, create, ...(timeout && { timeout }) });
  return await run.write((tx) => markBackupReady(tx, backup.id, volumes));
}

/**
 * Returns whether an earlier attempt created both snapshots. If it created only one, deletes that one, because the
 * snapshots of the database and the files must be taken at the same time.
 */
async function hasAllSnapshots(site: SpokeSite, run: JobRun, backup: Backup): Promise<boolean> {
  const { volumes, kind } = backup;
  if (volumes.length === 0 || kind === "last") return false; // during a removal, the site's data no longer changes
  const snapshots = await Promise.all(
    volumes.map(({ snapshot: name }) => site.space.get({ ...VOLUME_SNAPSHOT, name }, run)),
  );
  if (snapshots.every((snapshot) => snapshot !== null)) return true;
  if (snapshots.some((snapshot) => snapshot !== null)) await deleteBackupSnapshots(site, run, backup);
  return false;
}

async function saveSnapshotNames(site: SpokeSite, run: JobRun, backup: Backup): Promise<Backup> {
  const planned = await planSnapshots(site, run, backup);
  return await run.write((tx) => saveBackupVolumes(tx, backup.id, planned, site.spoke));
}

/** Returns the backup's signed record. It is stored on the snapshots, in case the database row is lost. */
async function signBackupRecord({ app, spoke }: SpokeSite, backup: Backup): Promise<string> {
  const installation = await readInstallation(app.db.rows), text = serializeBackupRecord(backup);
  const signature = signWithInstallationKey(installation, spoke.namespaceUid!, text);
  return JSON.stringify({ text, installation: installation.id, signature } satisfies SignedRecord);
}

/** The cluster, the namespace and the blueprint inputs of a site or a hub whose volumes are backed up. */
interface SnapshotContext extends Pick<SpokeSite, "cluster" | "space"> {
  readonly inputs: Pick<SpokeSite["inputs"], "surroundings" | "claims">;
}

/**
 * Returns the manifests of the snapshots, with names derived from the backup's ID. The caller stores these names before
 * it creates the snapshots, so that each snapshot can be found later.
 */
export async function planSnapshots(
  context: SnapshotContext,
  run: JobRun,
  { id, kind }: Pick<Backup, "id" | "kind">,
): Promise<BackupVolume[]> {
  return (await readPvcs(context, run, kind)).map(({ short, claim: { metadata } }) => {
    const driver = metadata.annotations?.[PROVISIONER];
    const snapshot = `${short}-${id.slice(id.indexOf("_") + 1)}`;
    return { claim: metadata.name, snapshot, ...(driver !== undefined && { driver }) };
  });
}

interface SnapshotOptions {
  readonly labels: Readonly<Record<string, string>>;
  readonly create: (snapshot: KubeObject) => Promise<unknown>;
  readonly timeout?: number;
}

/** Creates snapshots whose data survives the deletion of the namespace. Returns their details when all are ready. */
export async function createSnapshots(
  context: SnapshotContext,
  run: JobRun,
  planned: readonly BackupVolume[],
  { labels, create, timeout }: SnapshotOptions,
): Promise<BackupVolume[]> {
  const { cluster, space, inputs } = context;
  // Reads the storage drivers from the PVCs. A PVC of a manually created volume does not name a driver.
  const requirements = {
    name: inputs.surroundings.snapshotClass,
    drivers: planned.flatMap(({ driver }) => driver ?? []),
  };
  const classes = await readRetainingSnapshotClasses(cluster, run);
  await run.write((tx) => saveSnapshotClasses(tx, cluster.name, classes));
  const className = selectSnapshotClass(classes, requirements);
  if (className === null) {
    throw new Refusal(
      "NoSnapshotClass",
      `Cannot take a backup: ${describeMissingSnapshotClass(requirements)}`,
      "Create a VolumeSnapshotClass with deletionPolicy: Retain for the storage driver of these volumes.",
    );
  }
  for (const { snapshot: name, claim: persistentVolumeClaimName } of planned) {
    const spec = { volumeSnapshotClassName: className, source: { persistentVolumeClaimName } };
    await create({ ...VOLUME_SNAPSHOT, metadata: { name, labels }, spec });
  }
  await space.ready(
    planned.map(({ snapshot: name }) => ({ ...VOLUME_SNAPSHOT, name })),
    buildClusterWaitOptions(run, timeout),
  );
  const volumes: BackupVolume[] = [];
  for (const volume of planned) volumes.push(await readSnapshotVolume(context, run, volume));
  return volumes;
}

/** Returns the site's PVCs. Throws if a PVC is missing; during a removal, throws only if both PVCs are missing. */
async function readPvcs(
  { space, inputs }: SnapshotContext,
  run: JobRun,
  kind: BackupKind,
): Promise<readonly { readonly short: string; readonly claim: KubeObject }[]> {
  const pvcs: { short: string; claim: KubeObject }[] = [];
  const names = getSitePvcNames(inputs);
  for (const [short, name] of [["files", names.files], ["db", names.database]] as const) {
    const claim = await space.get({ apiVersion: "v1", kind: "PersistentVolumeClaim", name }, run);
    if (claim) pvcs.push({ short, claim });
    else if (kind !== "last") {
      const message = `Cannot take a backup: PersistentVolumeClaim ${name} does not exist`;
      throw new ClusterError("NotFound", message, { transient: false, blame: "operator" });
    }
  }
  if (pvcs.length > 0) return pvcs;
  throw new ClusterError("NotFound", "the site has no volumes", { transient: false });
}

/** Creates a snapshot. If the namespace's quota is exhausted, deletes expired and failed backups and tries again. */
async function createWithinQuota(site: SpokeSite, run: JobRun, snapshot: KubeObject): Promise<void> {
  try {
    await site.space.create(snapshot, run);
  } catch (error) {
    if (!(error instanceof ClusterError) || !/exceeded quota/.test(error.message)) throw error;
    run.log.info("Deleting expired and failed backups to free quota", { reason: error.message });
    await deleteExpiredBackups(site, run, "expired and failed");
    await site.space.create(snapshot, run);
  }
}

/** Returns the identifiers with which the snapshot's data can be found after its namespace is deleted. */
async function readSnapshotVolume(
  { cluster, space }: SnapshotContext,
  run: JobRun,
  planned: BackupVolume,
): Promise<BackupVolume> {
  const snapshot = await space.get({ ...VOLUME_SNAPSHOT, name: planned.snapshot }, run);
  const name = snapshot?.["status"]?.boundVolumeSnapshotContentName;
  const content = name ? await cluster.find({ ...SNAPSHOT_CONTENT, name }, run) : null;
  const { snapshotHandle: handle, restoreSize } = content?.["status"] ?? {};
  if (!snapshot || !content || !refersToSnapshot(content, snapshot) || !handle) {
    const message = `VolumeSnapshot ${planned.snapshot} is ready, but its VolumeSnapshotContent is not visible yet`;
    throw new ClusterError("Incomplete", message, { transient: true });
  }
  if (content["spec"].deletionPolicy !== "Retain") {
    const message = `Cannot keep the backup: VolumeSnapshotContent ${name} would be deleted with the spoke`;
    throw new Refusal("NoSnapshotClass", message, "Set the deletionPolicy of its VolumeSnapshotClass to Retain.");
  }
  return {
    ...planned,
    snapshotUid: snapshot.metadata.uid!,
    content: content.metadata.name,
    handle: String(handle),
    driver: String(content["spec"].driver),
    class: String(content["spec"].volumeSnapshotClassName ?? ""),
    restoreSize: Number(restoreSize) > 0 ? Number(restoreSize) : null, // drivers that do not know the size report 0
  };
}
