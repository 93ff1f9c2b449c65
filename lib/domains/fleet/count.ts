/** Counts all spokes, templates and jobs for metrics, in one transaction and one round trip. */
import { sql } from "kysely";
import type { Database, RowQueries } from "#lib/drivers/db/database.ts";
import { findOldestUnsealedTime, getLatestSealableTime } from "#lib/audit/seals.ts";
import { countWaitingLanes, type LaneCounts } from "#lib/jobs/queue.ts";
import { countRestoreTests, type RestoreTestStatistics } from "#lib/domains/backups/restore-test-store.ts";

export interface SpokeStateCount {
  readonly state: string;
  readonly health: string;
  readonly count: number;
  readonly drifted: number;
}

export interface FleetCounts {
  readonly spokes: readonly SpokeStateCount[];
  readonly templates: readonly { readonly state: string; readonly count: number }[];
  readonly lanes: LaneCounts;
  readonly restoreTests: RestoreTestStatistics;
  /** The earliest creation time among the newest backups of all active spokes. Null if no spoke is active. */
  readonly oldestBackup: Date | null;
  /** The time of the oldest audit event that should already be sealed (protected by a hash chain) but is not. */
  readonly oldestUnsealed: Date | null;
  readonly now: Date;
}

export async function countFleet(db: Database): Promise<FleetCounts> {
  const now = await db.now();
  return await db.transact(async (tx) => {
    const [spokes, templates, lanes, restoreTests, oldestBackup, oldestUnsealed] = await Promise.all([
      countSpokes(tx),
      tx.selectFrom("templates").select(["state", sql<number>`count(*)::integer`.as("count")]).groupBy("state")
        .execute(),
      countWaitingLanes(tx),
      countRestoreTests(tx),
      findOldestBackup(tx),
      findOldestUnsealedTime(tx, getLatestSealableTime(now)),
    ]);
    return { spokes, templates, lanes, restoreTests, oldestBackup, oldestUnsealed, now };
  });
}

async function countSpokes(rows: RowQueries): Promise<SpokeStateCount[]> {
  return await rows.selectFrom("spokes").where("state", "<>", "removed").select([
    "state",
    "health",
    sql<number>`count(*)::integer`.as("count"),
    sql<number>`count(drift)::integer`.as("drifted"),
  ]).groupBy(["state", "health"]).execute();
}

/**
 * Takes the time of each active spoke's newest backup, and returns the earliest of these times. For a spoke without a
 * backup, uses the time when the spoke became ready.
 */
async function findOldestBackup(rows: RowQueries): Promise<Date | null> {
  const { rows: [row] } = await sql<{ oldest: Date | null }>`
    select min(coalesce((
      select backups.created_at from backups where backups.spoke_id = spokes.id and backups.state = 'ready'
        and backups.deleting_since is null order by backups.created_at desc limit 1
    ), spokes.ready_at, spokes.created_at)) as oldest from spokes where spokes.state = 'active'`.execute(rows);
  return row!.oldest;
}
