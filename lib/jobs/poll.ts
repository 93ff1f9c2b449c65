/**
 * Polls the job queue with one SQL statement whose cost does not grow with the number of queued jobs. Reads the
 * first lanes (queues) that may have a job to run, and finds the oldest startable job in each lane. Jobs that change no
 * other rows are started immediately; the others are returned as candidates, to be claimed one by one (claim.ts).
 * docs/queue.md explains why no job is lost or started twice.
 */
import { CompiledQuery } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import type { ClaimableJob, SupportedJobKinds } from "#lib/jobs/claim.ts";
import type { Job } from "#lib/jobs/job.ts";
import { type JobRow, toJob } from "#lib/jobs/store.ts";
import { WAITS_FOR_TURN } from "#lib/jobs/turns.ts";

export interface PollResult {
  /** Jobs that the poll itself has started, oldest first. */
  readonly started: readonly Job[];
  /** Jobs that could be claimed at the time of the poll. */
  readonly candidates: readonly ClaimableJob[];
  /** Whether polling again immediately might find more jobs. */
  readonly hasMore: boolean;
  /** Whether a lane (queue) has a job whose kind only other replicas can run. */
  readonly wakeOthers: boolean;
  /** Milliseconds until the next delayed job of a supported kind is due. Null if no job is delayed. */
  readonly waitMs: number | null;
}

interface PollOptions {
  readonly supported: SupportedJobKinds;
  readonly holder: string;
  readonly limit: number;
}

/**
 * The maximum number of lanes (queues), and of jobs outside of any lane, that one poll reads. The query uses literals
 * for limits and subselects for parameters, so that PostgreSQL can reuse the query plan. Planning each poll would take
 * 1.6 ms of 2.2 ms.
 */
const MAX_READY_LANES = 128, MAX_JOBS_WITHOUT_LANE = 64;

/**
 * The SQL condition for a job that can start now. A constant string, because building it took 0.5 ms per poll. A
 * delayed or waiting job lets later jobs in its lane (queue) start. A job of an unknown kind blocks its lane, because
 * only a replica that knows the kind can decide which job may follow.
 */
const STARTABLE = `jobs.state = 'queued' and jobs.run_at <= (select now from clock)
  and (jobs.kind <> all((select $3::text[])::text[])
    or (select federations.state = 'active' from federations where federations.id = jobs.federation_id))
  and (jobs.spoke_id is null or not jobs.visible or not exists (
    select from jobs as other where other.spoke_id = jobs.spoke_id and other.state = 'running' and other.visible)
    and not ${WAITS_FOR_TURN})`;

const POLL_QUERY = `
  with clock as materialized (select wheelwright_now() as now),
  known as materialized (select * from unnest((select $1::text[]), (select $2::integer[])) as known (kind, plan)),
  calls as materialized (
    select call.* from (select kind, plan from known union all select '', 0) as its
    cross join lateral (
      select ctid as place, kind, plan, at, lane from ready_lanes where kind = its.kind and plan = its.plan order by at, id limit ${MAX_READY_LANES}
    ) as call
  ),
  due as materialized (
    select *, row_number() over (partition by lane, kind, plan order by at) > 1 as doubled
    from (select * from calls where at <= (select now from clock) order by at limit ${MAX_READY_LANES}) as call
  ),
  -- Takes the lane's lock like claimJob, so that no other replica starts a job in the lane during this statement.
  lanes as materialized (
    select *, pg_try_advisory_xact_lock(hashtextextended(lane, 0)) as held
    from (select lane from due group by lane order by min(at) limit $4) as due
  ),
  heads as materialized (
    select lanes.lane as called, head.*, (head.kind, head.plan) in (select kind, plan from known) as known
    from lanes left join lateral (
      select id, seq, kind, plan, run_at from jobs where lane = lanes.lane and ${STARTABLE}
        and not exists (select from jobs as other where other.lane = lanes.lane and other.state = 'running')
      order by seq limit 1
    ) as head on true
    where held
  ),
  loose as materialized (
    select id, seq, kind, plan from jobs where lane is null and (kind, plan) in (select kind, plan from known)
      and ${STARTABLE}
    order by run_at, seq limit ${MAX_JOBS_WITHOUT_LANE}
  ),
  found as materialized (
    select *, $5::jsonb -> (kind || '@' || plan) as labels from (
      select id, seq, kind, plan from heads where known union all select * from loose
    ) as jobs order by seq limit $4
  ),
  started as (
    update jobs set state = 'running', holder = $6, fence = nextval('job_fences'), attempt = attempt + 1,
      label = coalesce(labels ->> cardinality(finished_steps), label), started_at = coalesce(started_at, now), updated_at = now,
      deadline_at = coalesce(deadline_at, now + time_limit_ms * interval '1 millisecond')
    from found, clock
    where jobs.id = found.id and labels is not null and jobs.state = 'queued' and jobs.run_at <= now
    returning jobs.*
  ),
  handed as (
    insert into ready_lanes (kind, plan, at, lane) select kind, plan, run_at, called from heads where not known returning 1
  ),
  spent as (
    delete from ready_lanes where ctid = any(array(
      select place from due join heads on called = lane
      where heads.id is null or not heads.known or doubled or heads.id in (select id from started)
    )) returning 1
  )
  select job.*, (select count(*) from spent) as spent, (select count(*) from handed) as handed,
    (select count(*) from due) as due, (select count(*) from lanes) as lanes, (select count(*) from found) as found,
    extract(epoch from least(
      (select min(at) from calls where at > now),
      (select min(run_at) from jobs where state = 'queued' and lane is null and run_at > now
        and (kind, plan) in (select kind, plan from known))
    ) - now) * 1000 as wait
  from clock left join (
    select * from started
    union all select jobs.* from jobs join found using (id) where labels is null
  ) as job on true
  order by job.seq`;

