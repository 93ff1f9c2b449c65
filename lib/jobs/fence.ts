/**
 * Updates running jobs only if the caller still holds them. Every claim or takeover gives the job a higher number, its
 * fence (fencing token). If a replica writes with an old fence, no row matches and its transaction is rolled back.
 */
import { CompiledQuery, sql, type UpdateObject } from "kysely";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { FailureReport, Job } from "#lib/jobs/job.ts";
import { type JobRow, toJob } from "#lib/jobs/store.ts";

/** A job ID with the fence (claim number) that a writer must present to update the job. */
export interface JobFence {
  readonly id: string;
  readonly fence: string;
}

/** Thrown when another replica has taken over the job. */
export class FenceLostError extends Error {
  constructor(jobFence: JobFence) {
    super(`This replica no longer holds job ${jobFence.id} with fence (claim number) ${jobFence.fence}`);
    this.name = "FenceLostError";
  }
}

interface HeldJobChange {
  readonly label?: string;
  /** The step to add to the list of finished steps. Ignored if the list already contains it. */
  readonly stepDone?: string;
  /** Values to merge into the job's stored progress. */
  readonly progress?: Readonly<Record<string, unknown>>;
}

/** Updates a running job and returns it. Throws FenceLostError if another replica has taken over the job. */
export async function updateHeldJob(tx: RowQueries, jobFence: JobFence, change: HeldJobChange = {}): Promise<Job> {
  const { label, stepDone, progress } = change;
  return await writeColumns(tx, jobFence, {
    ...(label !== undefined && { label }),
    ...(stepDone !== undefined && { finishedSteps: appendStep(stepDone) }),
    ...(progress && { progress: sql<string>`progress || ${JSON.stringify(progress)}::jsonb` }),
  });
}

/**
 * Marks a step as finished and sets the label of the next step. Returns the updated job, or null if the step was
 * already recorded or another replica has taken over the job.
 */
export async function recordStep(tx: Tx, jobFence: JobFence, step: string, label: string): Promise<Job | null> {
  const row = await tx.updateTable("jobs")
    .set({
      updatedAt: sql<Date>`wheelwright_now()`,
      label,
      finishedSteps: sql<string[]>`array_append(finished_steps, ${step})`,
      stepTimes: sql<string>`step_times || jsonb_build_object(${step}::text, wheelwright_now())`,
    })
    .where("id", "=", jobFence.id).where("fence", "=", jobFence.fence).where("state", "=", "running")
    .where(sql<boolean>`${step} <> all(finished_steps)`)
    .returningAll().executeTakeFirst();
  return row ? toJob(row) : null;
}

interface Ending {
  readonly state: "succeeded" | "failed" | "cancelled";
  readonly label: string;
  readonly failure: FailureReport | null;
  readonly stepDone?: string;
}

/** Ends the job, which frees its lane (queue) after the commit. Throws FenceLostError if another replica has it. */
export async function endHeldJob(tx: Tx, jobFence: JobFence, ending: Ending): Promise<Job> {
  tx.wakes.add("jobs");
  return await writeColumns(tx, jobFence, {
    ...(ending.stepDone !== undefined && { finishedSteps: appendStep(ending.stepDone) }),
    state: ending.state,
    holder: null,
    finishedAt: sql<Date>`wheelwright_now()`,
    label: ending.label,
    failure: ending.failure && JSON.stringify(ending.failure),
  });
}

/** The SQL that ends a job. A constant string, because building this query would cost more than running it. */
const END_JOB_DIRECTLY = `update jobs set state = 'succeeded', holder = null, label = 'Done', failure = null,
    finished_steps = array_append(finished_steps, $3), finished_at = wheelwright_now(), updated_at = wheelwright_now()
  where id = $1 and fence = $2 and state = 'running' returning *`;

/**
 * Marks a job as succeeded in a single statement, for jobs that change no other rows. It wakes no other replica, so the
 * caller must poll the queue afterwards. Throws FenceLostError if another replica has taken over the job.
 */
export async function endJobInOneStatement(rows: RowQueries, jobFence: JobFence, stepDone: string): Promise<Job> {
  const { rows: [row] } = await rows.executeQuery<JobRow>(
    CompiledQuery.raw(END_JOB_DIRECTLY, [jobFence.id, jobFence.fence, stepDone]) as CompiledQuery<JobRow>,
  );
  if (!row) throw new FenceLostError(jobFence);
  return toJob(row);
}

export interface RequeueOptions {
  readonly label: string;
  /** The delay before the job may be claimed again, in milliseconds. */
  readonly delayMs: number;
  /** Whether this run counts as an attempt of the job. An interrupted run does not count. */
  readonly countsAsAttempt: boolean;
  /** The ID of an operation that must end before this job continues. The job's time limit then starts again. */
  readonly waitsFor?: string;
  readonly failure?: FailureReport;
  readonly progress?: Readonly<Record<string, unknown>>;
}

/** Requeues the job and keeps its finished steps. Throws FenceLostError if another replica has taken over the job. */
export async function requeueHeldJob(tx: Tx, jobFence: JobFence, requeue: RequeueOptions): Promise<Job> {
  tx.wakes.add("jobs");
  return await writeColumns(tx, jobFence, {
    state: "queued",
    holder: null,
    label: requeue.label,
    runAt: sql<Date>`wheelwright_now() + ${requeue.delayMs}::float8 * interval '1 millisecond'`,
    attempt: sql<number>`attempt - ${requeue.countsAsAttempt ? 0 : 1}::integer`,
    ...(requeue.waitsFor !== undefined && { waitsFor: requeue.waitsFor, deadlineAt: null }),
    ...(requeue.failure && { failure: JSON.stringify(requeue.failure) }),
    ...(requeue.progress && { progress: sql<string>`progress || ${JSON.stringify(requeue.progress)}::jsonb` }),
  });
}

function appendStep(step: string) {
  return sql<string[]>`case when ${step}::text = any(finished_steps) then finished_steps
    else array_append(finished_steps, ${step}::text) end`;
}

async function writeColumns(
  tx: RowQueries,
  jobFence: JobFence,
  columns: UpdateObject<Schema, "jobs", "jobs">,
): Promise<Job> {
  const row = await tx.updateTable("jobs").set({ updatedAt: sql<Date>`wheelwright_now()`, ...columns })
    .where("id", "=", jobFence.id).where("fence", "=", jobFence.fence).where("state", "=", "running")
    .returningAll().executeTakeFirst();
  if (!row) throw new FenceLostError(jobFence);
  return toJob(row);
}
