/**
 * Stores the minutes of spokes, adds them up per day, and reads them per month. Per hour, a row has one set of minutes
 * for each kind. Storing a result again changes nothing: the first result of a minute remains.
 */
import { sql } from "kysely";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { computeAvailability, type MinuteCounts, type MinuteKind } from "#lib/domains/availability/minutes.ts";
import type { CertificateState } from "#lib/domains/availability/certificate.ts";
import type { Availability, SpokeAvailability } from "#lib/domains/availability/views.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";

export interface MeasuredMinute {
  readonly spokeId: string;
  readonly minute: Date;
  readonly kind: MinuteKind;
}

/** Stores minutes in one statement. Unknown minutes are not stored, because every minute without a result is unknown. */
export async function saveMinutes(rows: RowQueries, measured: readonly MeasuredMinute[]): Promise<void> {
  const hours = [...groupByHour(measured).values()];
  if (hours.length === 0) return;
  const column = (kind: "up" | "down" | "planned") => hours.map((sets) => String(sets[kind]));
  const [ids, starts] = [hours.map(({ spokeId }) => spokeId), hours.map(({ hour }) => hour)];
  await sql`
    insert into availability_hours as stored (spoke_id, hour, up, down, planned)
    select id, hour, up, down, planned from unnest(${ids}::text[], ${starts}::timestamptz[], ${column("up")}::bigint[],
      ${column("down")}::bigint[], ${column("planned")}::bigint[]) as measured (id, hour, up, down, planned)
    order by id, hour
    on conflict (spoke_id, hour) do update set
      up = stored.up | (excluded.up & ~(stored.down | stored.planned)),
      down = stored.down | (excluded.down & ~(stored.up | stored.planned)),
      planned = stored.planned | (excluded.planned & ~(stored.up | stored.down))`.execute(rows);
}

interface HourSets {
  readonly spokeId: string;
  readonly hour: Date;
  up: bigint;
  down: bigint;
  planned: bigint;
}

function groupByHour(measured: readonly MeasuredMinute[]): Map<string, HourSets> {
  const hours = new Map<string, HourSets>();
  for (const { spokeId, minute, kind } of measured) {
    if (kind === "unknown") continue;
    const hour = new Date(Math.floor(minute.getTime() / HOUR) * HOUR), key = `${spokeId} ${hour.getTime()}`;
    const sets = hours.get(key) ?? { spokeId, hour, up: 0n, down: 0n, planned: 0n };
    sets[kind] |= 1n << BigInt(Math.floor((minute.getTime() - hour.getTime()) / MINUTE));
    hours.set(key, sets);
  }
  return hours;
}

/**
 * Adds up the minutes of one day for up to `limit` spokes with IDs above `after`. Minutes without a result are unknown.
 * Excludes the last two minutes, whose results may not be stored yet. A spoke counts from the time at which its site was
 * first ready until its removal. Returns the last ID, or null if fewer than `limit` spokes were left.
 */
export async function addUpDay(
  rows: RowQueries,
  day: string,
  batch: { readonly after: string; readonly limit: number },
): Promise<string | null> {
  const { rows: [added] } = await sql<{ count: string; last: string | null }>`
    with period as materialized (
      select ${day}::date::timestamp at time zone 'UTC' as first, least((${day}::date + 1)::timestamp at time zone 'UTC',
        date_trunc('minute', wheelwright_now()) - interval '2 minutes') as until
    ), batch as materialized (
      select id, federation_id, greatest(first, ready_at) as first, least(until, coalesce(removed_at, until)) as until
      from spokes, period
      where id > ${batch.after} and first < until and ready_at < until and (removed_at is null or removed_at > first)
      order by id limit ${batch.limit}
    ), added as (insert into availability_days (spoke_id, federation_id, day, up, down, planned, unknown)
    select id, federation_id, ${day}::date, up, down, planned,
      greatest(0, round(extract(epoch from until - first) / 60) - up - down - planned)
    from batch cross join lateral (
      select coalesce(sum(bit_count(hours.up::bit(64))), 0) as up, coalesce(sum(bit_count(hours.down::bit(64))), 0) as down,
        coalesce(sum(bit_count(hours.planned::bit(64))), 0) as planned
      from availability_hours as hours, period
      where hours.spoke_id = batch.id and hours.hour >= period.first and hours.hour < period.until
    ) as counts
    order by id
    on conflict (spoke_id, day) do update
      set up = excluded.up, down = excluded.down, planned = excluded.planned, unknown = excluded.unknown
    returning spoke_id)
    select count(*) as count, max(spoke_id) as last from added`.execute(rows);
  return Number(added!.count) < batch.limit ? null : added!.last;
}

