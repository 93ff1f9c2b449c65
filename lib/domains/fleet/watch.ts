/**
 * Counts spokes, templates and jobs for metrics periodically, on a single replica. The counting replica holds an advisory
 * lock on its control connection. If the replica or the connection dies, another replica gets the lock at its next
 * attempt. All objects are counted in one transaction and one round trip.
 */
import type { App } from "#lib/app.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { SECOND, sleep } from "#lib/base/time.ts";
import { sql } from "kysely";
import type { Database, RowQueries } from "#lib/drivers/db/database.ts";
import { findOldestUnsealedTime, getLatestSealableTime } from "#lib/audit/seals.ts";
import { countWaitingLanes, type LaneCounts } from "#lib/jobs/queue.ts";
import { countUsage, type UsageCounts } from "#lib/domains/usage/count.ts";
import { findOldestUndeliveredTime } from "#lib/domains/webhooks/store.ts";
import { countRestoreTests, type RestoreTestStatistics } from "#lib/domains/backups/restore-test-store.ts";

const COUNT_INTERVAL = 30 * SECOND;
const TRY_LEAD = "select pg_try_advisory_lock(hashtextextended('wheelwright: fleet', 0)) as leads";

export interface FleetCounter {
  /** Returns the latest counts. Null if another replica does the counting or the database did not respond. */
  last(): FleetCounts | null;
  /** Returns a promise that resolves when the current count is finished. */
  whenCounted(): Promise<void>;
  close(): Promise<void>;
}

export function startFleetCounter({ db, log }: Pick<App, "db" | "log">, intervalMs = COUNT_INTERVAL): FleetCounter {
  let last: FleetCounts | null = null, failing = false;

  async function count(): Promise<void> {
    try {
      const [row] = await db.control.query(TRY_LEAD);
      last = row!.leads ? await countFleet(db) : null;
      failing = false;
    } catch (error) {
      last = null;
      const reason = getErrorMessage(error);
      if (!failing) log.warn("Could not count spokes, templates and jobs for metrics; retrying", { reason });
      failing = true;
    }
  }

  let counting = count();
  const end = new AbortController();
  run().catch(() => {}); // the watch was closed

  async function run(): Promise<void> {
    for (;;) {
      await counting; // waits for a slow count before the next one
      await sleep(intervalMs, end.signal);
      counting = count();
    }
  }

  return {
    last: () => last,
    whenCounted: () => counting,
    async close() {
      end.abort();
      await counting;
    },
  };
}

export interface SpokeStateCount {
  readonly state: string;
  readonly health: string;
  readonly count: number;
  readonly drifted: number;
}

export interface FleetCounts {
  readonly spokes: readonly SpokeStateCount[];
  readonly usage: UsageCounts;
  readonly templates: readonly { readonly state: string; readonly count: number }[];
  readonly lanes: LaneCounts;
  readonly restoreTests: RestoreTestStatistics;
  /** The earliest creation time among the newest backups of all active spokes. Null if no spoke is active. */
  readonly oldestBackup: Date | null;
  /** The time of the oldest audit event that should already be sealed (protected by a hash chain) but is not. */
  readonly oldestUnsealed: Date | null;
  /** The time of the oldest event that an active webhook has not delivered yet. */
  readonly oldestUndelivered: Date | null;
  readonly now: Date;
}

export async function countFleet(db: Database): Promise<FleetCounts> {
  const now = await db.now();
  return await db.transact(async (tx) => {
    const [spokes, usage, templates, lanes, restoreTests, oldestBackup, oldestUnsealed, oldestUndelivered] =
      await Promise.all([
        countSpokes(tx),
        countUsage(tx),
        tx.selectFrom("templates").select(["state", sql<number>`count(*)::integer`.as("count")]).groupBy("state")
          .execute(),
        countWaitingLanes(tx),
        countRestoreTests(tx),
        findOldestBackup(tx),
        findOldestUnsealedTime(tx, getLatestSealableTime(now)),
        findOldestUndeliveredTime(tx),
      ]);
    return { spokes, usage, templates, lanes, restoreTests, oldestBackup, oldestUnsealed, oldestUndelivered, now };
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
