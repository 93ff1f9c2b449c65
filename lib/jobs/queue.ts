/** Where live jobs stand in their lanes: how many are ahead, which one is waited for, and for how long. */
import { sql } from "kysely";
import type { Rows } from "#lib/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import { type JobRow, toJob } from "#lib/jobs/store.ts";

export interface Place {
  /** 1 when nothing of the lane is ahead. */
  readonly position: number;
  /** Null when one of those ahead, or the job itself, is of a kind that has never succeeded. */
  readonly etaSeconds: number | null;
  /** The operation that must end first: what runs in the lane, what runs for the same spoke, or the next one ahead. */
  readonly ahead: Job | null;
}

/** Past runs of a kind whose median is the estimate. */
const SAMPLE = 50;

/** The places of those of the jobs that are queued or running. One query, and one more if something is waited for. */
export async function readQueue(rows: Rows, ids: readonly string[]): Promise<Map<string, Place>> {
  if (ids.length === 0) return new Map();
  const { rows: places } = await sql<PlaceRow>`
    with wanted as (select * from jobs where id = any(${ids}::text[]) and state in ('queued', 'running')),
    live as (
      select id, kind, state, seq, spoke_id, started_at, coalesce(lane, id) as line
      from jobs where state in ('queued', 'running') and lane in (select lane from wanted)
      union all
      select id, kind, state, seq, spoke_id, started_at, id from wanted where lane is null
    ),
    usual as (
      select kind, (select percentile_cont(0.5) within group (order by took) from (
        select extract(epoch from finished_at - started_at) as took from jobs
        where jobs.kind = kinds.kind and state = 'succeeded' and visible order by finished_at desc limit ${SAMPLE}
      ) as past) as seconds
      from (select distinct kind from live) as kinds
    ),
    timed as (
      select live.*, case when state = 'running' and seconds is not null -- greatest passes over null
        then greatest(0, seconds - extract(epoch from wheelwright_now() - started_at)) else seconds end as remaining
      from live join usual using (kind)
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
    select placed.id, position::integer, case when unknown = 0 then ceil(eta)::integer end as eta,
      coalesce(
        case when first_state = 'running' and first_id <> placed.id then first_id end,
        (select other.id from jobs as other where other.spoke_id = placed.spoke_id and other.visible
          and other.state = 'running' and other.id <> placed.id),
        next_ahead
      ) as ahead
    from placed join wanted using (id)`.execute(rows);
  const ahead = await readJobs(rows, places.flatMap((place) => place.ahead ?? []));
  return new Map(places.map((place) => [place.id, {
    position: place.position,
    etaSeconds: place.eta,
    ahead: ahead.get(place.ahead ?? "") ?? null,
  }]));
}

async function readJobs(rows: Rows, ids: readonly string[]): Promise<Map<string, Job>> {
  if (ids.length === 0) return new Map();
  const found: JobRow[] = await rows.selectFrom("jobs").selectAll().where("id", "in", [...new Set(ids)]).execute();
  return new Map(found.map((row) => [row.id, toJob(row)]));
}

interface PlaceRow {
  id: string;
  position: number;
  eta: number | null;
  ahead: string | null;
}
