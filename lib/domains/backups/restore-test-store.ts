/** The rows of proofs: what was counted as a backup was taken, and what came of restoring it. */
import { sql } from "kysely";
import type { CountsAroundBackup, RestoreTestResult } from "#lib/domains/backups/restore-test.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";

/** A drill, and the backup that it tries. */
export interface RestoreTestIdentity {
  readonly backupId: string;
  readonly spokeId: string;
  /** Of its job. */
  readonly drillId: string;
}

export async function saveCounts(tx: Tx, backupId: string, counts: CountsAroundBackup): Promise<void> {
  await tx.updateTable("backups").set({ counts: JSON.stringify(counts) }).where("id", "=", backupId).execute();
}

/** False where this drill's end was noted before, and whoever noted it only did not hear so. */
export async function recordVerified(tx: Tx, test: RestoreTestIdentity, proof: RestoreTestResult): Promise<boolean> {
  const now = sql<Date>`wheelwright_now()`;
  if (!await saveOutcome(tx, test, { proof: JSON.stringify(proof), provedAt: now, proofError: null })) return false;
  const provedAt = sql<Date>`(select proved_at from backups where id = ${test.backupId})`;
  await tx.updateTable("spokes").set({ provedAt, unprovedSince: null }).where("id", "=", test.spokeId).execute();
  return true;
}

/** Whether people are to be told: of the first that fails since one was proved. Whatever proved this backup before is over. */
export async function recordTestFailure(tx: Tx, test: RestoreTestIdentity, error: string): Promise<boolean> {
  if (!await saveOutcome(tx, test, { proof: null, provedAt: null, proofError: error })) return false;
  const { numUpdatedRows } = await tx.updateTable("spokes").set({ unprovedSince: sql<Date>`wheelwright_now()` })
    .where("id", "=", test.spokeId).where("unprovedSince", "is", null).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Nothing was learned of the backup: what was known stays, and the next drill comes at that time. */
export async function recordSkippedTest(
  tx: Tx,
  test: RestoreTestIdentity,
  error: string,
  nextTestAt: Date,
): Promise<void> {
  await saveOutcome(tx, test, { proofError: error });
  await tx.updateTable("spokes").set({ drillDueAt: nextTestAt }).where("id", "=", test.spokeId).execute();
}

async function saveOutcome(tx: Tx, { backupId, drillId }: RestoreTestIdentity, outcome: object): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable("backups").set({ ...outcome, drillId }).where("id", "=", backupId)
    .where((where) => where.or([where("drillId", "is", null), where("drillId", "<>", drillId)])).executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface RestoreTestNumbers {
  /** Active spokes whose last drill failed. */
  readonly failing: number;
  /** Of the active spokes' last proofs the oldest; null where there is none. */
  readonly oldest: Date | null;
}

/** Of the whole fleet, by one pass over the rows of active spokes: for metrics. */
export async function countRestoreTests(rows: Rows): Promise<RestoreTestNumbers> {
  return await rows.selectFrom("spokes").where("state", "=", "active").select([
    sql<number>`count(*) filter (where unproved_since is not null)::integer`.as("failing"),
    sql<Date | null>`min(proved_at)`.as("oldest"),
  ]).executeTakeFirstOrThrow();
}

/** The backups of a spoke that work under way needs, or another spoke that is still to be made from one. */
export async function listBackupsInUse(rows: Rows, spokeId: string): Promise<Set<string>> {
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
