/** Reads where jobs are in the queue, what they wait for, and when they may end. Also counts operations. */
import { type RawBuilder, sql, type SqlBool } from "kysely";
import { CLUSTER_UNAVAILABLE_CODES } from "#lib/drivers/cluster/availability.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { prepareQuery } from "#lib/drivers/db/prepare.ts";
import type { Job } from "#lib/jobs/job.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { type JobRow, toJob } from "#lib/jobs/store.ts";
import { WAITS_FOR_TURN } from "#lib/jobs/turns.ts";

export interface JobQueuePosition {
  /** The job's position in its queue, starting with 1. */
  readonly position: number;
  /**
   * The estimated seconds until the job ends. Null if this job or a job ahead of it waits for a cluster, or if no job
   * of its kind ever succeeded.
   */
  readonly etaSeconds: number | null;
  /**
   * The operation that must end before this job starts, or null. It may be the hub's setup, an operation that a step
   * waits for, an operation running on the same spoke, or a job ahead in the queue. A failed hub setup stays here
   * until a user retries it.
   */
  readonly waitingFor: Job | null;
  /** When the next attempt starts. Null if no attempt is delayed. */
  readonly nextAttemptAt: Date | null;
  /** The hub's state if the job waits for the hub to become active. `waitingFor` is then the hub's operation. */
  readonly hubState: string | null;
  /** Whether the job waits until other operations of a large bulk action end. */
  readonly waitsForTurn: boolean;
}

/** The maximum number of past runs whose median duration is used as the estimate. */
const MAX_SAMPLES = 50;
export const KINDS_NEEDING_HUB: readonly string[] = Object.values(OPERATIONS)
  .filter(({ kind }) => kind.needsActiveHub).map(({ name }) => name);

/** An SQL condition for jobs whose next step waits for a cluster. Nobody knows when the cluster recovers. Can be null. */
export const waitsForClusterCondition = sql<boolean | null>`(failure ->> 'code' = any(${
  sqlTexts(CLUSTER_UNAVAILABLE_CODES)
}) and failure ->> 'step' <> all(finished_steps))`;

/** Returns an SQL expression for the median duration in seconds of past runs of this kind. */
export function selectMedianDuration(kind: RawBuilder<string>): RawBuilder<number | null> {
  return sql`(select percentile_cont(0.5) within group (order by took) from (
    select extract(epoch from finished_at - started_at) as took from jobs
    where jobs.kind = ${kind} and state = 'succeeded' and visible
    order by finished_at desc limit ${sql.lit(MAX_SAMPLES)}
  ) as past)`;
}

/**
 * Planning this query takes longer than running it. PostgreSQL plans a prepared query only once if its parameters do not
 * change the plan. So the query contains constants instead of parameters, and a subquery hides the number of IDs.
 */
const selectQueuePositions = prepareQuery((_, { ids }: { readonly ids: readonly string[] }) =>
  sql<QueueRow>`
    with wanted as (
    select *, (select other.id from jobs as other where other.id = jobs.waits_for and jobs.state = 'queued'
      and other.state in ('queued', 'running')) as awaited
    from jobs where id = any((select ${ids}::text[])::text[]) and state in ('queued', 'running')
  ),
  live as (
    select each.* from (select distinct lane from wanted where lane is not null) as known cross join lateral (
      select id, kind, state, seq, spoke_id, started_at, failure, finished_steps, lane as line
      from jobs where state = 'queued' and lane = known.lane
      union all -- PostgreSQL has an index for each half of this union
      select id, kind, state, seq, spoke_id, started_at, failure, finished_steps, lane
      from jobs where state = 'running' and lane = known.lane
      offset 0 -- makes PostgreSQL read one lane at a time
    ) as each
    union all
    select id, kind, state, seq, spoke_id, started_at, failure, finished_steps, id from wanted where lane is null
  ),
  usual as (
    select kind, ${selectMedianDuration(sql`kinds.kind`)} as seconds
    from (select distinct kind from live) as kinds
  ),
  timed as (
    select live.*, case
      when ${waitsForClusterCondition} then null
      when state = 'running' and seconds is not null -- greatest() ignores nulls
      then greatest(0, seconds - extract(epoch from wheelwright_now() - started_at)) else seconds end as remaining
    from live join usual using (kind)
  ),
  held as (
    select wanted.id, federations.state as hub_state, (
      select own.id from jobs as own where own.federation_id = federations.id and own.spoke_id is null and own.visible
      order by (own.state in ('queued', 'running')) desc, own.seq desc limit 1
    ) as operation
    from wanted join federations on federations.id = wanted.federation_id
    where wanted.kind = any(${
    sqlTexts(KINDS_NEEDING_HUB)
  }) and wanted.state = 'queued' and federations.state <> 'active'
  ),
  placed as (
    select *, row_number() over ahead as position,
      lag(id) over ahead as next_ahead,
      first_value(id) over ahead as first_id,
      first_value(state) over ahead as first_state,
      sum(remaining) over ahead as eta,
      count(*) filter (where remaining is null) over ahead as unknown
    from timed
    window ahead as (partition by line order by (state = 'running') desc, seq rows unbounded preceding)
  )
  select placed.id, position::integer, turn is not null as waits_for_turn,
    case when unknown = 0 and turn is null then ceil(eta)::integer end as eta,
    case when run_at > wheelwright_now() and wanted.awaited is null then run_at end as next_try, held.hub_state,
    coalesce(
      held.operation,
      wanted.awaited,
      turn,
      case when first_state = 'running' and first_id <> placed.id then first_id end,
      (select other.id from jobs as other where other.spoke_id = placed.spoke_id and other.visible
        and other.state = 'running' and other.id <> placed.id),
      next_ahead
    ) as ahead
  from placed join wanted using (id) left join held using (id) left join lateral (
    select granted.job_id as turn from turns as own join turns as granted using (cluster)
    where own.spoke_id = placed.spoke_id and not own.granted and own.seq <= placed.seq and granted.granted
    order by granted.seq limit 1
  ) as turns on true`
);

