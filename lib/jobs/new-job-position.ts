/**
 * Reads the queue position of a job that was just enqueued. A new job has no attempts and waits for no other operation,
 * so a small query suffices. PostgreSQL needs a millisecond only to start the query for any job (queue.ts).
 */
import { sql } from "kysely";
import type { Tx } from "#lib/drivers/db/database.ts";
import { prepareQuery } from "#lib/drivers/db/prepare.ts";
import type { Job } from "#lib/jobs/job.ts";
import {
  type JobQueuePosition,
  KINDS_NEEDING_HUB,
  readJobsById,
  readQueuePositions,
  selectMedianDuration,
  waitsForClusterCondition,
} from "#lib/jobs/queue.ts";

/** The jobs of one kind that are in the queue up to the new job, including the new job. */
interface JobsAhead {
  /** The ID of the running job, which has a separate row. Null for queued jobs. */
  readonly running: string | null;
  readonly jobs: number;
  /** The median duration of this kind in seconds. Null if no job of this kind ever succeeded. */
  readonly median: number | null;
  /** How long the running job has run, in seconds. 0 for queued jobs. */
  readonly elapsed: number;
  readonly waitsForCluster: boolean | null;
  /** The ID of the last queued job ahead of the new job. */
  readonly nextAhead: string | null;
  readonly hubState: string | null;
}

/** Subqueries hide the values, so that PostgreSQL plans the query only once. */
const selectJobsAhead = prepareQuery((_, values: Pick<Job, "lane" | "seq" | "federationId">) => {
  const lane = sql`(select ${values.lane}::text)`, seq = sql`(select ${values.seq}::bigint)`;
  return sql<JobsAhead>`
    select running, jobs, elapsed, waits_for_cluster, ${selectMedianDuration(sql`ahead.kind`)} as median,
      (select id from jobs where state = 'queued' and lane = ${lane} and seq < ${seq} order by seq desc limit 1)
        as next_ahead,
      (select state from federations where id = ${values.federationId}) as hub_state
    from (
      select kind, null as running, count(*)::integer as jobs, 0::float8 as elapsed,
        bool_or(${waitsForClusterCondition}) as waits_for_cluster
      from jobs where state = 'queued' and lane = ${lane} and seq <= ${seq} group by kind
      union all
      select kind, id, 1, extract(epoch from wheelwright_now() - started_at)::float8, ${waitsForClusterCondition}
      from jobs where state = 'running' and lane = ${lane}
    ) as ahead`;
});

/** Returns the position of a job that this transaction enqueued. The job must be the first job of a new spoke. */
export async function readNewJobPosition(tx: Tx, job: Job): Promise<JobQueuePosition> {
  const ahead = await selectJobsAhead(tx, { lane: job.lane, seq: job.seq, federationId: job.federationId });
  if (KINDS_NEEDING_HUB.includes(job.kind) && ahead[0]?.hubState !== "active") {
    return (await readQueuePositions(tx, [job.id])).get(job.id)!;
  }
  const isUnknown = ahead.some(({ median, waitsForCluster }) => waitsForCluster || median === null);
  const seconds = ahead.map(({ median, elapsed, jobs }) => jobs * Math.max(0, median! - elapsed));
  const first = ahead.find(({ running }) => running)?.running ?? ahead[0]!.nextAhead;
  return {
    position: ahead.reduce((sum, { jobs }) => sum + jobs, 0),
    etaSeconds: isUnknown ? null : Math.ceil(seconds.reduce((sum, each) => sum + each)),
    waitingFor: first === null ? null : (await readJobsById(tx, [first])).get(first) ?? null,
    nextAttemptAt: null,
    hubState: null,
    waitsForTurn: false,
  };
}
