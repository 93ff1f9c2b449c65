/** Caches the last stored row of a job that this replica runs. Retries writes while the database is unavailable. */
import type { Database, RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { Fault, getErrorMessage } from "#lib/base/errors.ts";
import type { Job } from "#lib/jobs/job.ts";
import { type Log, warnOncePerMinute } from "#lib/base/log.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { backoffDelay, SECOND, sleep } from "#lib/base/time.ts";

type Work<T> = (tx: Tx, job: Job) => Promise<T>;

export interface HeldJob {
  /** The job as last stored in the database, including its finished steps. */
  readonly job: Job;
  readonly lease: ReplicaLease;
  transact<T>(work: Work<T>): Promise<T>;
  /** Runs `work` in a transaction. The job row that `work` returns becomes the value of `job`. */
  advance(work: Work<Job>): Promise<Job>;
  /** Works like `advance`, but runs a single SQL statement without a transaction. */
  advanceInOneStatement(work: (rows: RowQueries, job: Job) => Promise<Job>): Promise<Job>;
  now(): Promise<Date>;
}

export function createHeldJob(db: Database, claimed: Job, lease: ReplicaLease, log: Log): HeldJob {
  let job = claimed;
  const warn = warnOncePerMinute(log);

  /** Retries `run` while the database is unavailable. Throws LeaseLapsedError if this replica's lease ends first. */
  async function retryWhileUnavailable<T>(run: () => Promise<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      lease.throwIfLapsed();
      try {
        return await run();
      } catch (error) {
        if (!(error instanceof Fault && error.kind === "unavailable")) throw error;
        warn("Cannot use the database; trying again", { reason: getErrorMessage(error) });
        await sleep(backoffDelay(attempt, 50, SECOND));
      }
    }
  }

  const transact = <T>(work: Work<T>): Promise<T> => retryWhileUnavailable(() => db.transact((tx) => work(tx, job)));

  return {
    get job() {
      return job;
    },
    lease,
    transact,
    advance: async (work) => job = await transact(work),
    advanceInOneStatement: async (work) => job = await retryWhileUnavailable(() => work(db.rows, job)),
    now: () => retryWhileUnavailable(() => db.now()),
  };
}
