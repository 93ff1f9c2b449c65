/** Adds up the usage of all sites, for metrics. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { STORAGE_THRESHOLDS } from "#lib/domains/usage/storage.ts";

export interface UsageCounts {
  readonly filesUsed: number;
  readonly filesSize: number;
  readonly databaseUsed: number;
  readonly databaseSize: number;
  readonly users: number;
  readonly activeUsers: number;
  /** The number of spokes at each threshold or above. */
  readonly low: readonly { readonly percent: number; readonly spokes: number }[];
}

const SUMS = ["filesUsed", "filesSize", "databaseUsed", "databaseSize", "users", "activeUsers"] as const;

export async function countUsage(rows: RowQueries): Promise<UsageCounts> {
  const [sums, spokes] = await Promise.all([
    rows.selectFrom("spoke_usage").innerJoin("live_spokes", "live_spokes.spokeId", "spoke_usage.spokeId")
      .select(SUMS.map((name) => sql<number>`coalesce(sum(${sql.ref(name)}), 0)::double precision`.as(name)))
      .executeTakeFirstOrThrow(),
    rows.selectFrom("live_spokes").select(["storageRank as percent", sql<number>`count(*)::integer`.as("count")])
      .where("storageRank", ">=", STORAGE_THRESHOLDS[0]).groupBy("storageRank").execute(),
  ]);
  const low = STORAGE_THRESHOLDS.map((percent) => ({
    percent,
    spokes: spokes.reduce((sum, each) => each.percent >= percent ? sum + each.count : sum, 0),
  }));
  return { ...sums as Omit<UsageCounts, "low">, low };
}
