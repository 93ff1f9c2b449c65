/** Stores the numbers of courses and users counted for each backup, and the results of restore tests. */
import { sql } from "kysely";
import type { CountsAroundBackup, RestoreTestResult } from "#lib/domains/backups/restore-test.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";

export interface RestoreTestIdentity {
  readonly backupId: string;
  readonly spokeId: string;
  readonly restoreTestId: string;
}

export async function saveBackupCounts(tx: Tx, backupId: string, counts: CountsAroundBackup): Promise<void> {
  await tx.updateTable("backups").set({ counts: JSON.stringify(counts) }).where("id", "=", backupId).execute();
}

/** Records that a restore test succeeded. Returns false if a result of this test was already recorded. */
export async function recordTestSuccess(
  tx: Tx,
  test: RestoreTestIdentity,
  verification: RestoreTestResult,
): Promise<boolean> {
  const now = sql<Date>`wheelwright_now()`;
  if (
    !await saveOutcome(tx, test, {
      verification: JSON.stringify(verification),
      verifiedAt: now,
      verificationError: null,
    })
  ) return false;
  const verifiedAt = sql<Date>`(select verified_at from backups where id = ${test.backupId})`;
  await tx.updateTable("spokes").set({ verifiedAt, unverifiedSince: null }).where("id", "=", test.spokeId).execute();
  return true;
}

/** Records that a restore test failed. Returns whether this is the spoke's first failure since the last success. */
export async function recordTestFailure(tx: Tx, test: RestoreTestIdentity, error: string): Promise<boolean> {
  if (!await saveOutcome(tx, test, { verification: null, verifiedAt: null, verificationError: error })) return false;
  const { numUpdatedRows } = await tx.updateTable("spokes").set({ unverifiedSince: sql<Date>`wheelwright_now()` })
    .where("id", "=", test.spokeId).where("unverifiedSince", "is", null).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records why a restore test could not run. Keeps earlier results and schedules the next test. */
export async function recordSkippedTest(
  tx: Tx,
  test: RestoreTestIdentity,
  error: string,
  nextTestAt: Date,
): Promise<void> {
  await saveOutcome(tx, test, { verificationError: error });
  await tx.updateTable("spokes").set({ restoreTestDueAt: nextTestAt }).where("id", "=", test.spokeId).execute();
}

async function saveOutcome(
  tx: Tx,
  { backupId, restoreTestId }: RestoreTestIdentity,
  outcome: object,
): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable("backups").set({ ...outcome, restoreTestId }).where(
    "id",
    "=",
    backupId,
  )
    .where((where) => where.or([where("restoreTestId", "is", null), where("restoreTestId", "<>", restoreTestId)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface RestoreTestStatistics {
  /** The number of active spokes whose last restore test failed. */
  readonly failing: number;
  /** The earliest of the times at which active spokes last passed a test. Null if no active spoke has passed one. */
  readonly oldest: Date | null;
}

/** Reads metrics: how many active spokes failed their last test, and the earliest of the spokes' last successes. */
export async function countRestoreTests(rows: RowQueries): Promise<RestoreTestStatistics> {
  return await rows.selectFrom("spokes").where("state", "=", "active").select([
    sql<number>`count(*) filter (where unverified_since is not null)::integer`.as("failing"),
    sql<Date | null>`min(verified_at)`.as("oldest"),
  ]).executeTakeFirstOrThrow();
}

/** Lists the IDs of a spoke's backups that an operation or an unfinished copy uses. */
export async function listBackupsInUse(rows: RowQueries, spokeId: string): Promise<Set<string>> {
  const { rows: found } = await sql<{ id: string }>`
    with own as (select id from backups where spoke_id = ${spokeId})
    select payload ->> 'backupId' as id from jobs
    where state in ('queued', 'running') and payload ->> 'backupId' in (select id from own)
    union all select from_backup from spokes
    where ready_at is null and state not in ('removing', 'removed') and from_backup in (select id from own)`.execute(
    rows,
  );
  return new Set(found.map(({ id }) => id));
}
