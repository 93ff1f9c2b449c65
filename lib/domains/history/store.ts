/** Adds up operations and used storage per day, for each hub and for all hubs, and reads the totals. */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { buildBucketExpression } from "#lib/domains/history/buckets.ts";
import { OPERATIONS } from "#lib/operations/table.ts";

/** The scope of the totals of all hubs. */
export const ALL_HUBS = "all";

export interface DailyTotal {
  readonly day: string;
  readonly measure: "install" | "wait" | "failure" | "storage";
  readonly key: string;
  readonly total: number;
}

const today = sql`((select wheelwright_now()) at time zone 'UTC')::date`;
const startOf = (day: RawBuilder<unknown>) => sql`(${day})::timestamp at time zone 'UTC'`;

/** Selects one row for each installation, wait and failure in the operations that match the condition. */
const selectParts = (condition: RawBuilder<SqlBool>) =>
  sql`
  select federation_id, (finished_at at time zone 'UTC')::date as day, measure, key
  from jobs cross join lateral (values
    ('install', case when kind = ${sql.lit(OPERATIONS.provision.name)} and state = 'succeeded'
      then ${buildBucketExpression(sql`finished_at - started_at`)} end),
    ('wait', case when requester_id <> ${sql.lit(SYSTEM_REQUESTER.userId)}
      then ${buildBucketExpression(sql`started_at - created_at`)} end),
    ('failure', case when state = 'failed' then coalesce(failure ->> 'code', 'unknown') end)
  ) as part (measure, key)
  where visible and finished_at is not null and key is not null and ${condition}`;

/** Lists the days since the last time that totals were added up, and today. A minute is left for late commits. */
export async function listDaysToTotal(rows: RowQueries, maximum: number): Promise<string[]> {
  const { rows: days } = await sql<{ day: string }>`
    select to_char(day, 'YYYY-MM-DD') as day from generate_series(
      greatest((
        select (to_timestamp(max(total)) at time zone 'UTC' - interval '1 minute')::date from daily_totals
        where scope = ${ALL_HUBS} and measure = 'added-up' and day > ${today} - ${maximum}::integer
      ), ${today} - ${maximum}::integer + 1)::timestamp,
      ${today}::timestamp, interval '1 day') as day
    order by day`.execute(rows);
  return days.map(({ day }) => day);
}

/** Adds up one day. Totals that have not changed are not written. */
export async function totalDay(rows: RowQueries, day: string): Promise<void> {
  const start = startOf(sql`${day}::date`), end = startOf(sql`${day}::date + 1`);
  const isWithin = sql<SqlBool>`finished_at >= ${start} and finished_at < ${end} and federation_id is not null`;
  await upsert(sql`
    select case when grouping(federation_id) = 1 then ${ALL_HUBS} else federation_id end, day, measure, key, count(*)
    from (${selectParts(isWithin)}) as parts
    group by grouping sets ((federation_id, day, measure, key), (day, measure, key))
    union all
    select ${ALL_HUBS}, ${day}::date, 'storage', key, sum(used)::bigint
    from hub_usage_samples cross join lateral (values ('files', files_used), ('database', database_used)) as disk (key, used)
    where grain = 'day' and at = ${start} and used is not null group by key
    union all
    select ${ALL_HUBS}, ${day}::date, 'added-up', '', extract(epoch from wheelwright_now())::bigint`).execute(rows);
}

const upsert = (totals: RawBuilder<unknown>) =>
  sql`
  insert into daily_totals as stored (scope, day, measure, key, total) ${totals}
  on conflict (scope, day, measure, key) do update set total = excluded.total where stored.total <> excluded.total`;

export interface HistoryScope {
  /** The IDs of hubs, or ALL_HUBS. */
  readonly scopes: readonly string[];
  /** The IDs of spokes that are in none of these hubs. */
  readonly spokeIds: readonly string[];
  readonly days: number;
}

/** Reads the totals of the last days, today included. */
export async function readDailyTotals(
  rows: RowQueries,
  { scopes, spokeIds, days }: HistoryScope,
): Promise<DailyTotal[]> {
  const first = sql`${today} - ${days}::integer + 1`, start = startOf(first);
  const isOwn = sql<SqlBool>`spoke_id = any(${spokeIds}::text[]) and finished_at >= ${start}`;
  const parts = [
    sql`select day, measure, key, total from daily_totals
      where scope = any(${scopes}::text[]) and day >= ${first} and measure <> 'added-up'`,
    selectStorage(sql`hub_usage_samples where federation_id = any(${scopes}::text[])`, start),
    ...(spokeIds.length === 0 ? [] : [
      sql`select day, measure, key, 1 from (${selectParts(isOwn)}) as parts`,
      selectStorage(sql`usage_samples where spoke_id = any(${spokeIds}::text[])`, start),
    ]),
  ];
  const { rows: totals } = await sql<DailyTotal>`
    select to_char(day, 'YYYY-MM-DD') as day, measure, key, sum(total)::float8 as total
    from (${sql.join(parts, sql` union all `)}) as parts group by parts.day, measure, key`.execute(rows);
  return totals;
}

/** Selects the used bytes of each sample and disk. */
function selectStorage(samples: RawBuilder<unknown>, start: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select (at at time zone 'UTC')::date, 'storage', key, used
    from (select at, files_used, database_used from ${samples} and grain = 'day' and at >= ${start}) as sample
    cross join lateral (values ('files', files_used), ('database', database_used)) as disk (key, used)
    where used is not null`;
}

/** Returns today's date (UTC), and when the totals were last added up. */
export async function readTotalsState(rows: RowQueries): Promise<{ today: string; updatedAt: Date | null }> {
  const { rows: [state] } = await sql<{ today: string; updatedAt: Date | null }>`
    select to_char(${today}, 'YYYY-MM-DD') as today, (
      select to_timestamp(max(total)) from daily_totals
      where scope = ${ALL_HUBS} and measure = 'added-up' and day >= ${today} - 1
    ) as updated_at`.execute(rows);
  return state!;
}
