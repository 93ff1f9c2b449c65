/**
 * What the holder of a running job may write, and nothing without its fence.
 *
 * The fence is a number that grows with every claim and every takeover. A holder that was given up for dead may still
 * be alive and know nothing of it: its writes find no row, and whatever it was about to record is rolled back with them.
 */
import { CompiledQuery, sql } from "kysely";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { FailureReport, Job } from "#lib/jobs/job.ts";
import { type JobRow, toJob } from "#lib/jobs/store.ts";

/** Which job, and by which right. */
export interface JobFence {
  readonly id: string;
  readonly fence: string;
}

/** The job is no longer this holder's. Whatever it still wanted to do, somebody else does. */
export class FenceLost extends Error {
  constructor(held: JobFence) {
    super(`Job ${held.id} is no longer held with fence ${held.fence}`);
    this.name = "FenceLost";
  }
}

interface HeldJobChange {
  readonly label?: string;
  /** Appended to the steps done; one that stands there already is not repeated. */
  readonly stepDone?: string;
  /** Merged into what is there. */
  readonly progress?: Readonly<Record<string, unknown>>;
}

/** Writes what changed while the job runs, and returns the job as it is now. Throws FenceLost. */
export async function updateHeldJob(tx: Tx, held: JobFence, change: HeldJobChange = {}): Promise<Job> {
  const { label, stepDone, progress } = change;
  return await writeColumns(tx, held, {
    ...(label !== undefined && { label }),
    ...(stepDone !== undefined && { stepsDone: appendStep(stepDone) }),
    ...(progress && { progress: sql<string>`progress || ${JSON.stringify(progress)}::jsonb` }),
  });
}

/**
 * Writes that the step is done and the next one begun, and returns the job. Null when that was written already, or when
 * the job is no longer this holder's: `writeHeld` tells which.
 */
export async function recordStep(tx: Tx, held: JobFence, step: string, label: string): Promise<Job | null> {
  const row = await tx.updateTable("jobs")
    .set({
      updatedAt: sql<Date>`wheelwright_now()`,
      label,
      stepsDone: sql<string[]>`array_append(steps_done, ${step})`,
      stepEnds: sql<string>`step_ends || jsonb_build_object(${step}::text, wheelwright_now())`,
    })
    .where("id", "=", held.id).where("fence", "=", held.fence).where("state", "=", "running")
    .where(sql<boolean>`${step} <> all(steps_done)`)
    .returningAll().executeTakeFirst();
  return row ? toJob(row) : null;
}

interface Ending {
  readonly state: "succeeded" | "failed" | "cancelled";
  readonly label: string;
  readonly failure: FailureReport | null;
  readonly stepDone?: string;
}

/** Ends the job. Its lane is free from the commit on. Throws FenceLost. */
export async function endHeldJob(tx: Tx, held: JobFence, ending: Ending): Promise<Job> {
  tx.wakes.add("jobs");
  return await writeColumns(tx, held, {
    ...(ending.stepDone !== undefined && { stepsDone: appendStep(ending.stepDone) }),
    state: ending.state,
    holder: null,
    finishedAt: sql<Date>`wheelwright_now()`,
    label: ending.label,
    failure: ending.failure && JSON.stringify(ending.failure),
  });
}

/** As text that is written once: to build and compile it costs more than all else that is done here for such a job. */
const END_PLAIN_JOB = `update jobs set state = 'succeeded', holder = null, label = 'Done', failure = null,
    steps_done = array_append(steps_done, $3), finished_at = wheelwright_now(), updated_at = wheelwright_now()
  where id = $1 and fence = $2 and state = 'running' returning *`;

/**
 * Ends a job that has succeeded and of which nothing else is written, with its last step: one statement, without a
 * transaction around it and without a wake-up. Who calls it looks for work afterwards. Throws FenceLost.
 */
export async function endPlainJob(rows: Rows, held: JobFence, stepDone: string): Promise<Job> {
  const { rows: [row] } = await rows.executeQuery<JobRow>(
    CompiledQuery.raw(END_PLAIN_JOB, [held.id, held.fence, stepDone]) as CompiledQuery<JobRow>,
  );
  if (!row) throw new FenceLost(held);
  return toJob(row);
}

export interface Requeue {
  readonly label: string;
  /** Milliseconds until it may be claimed again. */
  readonly delayMs: number;
  /** Whether the attempt counts: one that a shutdown cut off does not. */
  readonly countsAsAttempt: boolean;
  /** The operation that must end first. Then the time that this one may take begins anew. */
  readonly awaits?: string;
  readonly failure?: FailureReport;
  readonly progress?: Readonly<Record<string, unknown>>;
}

/** Puts the job back into the queue, with its finished steps. Throws FenceLost. */
export async function requeueHeldJob(tx: Tx, held: JobFence, requeue: Requeue): Promise<Job> {
  tx.wakes.add("jobs");
  return await writeColumns(tx, held, {
    state: "queued",
    holder: null,
    label: requeue.label,
    runAt: sql<Date>`wheelwright_now() + ${requeue.delayMs}::float8 * interval '1 millisecond'`,
    attempt: sql<number>`attempt - ${requeue.countsAsAttempt ? 0 : 1}::integer`,
    ...(requeue.awaits !== undefined && { awaits: requeue.awaits, deadlineAt: null }),
    ...(requeue.failure && { failure: JSON.stringify(requeue.failure) }),
    ...(requeue.progress && { progress: sql<string>`progress || ${JSON.stringify(requeue.progress)}::jsonb` }),
  });
}

function appendStep(step: string) {
  return sql<string[]>`case when ${step}::text = any(steps_done) then steps_done
    else array_append(steps_done, ${step}::text) end`;
}

// deno-lint-ignore no-explicit-any
async function writeColumns(tx: Tx, held: JobFence, columns: Record<string, any>): Promise<Job> {
  const row = await tx.updateTable("jobs").set({ updatedAt: sql<Date>`wheelwright_now()`, ...columns })
    .where("id", "=", held.id).where("fence", "=", held.fence).where("state", "=", "running")
    .returningAll().executeTakeFirst();
  if (!row) throw new FenceLost(held);
  return toJob(row);
}
