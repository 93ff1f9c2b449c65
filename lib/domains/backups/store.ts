/** The rows of backups, and what was last seen of each cluster's snapshot classes. */
import { type Selectable, sql } from "kysely";
import type { DatedBackup } from "#lib/domains/backups/retention.ts";
import type { CountsAroundBackup, RestoreTestResult } from "#lib/domains/backups/restore-test.ts";
import type { ObservedClasses, SnapshotClass } from "#lib/domains/backups/snapshot-classes.ts";
import { redact } from "#lib/base/redact.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { SpokeImages } from "#lib/moodle/releases.ts";
import { newId } from "#lib/base/ids.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

export type BackupKind = DatedBackup["kind"];

/** One of a backup's volumes, as far as it is known: all of it once the backup is ready. */
export interface BackupVolume {
  readonly claim: string;
  /** The VolumeSnapshot, in the spoke's namespace. */
  readonly snapshot: string;
  readonly snapshotUid?: string;
  /** The VolumeSnapshotContent, which outlives the namespace. */
  readonly content?: string;
  /** The storage driver's own name of what was taken. */
  readonly handle?: string;
  readonly driver?: string;
  readonly class?: string;
  /** Bytes that a volume restored from it needs at least; null where the driver does not say. */
  readonly restoreSize?: number | null;
}

export interface Backup extends DatedBackup {
  readonly spokeId: string;
  readonly operationId: string;
  /** The name of the cluster that its snapshots are in. */
  readonly cluster: string;
  readonly volumes: readonly BackupVolume[];
  readonly sizeBytes: number | null;
  readonly error: string | null;
  readonly readyAt: Date | null;
  readonly failedAt: Date | null;
  /** Of what it was taken; null where that was not noted yet. */
  readonly lmsVersion: string | null;
  readonly images: SpokeImages | null;
  readonly siteIdentifier: string | null;
  /** What was counted as it was taken; null where nothing was. */
  readonly counts: CountsAroundBackup | null;
  readonly provedAt: Date | null;
  readonly proof: RestoreTestResult | null;
  /** Why the last drill did not prove it; null where it did, or none was. */
  readonly proofError: string | null;
}

interface BackupCause {
  readonly operationId: string;
  readonly kind: BackupKind;
}

/** The backup that this operation is to take: one, no matter who holds it, and gone on with where a try of it had failed. */
export async function beginBackup(tx: Tx, spoke: SpokeRow, cause: BackupCause): Promise<Backup> {
  await ensureBackup(tx, spoke, cause);
  await tx.updateTable("backups").set({ state: "pending", failedAt: null, error: null })
    .where("operationId", "=", cause.operationId).where("state", "=", "failed").execute();
  return (await findBackupByOperation(tx, cause.operationId))!;
}