/**
 * Polls the queue. Fails with a unique violation if two replicas start jobs of one lane (queue) at the same time. The
 * caller must then poll again.
 */
export async function pollJobQueue(
  rows: RowQueries,
  { supported: known, holder, limit }: PollOptions,
): Promise<PollResult> {
  const { kinds, plans, kindsNeedingHub: needHub, directStartLabels: labels } = known;
  const params = [kinds, plans, needHub, limit, JSON.stringify(labels), holder];
  const { rows: found } = await rows.executeQuery(CompiledQuery.raw(POLL_QUERY, params)) as { rows: PollRow[] };
  const [{ spent, handed, due, lanes, found: count, wait }] = found as [PollRow];
  const jobs = found.filter(({ id }) => id !== null).map(toJob);
  const started = jobs.filter(({ state }) => state === "running");
  const full = Number(due) === MAX_READY_LANES || Number(lanes) === limit || Number(count) === limit;
  return {
    started,
    candidates: jobs.filter(({ state }) => state === "queued").map((job) => ({
      ...job,
      finishedSteps: job.finishedSteps.length,
    })),
    hasMore: full && (started.length > 0 || Number(spent) > 0),
    wakeOthers: Number(handed) > 0,
    waitMs: wait === null ? null : Math.max(0, Number(wait)),
  };
}

/** The number of lanes (queues) that one call of `markMissedLanes` checks. */
const LANES_PER_CHECK = 1000;

const MARK_MISSED_LANES = `
  with recursive clock as materialized (select wheelwright_now() as now),
  known as materialized (select * from unnest((select $1::text[]), (select $2::integer[])) as known (kind, plan)),
  lanes as (
    (select lane, 1 as place from jobs where state = 'queued' and lane > $4 order by lane limit 1)
    union all
    select (select lane from jobs where state = 'queued' and lane > lanes.lane order by lane limit 1), place + 1
    from lanes where lane is not null and place < ${LANES_PER_CHECK}
  ),
  called as materialized (
    select lane from ready_lanes where lane in (select lane from lanes) and at <= (select now from clock)
      and (kind = '' or (kind, plan) in (select kind, plan from known))
  ),
  uncalled as materialized (
    select lanes.lane, head.run_at from lanes cross join lateral (
      select kind, plan, run_at from jobs where lane = lanes.lane and ${STARTABLE}
        and not exists (select from jobs as other where other.lane = lanes.lane and other.state = 'running')
      order by seq limit 1
    ) as head
    where (head.kind, head.plan) in (select kind, plan from known)
      and not exists (select from called where called.lane = lanes.lane)
  ),
  added as (insert into ready_lanes (at, lane) select run_at, lane from uncalled returning lane)
  select (select count(*) from added) as added, (select lane from lanes where place = ${LANES_PER_CHECK}) as last`;

export interface MissedLanes {
  /** The number of lanes (queues) that were newly marked as ready. */
  readonly added: number;
  /** The last lane that was checked; pass it to the next call. Empty if all lanes have been checked. */
  readonly last: string;
}

/**
 * Finds lanes (queues) with a startable job that database triggers failed to mark as ready, and marks them. Checks
 * 1,000 lanes per call. This is a safety net: normally no such lane exists.
 */
export async function markMissedLanes(
  rows: RowQueries,
  { kinds, plans, kindsNeedingHub: needHub }: SupportedJobKinds,
  after: string,
): Promise<MissedLanes> {
  const query = CompiledQuery.raw(MARK_MISSED_LANES, [kinds, plans, needHub, after]);
  const { rows: [row] } = await rows.executeQuery(query) as { rows: { added: string; last: string | null }[] };
  return { added: Number(row!.added), last: row!.last ?? "" };
}

interface PollRow extends JobRow {
  readonly spent: string;
  readonly handed: string;
  readonly due: string;
  readonly lanes: string;
  readonly found: string;
  readonly wait: string | null;
}