/** Adds up the minutes of one day for all hubs, from the minutes of their spokes. */
export async function addUpHubDay(rows: RowQueries, day: string): Promise<void> {
  await sql`
    insert into availability_hub_days (federation_id, day, up, down, planned, unknown)
    select federation_id, day, sum(up), sum(down), sum(planned), sum(unknown) from availability_days
    where day = ${day}::date group by federation_id, day order by federation_id
    on conflict (federation_id, day) do update
      set up = excluded.up, down = excluded.down, planned = excluded.planned, unknown = excluded.unknown`.execute(rows);
}

/** Returns the days to add up, oldest first: from the last day that was added up until today. */
export async function listDaysToAddUp(rows: RowQueries): Promise<string[]> {
  const { rows: days } = await sql<{ day: string }>`
    select to_char(day, 'YYYY-MM-DD') as day from generate_series(
      greatest(
        coalesce(
          (select max(day) from availability_hub_days),
          (select (min(hour) at time zone 'UTC')::date from availability_hours),
          (wheelwright_now() at time zone 'UTC')::date
        ),
        (wheelwright_now() at time zone 'UTC')::date - 60
      )::timestamp,
      (wheelwright_now() at time zone 'UTC')::date::timestamp, interval '1 day') as day
    order by day`.execute(rows);
  return days.map(({ day }) => day);
}

export async function readSpokeAvailability(rows: RowQueries, spokeId: string): Promise<SpokeAvailability> {
  const check = await rows.selectFrom("page_checks").select(["problem", "certificateEndsAt"]).where(
    "spokeId",
    "=",
    spokeId,
  )
    .executeTakeFirst();
  const { months } = await readMonths(rows, sql`availability_days where spoke_id = ${spokeId}`);
  return { problem: check?.problem ?? null, certificateEndsAt: check?.certificateEndsAt ?? null, months };
}

export async function readHubAvailability(rows: RowQueries, federationId: string): Promise<Availability> {
  return await readMonths(rows, sql`availability_hub_days where federation_id = ${federationId}`);
}

async function readMonths(rows: RowQueries, source: ReturnType<typeof sql>): Promise<Availability> {
  const { rows: months } = await sql<{ month: string } & MinuteCounts>`
    select to_char(day, 'YYYY-MM') as month, sum(up)::float8 as up, sum(down)::float8 as down,
      sum(planned)::float8 as planned, sum(unknown)::float8 as unknown
    from ${source} group by 1 order by 1 desc limit ${MAX_MONTHS}`.execute(rows);
  return {
    months: months.map(({ month, ...counts }) => ({ month, availability: computeAvailability(counts), ...counts })),
  };
}

const MAX_MONTHS = 25;

/** Why the login page does not work, the host whose public address has answered, and its certificate. */
export interface PageCheck extends CertificateState {
  readonly spokeId: string;
  readonly problem: string | null;
  readonly reachedHost: string | null;
}

/** Stores changed results. The caller must have locked the rows of the spokes. */
export async function savePageChecks(tx: Tx, checks: readonly PageCheck[]): Promise<void> {
  const [ids, problems, hosts] = [
    checks.map(({ spokeId }) => spokeId),
    checks.map(({ problem }) => problem?.slice(0, 500) ?? null),
    checks.map(({ reachedHost }) => reachedHost),
  ];
  const ends = checks.map(({ certificateEndsAt }) => certificateEndsAt);
  const warned = checks.map(({ certificateWarnedDays }) => certificateWarnedDays);
  await sql`
    insert into page_checks (spoke_id, problem, reached_host, certificate_ends_at, certificate_warned_days)
    select * from unnest(${ids}::text[], ${problems}::text[], ${hosts}::text[], ${ends}::timestamptz[], ${warned}::smallint[])
    on conflict (spoke_id) do update set problem = excluded.problem, reached_host = excluded.reached_host,
      certificate_ends_at = excluded.certificate_ends_at, certificate_warned_days = excluded.certificate_warned_days,
      updated_at = wheelwright_now()`.execute(tx);
}