/** The backup of this operation as it stands; a row is made where it had not come to that. */
export async function ensureBackup(
  tx: Tx,
  spoke: SpokeRow,
  { operationId, kind }: BackupCause,
): Promise<Backup> {
  await tx.insertInto("backups").values({
    id: newId("bak"),
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

/**
 * Keeps what is known of its volumes before they are cut, so that a later cleaning finds what an attempt left behind; and of
 * what it is taken, for the spoke may have been upgraded since it was asked for.
 */
export async function saveVolumes(
  tx: Tx,
  id: string,
  volumes: readonly BackupVolume[],
  spoke: SpokeRow,
): Promise<Backup> {
  await tx.updateTable("backups").set({ volumes: JSON.stringify(volumes), ...siteColumns(spoke) })
    .where("id", "=", id).where("state", "=", "pending").execute();
  return (await findBackup(tx, id))!;
}

/** It has been seen in the cluster, whole. */
export async function completeBackup(tx: Tx, id: string, volumes: readonly BackupVolume[]): Promise<Backup> {
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

/**
 * The operation's backup has failed, unless it is there already; null where none was begun. The reason is read by people who
 * may not see the cluster.
 */
export async function failBackup(tx: Tx, operationId: string, reason: string): Promise<Backup | null> {
  const error = redact(reason);
  await tx.updateTable("backups").set({ state: "failed", failedAt: sql<Date>`wheelwright_now()`, error })
    .where("operationId", "=", operationId).where("state", "=", "pending").execute();
  return await findBackupByOperation(tx, operationId);
}

/**
 * The same for attempts whose operation has ended and said nothing of them. One that was cancelled before anything was cut
 * never existed; of another one retention removes what was cut.
 */
export async function closeAbandonedBackups(rows: Rows): Promise<void> {
  await sql`update backups set state = 'deleted', deleted_at = wheelwright_now(), error = 'It was cancelled'
    from jobs where backups.state = 'pending' and jobs.id = backups.operation_id and jobs.state = 'cancelled'
      and jsonb_array_length(backups.volumes) = 0`.execute(rows);
  await sql`update backups set state = 'failed', failed_at = wheelwright_now(),
      error = case when jobs.state = 'cancelled' then 'It was cancelled' else coalesce(jobs.failure ->> 'message', 'The operation ended before the backup was taken') end
    from jobs where backups.state = 'pending' and jobs.id = backups.operation_id
      and jobs.state in ('succeeded', 'failed', 'cancelled')`.execute(rows);
}

/**
 * Whether people are to be told that this one failed: of nightly ones only the first since a backup succeeded. That it is
 * told is noted in its row.
 */
export async function claimFailureNotice(tx: Tx, { id, spokeId, kind }: Backup): Promise<boolean> {
  const { rows: [row] } = await sql<{ told: boolean }>`
    update backups set told = ${kind} <> 'nightly' or not exists (
      select from backups as earlier where earlier.spoke_id = ${spokeId} and earlier.kind = 'nightly' and earlier.told
        and earlier.id <> ${id} and earlier.created_at > coalesce((
          select max(good.created_at) from backups as good where good.spoke_id = ${spokeId} and good.ready_at is not null
        ), '-infinity'))
    where id = ${id} returning told`.execute(tx);
  return row!.told;
}

export async function findBackup(rows: Rows, id: string): Promise<Backup | null> {
  const row = await rows.selectFrom("backups").selectAll().where("id", "=", id).executeTakeFirst();
  return row ? toBackup(row) : null;
}

async function findBackupByOperation(rows: Rows, operationId: string): Promise<Backup | null> {
  const row = await rows.selectFrom("backups").selectAll().where("operationId", "=", operationId).executeTakeFirst();
  return row ? toBackup(row) : null;
}

/** Those of a spoke that are still there in some way, newest first. */
export async function listBackups(rows: Rows, spokeId: string): Promise<Backup[]> {
  const found = await rows.selectFrom("backups").selectAll().where("spokeId", "=", spokeId)
    .where("state", "<>", "deleted").orderBy("createdAt", "desc").orderBy("id", "desc").execute();
  return found.map(toBackup);
}

/** The attempt of a spoke that failed last, whatever has become of what it left behind. A cancelled one is no failure. */
export async function findLastFailed(rows: Rows, spokeId: string): Promise<Backup | null> {
  const row = await rows.selectFrom("backups").selectAll().where("spokeId", "=", spokeId)
    .where("failedAt", "is not", null)
    .where(sql<boolean>`not exists (select from jobs where jobs.id = operation_id and jobs.state = 'cancelled')`)
    .orderBy("failedAt", "desc").limit(1).executeTakeFirst();
  return row ? toBackup(row) : null;
}

export async function markRemovalStarted(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("backups").set({ removingSince: sql<Date>`coalesce(removing_since, wheelwright_now())` })
    .where("id", "=", id).execute();
}

export async function markRemoved(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("backups").set({ state: "deleted", deletedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where("state", "in", ["ready", "failed"]).execute();
}

/** What was seen of a cluster. A look that failed leaves what was seen before. */
export async function saveSnapshotClasses(
  rows: Rows,
  cluster: string,
  observed: readonly SnapshotClass[] | Error,
): Promise<void> {
  const failed = observed instanceof Error;
  const classes = failed ? null : JSON.stringify(observed);
  const error = failed ? observed.message : null;
  await sql`insert into cluster_snapshots (cluster, classes, error) values (${cluster}, ${classes}::jsonb, ${error})
    on conflict (cluster) do update set looked_at = wheelwright_now(), error = excluded.error,
      classes = coalesce(excluded.classes, cluster_snapshots.classes)`.execute(rows);
}

export async function readSnapshotClasses(rows: Rows, cluster: string): Promise<ObservedClasses> {
  const row = await rows.selectFrom("cluster_snapshots").selectAll().where("cluster", "=", cluster).executeTakeFirst();
  return { classes: row?.classes ?? null, error: row?.error ?? null };
}

function toBackup(row: Selectable<Schema["backups"]>): Backup {
  return { ...row, sizeBytes: row.sizeBytes === null ? null : Number(row.sizeBytes) };
}
