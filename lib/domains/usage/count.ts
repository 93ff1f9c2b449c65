/** Adds up the usage of all sites, for metrics. */
import { sql } from "kysely";
import { CERTIFICATE_THRESHOLDS } from "#lib/domains/availability/certificate.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { STORAGE_THRESHOLDS } from "#lib/domains/usage/storage.ts";

export interface UsageCounts {
  readonly filesUsed: number;
  readonly filesSize: number;
  readonly databaseUsed: number;
  readonly databaseSize: number;
  readonly users: number;
  readonly activeUsers: number;
  /** The number of spokes with tasks that fail, and with failed checks of Moodle. */
  readonly failingTasks: number;
  readonly failedChecks: number;
  /** The number of spokes whose certificate ends within each number of days. */
  readonly certificates: readonly { readonly days: number; readonly spokes: number }[];
  /** The number of spokes at each threshold or above. */
  readonly low: readonly { readonly percent: number; readonly spokes: number }[];
}

const SUMS = ["filesUsed", "filesSize", "databaseUsed", "databaseSize", "users", "activeUsers"] as const;

export async function countUsage(rows: RowQueries): Promise<UsageCounts> {
  const [sums, spokes, ends] = await Promise.all([
    rows.selectFrom("spoke_usage").innerJoin("live_spokes", "live_spokes.spokeId", "spoke_usage.spokeId")
      .select(SUMS.map((name) => sql<number>`coalesce(sum(${sql.ref(name)}), 0)::double precision`.as(name)))
      .select([
        sql<number>`count(*) filter (where (task_health ->> 'failing')::bigint > 0)::integer`.as("failingTasks"),
        sql<number>`count(*) filter (where task_health -> 'failedChecks' -> 0 is not null)::integer`.as("failedChecks"),
      ])
      .executeTakeFirstOrThrow(),
    rows.selectFrom("live_spokes").select(["storageRank as percent", sql<number>`count(*)::integer`.as("count")])
      .where("storageRank", ">=", STORAGE_THRESHOLDS[0]).groupBy("storageRank").execute(),
    rows.selectFrom("page_checks").innerJoin("live_spokes", "live_spokes.spokeId", "page_checks.spokeId")
      .select(
        CERTIFICATE_THRESHOLDS.map((days) =>
          sql<number>`count(*) filter (where certificate_ends_at < wheelwright_now() + ${
            sql.lit(days)
          } * interval '1 day')
          ::integer`.as(`within${days}` as const)
        ),
      )
      .where(
        "certificateEndsAt",
        "<",
        sql<Date>`wheelwright_now() + ${sql.lit(CERTIFICATE_THRESHOLDS[0])} * interval '1 day'`,
      )
      .executeTakeFirstOrThrow(),
  ]);
  const low = STORAGE_THRESHOLDS.map((percent) => ({
    percent,
    spokes: spokes.reduce((sum, each) => each.percent >= percent ? sum + each.count : sum, 0),
  }));
  const certificates = CERTIFICATE_THRESHOLDS.map((days) => ({ days, spokes: ends[`within${days}`] }));
  return { ...sums as Omit<UsageCounts, "low" | "certificates">, low, certificates };
}
