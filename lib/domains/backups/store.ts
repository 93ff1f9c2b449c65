/** Stores backups, and the VolumeSnapshotClasses observed in each cluster. */
import { type Selectable, sql } from "kysely";
import type { RetentionCandidate } from "#lib/domains/backups/retention.ts";
import type { CountsAroundBackup, RestoreTestResult } from "#lib/domains/backups/restore-test.ts";
import type { ObservedSnapshotClasses, SnapshotClass } from "#lib/domains/backups/snapshot-classes.ts";
import { redactSecrets } from "#lib/base/redact.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { SpokeImages } from "#lib/moodle/releases.ts";
import type { BackupKind } from "#lib/model/backup.ts";
import { createId } from "#lib/base/ids.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

/** The snapshot of one volume in a backup. All fields are set once the backup is ready. */
export interface BackupVolume {
  readonly claim: string;
  /** The name of the VolumeSnapshot in the spoke's namespace. */
  readonly snapshot: string;
  readonly snapshotUid?: string;
  /** The name of the VolumeSnapshotContent, which outlives the namespace. */
  readonly content?: string;
  /** The storage driver's ID for the snapshot. */
  readonly handle?: string;
  readonly driver?: string;
  readonly class?: string;
  /** The minimum size of a volume restored from this snapshot, in bytes. Null if the driver does not report a size. */
  readonly restoreSize?: number | null;
}

export interface Backup extends RetentionCandidate {
  readonly spokeId: string;
  readonly operationId: string;
  /** The name of the cluster that holds the backup's snapshots. */
  readonly cluster: string;
  readonly volumes: readonly BackupVolume[];
  readonly sizeBytes: number | null;
  readonly error: string | null;
  readonly readyAt: Date | null;
  readonly failedAt: Date | null;
  /** The site's Moodle version when the backup was taken. Null if the version was not recorded. */
  readonly lmsVersion: string | null;
  readonly images: SpokeImages | null;
  readonly siteIdentifier: string | null;
  /** The numbers of courses and users when the backup was taken. Null if they were not counted. */
  readonly counts: CountsAroundBackup | null;
  readonly verifiedAt: Date | null;
  readonly verification: RestoreTestResult | null;
  /** The error from the last restore test. Null if the test succeeded or no test has run. */
  readonly verificationError: string | null;
}

interface BackupCause {
  readonly operationId: string;
  readonly kind: BackupKind;
}

/** Starts a backup for an operation, or returns the backup that an earlier attempt of the operation started. */
export async function startBackup(tx: Tx, spoke: SpokeRow, cause: BackupCause): Promise<Backup> {
  await ensureBackup(tx, spoke, cause);
  await tx.updateTable("backups").set({ state: "pending", failedAt: null, error: null })
    .where("operationId", "=", cause.operationId).where("state", "=", "failed").execute();
  return (await findBackupByOperation(tx, cause.operationId))!;
}

export async function ensureBackup(
  tx: Tx,
  spoke: SpokeRow,
  { operationId, kind }: BackupCause,
): Promise<Backup> {
  await tx.insertInto("backups").values({
    id: createId("bak"),
    spokeId: spoke.id,
    federationId: spoke.federationId,
    operationId,
    cluster: spoke.cluster,
    namespace: spoke.namespace,
    kind,
    ...siteColumns(spoke),
  }).onConflict((conflict) => conflict.column("operationId").doNothing()).execute();
  return (await findBackupByOperation(tx, operationId))!;
}

function siteColumns({ lmsVersion, blueprintInputs: { images = null }, siteIdentifier }: SpokeRow) {
  return { lmsVersion, images: JSON.stringify(images), siteIdentifier };
}

/** Saves the volumes before their snapshots are taken, so that a cleanup can find the snapshots of a failed backup. */
export async function saveBackupVolumes(
  tx: Tx,
  id: string,
  volumes: readonly BackupVolume[],
  spoke: SpokeRow,
): Promise<Backup> {
  await tx.updateTable("backups").set({ volumes: JSON.stringify(volumes), ...siteColumns(spoke) })
    .where("id", "=", id).where("state", "=", "pending").execute();
  return (await findBackup(tx, id))!;
}

/** Marks the backup as ready. Call this once all its snapshots have been observed in the cluster. */
export async function markBackupReady(tx: Tx, id: string, volumes: readonly BackupVolume[]): Promise<Backup> {
  const sizes = volumes.map(({ restoreSize }) => restoreSize ?? null);
  const sizeBytes = sizes.some((size) => size === null) ? null : sizes.reduce<number>((sum, size) => sum + size!, 0);
  const row = await tx.updateTable("backups").set({
    state: "ready",
    readyAt: sql<Date>`wheelwright_now()`,
    volumes: JSON.stringify(volumes),
    sizeBytes,
    error: null,
  }).where("id", "=", id).where("state", "=", "pending").returningAll().executeTakeFirstOrThrow();
  return toBackup(row);
}

