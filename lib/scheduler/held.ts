/** A job that this replica holds: its row as it was last written, and transactions that outlast a database that is away. */
import type { Database, Rows, Tx } from "#lib/drivers/db/database.ts";
import { Fault, messageOf } from "#lib/base/errors.ts";
import type { Job } from "#lib/jobs/job.ts";
import { type Log, warnOncePerMinute } from "#lib/base/log.ts";
import type { Tenure } from "#lib/scheduler/replica.ts";
import { backoff, SECOND, sleep } from "#lib/base/time.ts";

type Work<T> = (tx: Tx, job: Job) => Promise<T>;

export interface Held {
  /** The job as it was claimed, with the steps done until now. */
  readonly job: Job;
  readonly tenure: Tenure;
  transact<T>(work: Work<T>): Promise<T>;
  /** Writes the job, and keeps it is then. */
  advance(work: Work<Job>): Promise<Job>;
  /** The same with a single statement. */
  advanceAtOnce(work: (rows: Rows, job: Job) => Promise<Job>): Promise<Job>;
  /** The database's own clock. */
  now(): Promise<Date>;
}

export function holdJob(db: Database, claimed: Job, tenure: Tenure, log: Log): Held {
  let job = claimed;
  const complain = warnOncePerMinute(log);

  /** A database that is away for a moment costs nothing; away for longer, the tenure ends and with it this. */
  async function insist<T>(ask: () => Promise<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      tenure.check();
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Fault && error.kind === "unavailable")) throw error;
        complain("Cannot use the database; trying again", { reason: messageOf(error) });
        await sleep(backoff(attempt, 50, SECOND));
      }
    }
  }

  const transact = <T>(work: Work<T>): Promise<T> => insist(() => db.transact((tx) => work(tx, job)));

  return {
    get job() {
      return job;
    },
    tenure,
    transact,
    advance: async (work) => job = await transact(work),
    advanceAtOnce: async (work) => job = await insist(() => work(db.rows, job)),
    now: () => insist(() => db.now()),
  };
}
