/**
 * Claims queued jobs, and takes over jobs held by replicas that have stopped responding. A poll result (poll.ts) may be
 * outdated, so each claim is a separate short transaction. An advisory lock per lane (queue), a conditional update
 * and two partial unique indexes ensure that only one replica claims a job.
 */
import { sql } from "kysely";
import { violatesConstraint } from "#lib/drivers/db/faults.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { type JobRow, toJob } from "#lib/jobs/store.ts";
import { WAITS_FOR_TURN } from "#lib/jobs/turns.ts";

/** A job that could be claimed when the queue was polled. */
export interface ClaimableJob {
  readonly id: string;
  readonly kind: string;
  readonly plan: number;
  readonly lane: string | null;
  readonly federationId: string | null;
  readonly spokeId: string | null;
  readonly finishedSteps: number;
  readonly trace: string | null;
}

/** The job kinds that this replica can run, as parameters for the SQL queries. */
export interface SupportedJobKinds {
  readonly kinds: readonly string[];
  readonly plans: readonly number[];
  readonly kindsNeedingHub: readonly string[];
  /** Step labels, keyed by `kind@plan`, of the job kinds that a poll can start without changing other rows. */
  readonly directStartLabels: Readonly<Record<string, readonly string[]>>;
}

export function listSupportedJobKinds(
  kinds: readonly JobKind[],
  directKinds: readonly JobKind[] = [],
): SupportedJobKinds {
  return {
    kinds: kinds.map(({ kind }) => kind),
    plans: kinds.map(({ plan }) => plan),
    kindsNeedingHub: kinds.filter(({ needsActiveHub }) => needsActiveHub).map(({ kind }) => kind),
    directStartLabels: Object.fromEntries(
      directKinds.map(({ kind, plan, steps }) => [`${kind}@${plan}`, steps.map(({ label }) => label)]),
    ),
  };
}

interface Claim {
  readonly holder: string;
  readonly label: string;
}

/** Claims the job. Returns null if another replica claimed it first. Wrap the call in `catchClaimConflict`. */
export async function claimJob(
  tx: Tx,
  candidate: ClaimableJob,
  supported: SupportedJobKinds,
  claim: Claim,
): Promise<Job | null> {
  if (candidate.lane !== null) {
    const { rows: [lock] } = await sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${candidate.lane}, 0)) as taken`.execute(tx);
    if (!lock!.taken) return null;
  }
  const { rows: [row] } = await sql<JobRow>`
    update jobs set state = 'running', holder = ${claim.holder}, fence = nextval('job_fences'),
      attempt = attempt + 1, label = ${claim.label},
      started_at = coalesce(started_at, wheelwright_now()),
      deadline_at = coalesce(deadline_at, wheelwright_now() + time_limit_ms * interval '1 millisecond'),
      updated_at = wheelwright_now()
    where id = ${candidate.id} and state = 'queued' and run_at <= wheelwright_now() and ${isStartable(supported)}
    returning *`.execute(tx);
  return row ? toJob(row) : null;
}

/** Returns the result of `work`, or null if a unique index rejects the claim because another replica was faster. */
export async function catchClaimConflict<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (violatesConstraint(error, "jobs_one_running_per_lane")) return null;
    if (violatesConstraint(error, "jobs_one_running_operation_per_spoke")) return null;
    throw error;
  }
}

export interface OrphanedJob {
  readonly id: string;
  readonly fence: string;
}

export interface ReplicaHeartbeat {
  readonly id: string;
  /** The ID of the transaction that last wrote the row. Each heartbeat changes this ID, so no clocks are compared. */
  readonly version: string;
}

export interface JobTakeover {
  readonly holder: string;
  /** The replicas that have stopped responding, each with its last heartbeat. */
  readonly silent: readonly ReplicaHeartbeat[];
}

/** Returns the last heartbeat of each other replica that is running a job. */
export async function readReplicaHeartbeats(rows: RowQueries, ownId: string): Promise<ReplicaHeartbeat[]> {
  const { rows: result } = await sql<ReplicaHeartbeat>`
    select id, xmin::text as version from replicas
    where id <> ${ownId} and id in (select holder from jobs where state = 'running')`.execute(rows);
  return result;
}

/**
 * Finds jobs that are marked as running although no replica runs them. Either their replica has stopped responding, or
 * this replica released them when its lease ended. `running` lists the jobs that this replica still runs.
 */
export async function findOrphanedJobs(
  rows: RowQueries,
  supported: SupportedJobKinds,
  { holder, running, silent, most: limit }: JobTakeover & { running: readonly string[]; most: number },
): Promise<OrphanedJob[]> {
  const { rows: result } = await sql<OrphanedJob>`
    select jobs.id, jobs.fence from jobs join replicas on replicas.id = jobs.holder
    where jobs.state = 'running' and ${isSupportedKind(supported)} and jobs.id <> all(${running}::text[])
      and (holder = ${holder} or ${isSilentReplica(silent)})
    order by seq limit ${limit}`.execute(rows);
  return result;
}

/** Assigns the orphaned job to a new replica with a new claim number. Returns null if the job is no longer orphaned. */
export async function takeOverJob(tx: Tx, orphan: OrphanedJob, { holder, silent }: JobTakeover): Promise<Job | null> {
  const { rows: [row] } = await sql<JobRow>`
    update jobs set holder = ${holder}, fence = nextval('job_fences'), updated_at = wheelwright_now()
    from replicas
    where jobs.id = ${orphan.id} and jobs.fence = ${orphan.fence} and state = 'running'
      and replicas.id = jobs.holder and (holder = ${holder} or ${isSilentReplica(silent)})
    returning jobs.*`.execute(tx);
  return row ? toJob(row) : null;
}

function isSupportedKind({ kinds, plans }: SupportedJobKinds) {
  return sql`(kind, plan) in (select * from unnest(${kinds}::text[], ${plans}::integer[]))`;
}

function isSilentReplica(silent: readonly ReplicaHeartbeat[]) {
  const ids = silent.map(({ id }) => id), versions = silent.map(({ version }) => version);
  return sql`(replicas.id, replicas.xmin::text) in (select * from unnest(${ids}::text[], ${versions}::text[]))`;
}

function isStartable({ kindsNeedingHub }: SupportedJobKinds) {
  return sql`
    (kind <> all(${kindsNeedingHub}::text[])
      or exists (select from federations where federations.id = jobs.federation_id and federations.state = 'active'))
    and (spoke_id is null or not visible or not exists (
      select from jobs as other where other.spoke_id = jobs.spoke_id and other.state = 'running' and other.visible)
      and not ${sql.raw(WAITS_FOR_TURN)})`;
}