/** Marks an operation's pending backup as failed, with the redacted reason. Returns null if the operation has none. */
export async function markBackupFailed(tx: Tx, operationId: string, reason: string): Promise<Backup | null> {
  const error = redactSecrets(reason);
  await tx.updateTable("backups").set({ state: "failed", failedAt: sql<Date>`wheelwright_now()`, error })
    .where("operationId", "=", operationId).where("state", "=", "pending").execute();
  return await findBackupByOperation(tx, operationId);
}

/** Marks pending backups of ended operations as failed or, if cancelled before any snapshot was taken, as deleted. */
export async function closeAbandonedBackups(rows: RowQueries): Promise<void> {
  await sql`update backups set state = 'deleted', deleted_at = wheelwright_now(), error = 'It was cancelled'
    from jobs where backups.state = 'pending' and jobs.id = backups.operation_id and jobs.state = 'cancelled'
      and jsonb_array_length(backups.volumes) = 0`.execute(rows);
  await sql`update backups set state = 'failed', failed_at = wheelwright_now(),
      error = case when jobs.state = 'cancelled' then 'It was cancelled' else coalesce(jobs.failure ->> 'message', 'The operation ended before the backup was taken') end
    from jobs where backups.state = 'pending' and jobs.id = backups.operation_id
      and jobs.state in ('succeeded', 'failed', 'cancelled')`.execute(rows);
}

/** Returns whether to email about a failed backup. Of consecutive nightly failures, only the first causes an email. */
export async function claimBackupFailureMail(tx: Tx, { id, spokeId, kind }: Backup): Promise<boolean> {
  const { rows: [row] } = await sql<{ failureReported: boolean }>`
    update backups set failure_reported = ${kind} <> 'nightly' or not exists (
      select from backups as earlier where earlier.spoke_id = ${spokeId} and earlier.kind = 'nightly' and earlier.failure_reported
        and earlier.id <> ${id} and earlier.created_at > coalesce((
          select max(good.created_at) from backups as good where good.spoke_id = ${spokeId} and good.ready_at is not null
        ), '-infinity'))
    where id = ${id} returning failure_reported as "failureReported"`.execute(tx);
  return row!.failureReported;
}

export async function findBackup(rows: RowQueries, id: string): Promise<Backup | null> {
  const row = await rows.selectFrom("backups").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? toBackup(row) : null;
}

async function findBackupByOperation(rows: RowQueries, operationId: string): Promise<Backup | null> {
  const row = await rows.selectFrom("backups").selectAll().where("operationId", "=", operationId).executeTakeFirst();
  return row ? toBackup(row) : null;
}

/** Lists a spoke's backups that are not deleted, newest first. */
export async function listBackups(rows: RowQueries, spokeId: string): Promise<Backup[]> {
  const found = await rows.selectFrom("backups").selectAll().where("spokeId", "=", spokeId)
    .where("state", "<>", "deleted").orderBy("createdAt", "desc").orderBy("id", "desc").execute();
  return found.map(toBackup);
}

/** Returns the spoke's most recent failed backup, even if it has since been deleted. Ignores cancelled backups. */
export async function findLastFailedBackup(rows: RowQueries, spokeId: string): Promise<Backup | null> {
  const row = await rows.selectFrom("backups").selectAll().where("spokeId", "=", spokeId)
    .where("failedAt", "is not", null)
    .where(sql<boolean>`not exists (select from jobs where jobs.id = operation_id and jobs.state = 'cancelled')`)
    .orderBy("failedAt", "desc").limit(1).executeTakeFirst();
  return row ? toBackup(row) : null;
}

export async function markBackupRemovalStarted(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("backups").set({ deletingSince: sql<Date>`coalesce(deleting_since, wheelwright_now())` })
    .where("id", "=", id).execute();
}

export async function markBackupRemoved(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("backups").set({ state: "deleted", deletedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where("state", "in", ["ready", "failed"]).execute();
}

/** Saves a cluster's observed snapshot classes. If the check failed, saves the error and keeps the earlier classes. */
export async function saveSnapshotClasses(
  rows: RowQueries,
  cluster: string,
  observed: readonly SnapshotClass[] | Error,
): Promise<void> {
  const failed = observed instanceof Error;
  const classes = failed ? null : JSON.stringify(observed);
  const error = failed ? observed.message : null;
  await sql`insert into cluster_snapshots (cluster, classes, error) values (${cluster}, ${classes}::jsonb, ${error})
    on conflict (cluster) do update set checked_at = wheelwright_now(), error = excluded.error,
      classes = coalesce(excluded.classes, cluster_snapshots.classes)`.execute(rows);
}

export async function readSnapshotClasses(rows: RowQueries, cluster: string): Promise<ObservedSnapshotClasses> {
  const row = await rows.selectFrom("cluster_snapshots").selectAll().where("cluster", "=", cluster).executeTakeFirst();
  return { classes: row?.classes ?? null, error: row?.error ?? null };
}

function toBackup(row: Selectable<Schema["backups"]>): Backup {
  return { ...row, sizeBytes: row.sizeBytes === null ? null : Number(row.sizeBytes) };
}