/** Returns the queue positions of those given jobs that are queued or running. Sends at most two queries. */
export async function readQueuePositions(
  rows: RowQueries,
  ids: readonly string[],
): Promise<Map<string, JobQueuePosition>> {
  if (ids.length === 0) return new Map();
  const positions = await selectQueuePositions(rows, { ids });
  const ahead = await readJobsById(rows, positions.flatMap((row) => row.ahead ?? []));
  return new Map(positions.map((row) => [row.id, {
    position: row.position,
    etaSeconds: row.eta,
    waitingFor: ahead.get(row.ahead ?? "") ?? null,
    nextAttemptAt: row.nextTry,
    hubState: row.hubState,
    waitsForTurn: row.waitsForTurn,
  }]));
}

interface QueueCounts {
  readonly queued: number;
  readonly running: number;
  /** How long the oldest queued operation has waited, in seconds. Null if no operation is queued. */
  readonly oldestWaitSeconds: number | null;
}

/** Counts the queued and running operations that match the SQL condition. */
export async function countLiveOperations(rows: RowQueries, condition: RawBuilder<SqlBool>): Promise<QueueCounts> {
  const { rows: [count] } = await sql<QueueCounts>`
    select count(*) filter (where state = 'queued')::integer as queued,
      count(*) filter (where state = 'running')::integer as running,
      floor(extract(epoch from wheelwright_now() - min(created_at) filter (where state = 'queued')))::integer
        as oldest_wait_seconds
    from jobs where visible and state in ('queued', 'running') and ${condition}`.execute(rows);
  return count!;
}

/** Matches operations that could start now but wait for a replica with a free slot. */
const WAITS_FOR_REPLICA = sql<SqlBool>`visible and state = 'queued' and run_at <= wheelwright_now()
  and (kind <> all(${KINDS_NEEDING_HUB}::text[])
    or (select federations.state = 'active' from federations where federations.id = jobs.federation_id))
  and not exists (select from jobs as other where other.state = 'running'
    and (other.lane = jobs.lane or other.spoke_id = jobs.spoke_id and other.visible))
  and not ${sql.raw(WAITS_FOR_TURN)}`;

export interface LaneCounts {
  /** The number of lanes (queues) with an operation that could start but has not been started. */
  readonly queued: number;
  readonly running: number;
  /** The longest time that an operation has waited for a replica, in seconds; 0 if no operation waits. */
  readonly longestWaitSeconds: number;
}

export async function countWaitingLanes(rows: RowQueries): Promise<LaneCounts> {
  const { rows: [count] } = await sql<LaneCounts>`
    select count(distinct lane)::integer as queued,
      (select count(*)::integer from jobs where visible and state = 'running') as running,
      coalesce(extract(epoch from wheelwright_now() - min(run_at)), 0)::float8 as longest_wait_seconds
    from jobs where ${WAITS_FOR_REPLICA}`.execute(rows);
  return count!;
}

/** Whether an operation waits for a free replica. Ignores operations overdue by an hour: no replica can run them. */
export async function isReplicaNeeded(rows: RowQueries): Promise<boolean> {
  const { rows: [first] } = await sql`
    select from jobs where ${WAITS_FOR_REPLICA} and run_at > wheelwright_now() - interval '1 hour' limit 1`.execute(
    rows,
  );
  return first !== undefined;
}

/** Returns an SQL array that contains the texts as constants. */
function sqlTexts(texts: readonly string[]): RawBuilder<string[]> {
  return sql`array[${sql.join(texts.map((text) => sql.lit(text)))}]::text[]`;
}

export async function readJobsById(rows: RowQueries, ids: readonly string[]): Promise<Map<string, Job>> {
  if (ids.length === 0) return new Map();
  const found: JobRow[] = await rows.selectFrom("jobs").selectAll().where("id", "in", [...new Set(ids)]).execute();
  return new Map(found.map((row) => [row.id, toJob(row)]));
}

interface QueueRow {
  id: string;
  position: number;
  eta: number | null;
  ahead: string | null;
  nextTry: Date | null;
  hubState: string | null;
  waitsForTurn: boolean;
}
