/** Stores the libraries of hubs: which packages a library has, when it is checked next, and its backups. */
import { type Selectable, sql } from "kysely";
import { createId } from "#lib/base/ids.ts";
import { redactSecrets } from "#lib/base/redact.ts";
import type { BackupVolume } from "#lib/domains/backups/store.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { BackupState } from "#lib/model/backup.ts";
import type { LibraryContents } from "#lib/moodle/library-jobs.ts";

export interface LibraryRow {
  readonly federationId: string;
  /** The hashes of the packages that the last check found. */
  readonly packages: readonly string[];
  readonly usedBytes: number | null;
  readonly freeBytes: number | null;
  readonly checkedAt: Date | null;
  readonly error: string | null;
  readonly errorCode: string | null;
}

export interface LibraryBackup {
  readonly id: string;
  readonly federationId: string;
  readonly jobId: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly state: BackupState;
  readonly volumes: readonly BackupVolume[];
  /** The hashes of the packages that the snapshot contains. */
  readonly packages: readonly string[];
  readonly sizeBytes: number | null;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly readyAt: Date | null;
  readonly deletingSince: Date | null;
}

export async function findLibrary(rows: RowQueries, federationId: string): Promise<LibraryRow | null> {
  const row = await rows.selectFrom("libraries").selectAll().where("federationId", "=", federationId)
    .executeTakeFirst();
  return row ? { ...row, usedBytes: toNumber(row.usedBytes), freeBytes: toNumber(row.freeBytes) } : null;
}

/** Lets the library be checked, and backed up if its packages have changed, as soon as possible. */
export async function requestLibraryCheck(tx: Tx, federationId: string): Promise<void> {
  await tx.insertInto("libraries").values({ federationId }).onConflict((conflict) =>
    conflict.column("federationId").doUpdateSet({ checkDueAt: sql<Date>`wheelwright_now()` })
  ).execute();
}

export async function saveLibraryContents(
  tx: Tx,
  federationId: string,
  { packages, used, free }: Pick<LibraryContents, "packages" | "used" | "free">,
): Promise<void> {
  await tx.updateTable("libraries").set({
    packages: JSON.stringify(packages),
    usedBytes: used,
    freeBytes: free,
    checkedAt: sql<Date>`wheelwright_now()`,
  }).where("federationId", "=", federationId).execute();
}

interface LibraryProblem {
  readonly code: string;
  readonly message: string;
}

/** Saves why the library has a problem, or that it has none. Returns whether this problem is a new one. */
export async function saveLibraryProblem(
  tx: Tx,
  federationId: string,
  problem: LibraryProblem | null,
): Promise<boolean> {
  const before = await tx.selectFrom("libraries").select(["errorCode"]).where("federationId", "=", federationId)
    .forUpdate().executeTakeFirst();
  await tx.updateTable("libraries").set({
    error: problem && redactSecrets(problem.message),
    errorCode: problem?.code ?? null,
  }).where("federationId", "=", federationId).execute();
  return problem !== null && before?.errorCode !== problem.code;
}

/** Lists the backups of a hub's library that are not deleted, newest first. */
export async function listLibraryBackups(rows: RowQueries, federationId: string): Promise<LibraryBackup[]> {
  const found = await rows.selectFrom("library_backups").selectAll().where("federationId", "=", federationId)
    .where("state", "<>", "deleted").orderBy("createdAt", "desc").orderBy("id", "desc").execute();
  return found.map(toLibraryBackup);
}

export function isUsableLibraryBackup({ state, deletingSince }: LibraryBackup): boolean {
  return state === "ready" && deletingSince === null;
}

/** Starts the backup of a job, or returns the one that an earlier attempt of the job has started. */
export async function startLibraryBackup(
  tx: Tx,
  { id, cluster, namespace }: FederationRow,
  jobId: string,
  packages: readonly string[],
): Promise<LibraryBackup> {
  await tx.insertInto("library_backups").values({
    id: createId("lib"),
    ...{ federationId: id, jobId, cluster, namespace },
    packages: JSON.stringify(packages),
  }).onConflict((conflict) => conflict.column("jobId").doNothing()).execute();
  await tx.updateTable("library_backups").set({ state: "pending", failedAt: null, error: null })
    .where("jobId", "=", jobId).where("state", "=", "failed").execute();
  const row = await tx.selectFrom("library_backups").selectAll().where("jobId", "=", jobId)
    .executeTakeFirstOrThrow();
  return toLibraryBackup(row);
}

/** Saves the volume before its snapshot is taken, so that the snapshot of a failed backup can be found. */
export async function saveLibraryBackupVolumes(
  tx: Tx,
  id: string,
  volumes: readonly BackupVolume[],
): Promise<void> {
  await tx.updateTable("library_backups").set({ volumes: JSON.stringify(volumes) })
    .where("id", "=", id).where("state", "=", "pending").execute();
}

export async function markLibraryBackupReady(tx: Tx, id: string, volumes: readonly BackupVolume[]): Promise<void> {
  await tx.updateTable("library_backups").set({
    ...{ state: "ready", readyAt: sql<Date>`wheelwright_now()`, volumes: JSON.stringify(volumes) },
    sizeBytes: volumes[0]?.restoreSize ?? null,
  }).where("id", "=", id).where("state", "=", "pending").execute();
}

/** Marks backups as failed whose job has ended. */
export async function closeAbandonedLibraryBackups(rows: RowQueries): Promise<void> {
  await sql`update library_backups set state = 'failed', failed_at = wheelwright_now(),
      error = coalesce(jobs.failure ->> 'message', 'The job ended before the backup was taken')
    from jobs where library_backups.state = 'pending' and jobs.id = library_backups.job_id
      and jobs.state in ('succeeded', 'failed', 'cancelled')`.execute(rows);
}

/** Marks a backup as being deleted, unless a restore uses it. Returns whether it may be deleted. */
export async function startLibraryBackupDeletion(tx: Tx, { id, federationId }: LibraryBackup): Promise<boolean> {
  await tx.selectFrom("federations").select("id").where("id", "=", federationId).forNoKeyUpdate().execute();
  const restore = await tx.selectFrom("jobs").select("id").where("kind", "=", "restore-library")
    .where("federationId", "=", federationId).where("state", "in", ["queued", "running"])
    .where(sql<boolean>`payload ->> 'backupId' = ${id}`).executeTakeFirst();
  if (restore) return false;
  await tx.updateTable("library_backups").set({
    deletingSince: sql<Date>`coalesce(deleting_since, wheelwright_now())`,
  }).where("id", "=", id).execute();
  return true;
}

export async function markLibraryBackupDeleted(tx: Tx, id: string): Promise<void> {
  await tx.updateTable("library_backups").set({ state: "deleted", deletedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).where("state", "in", ["ready", "failed"]).execute();
}

function toLibraryBackup(row: Selectable<Schema["library_backups"]>): LibraryBackup {
  return { ...row, sizeBytes: toNumber(row.sizeBytes) };
}

function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text);
}
