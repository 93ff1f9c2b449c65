/** Checks the rows of running jobs regularly, and stops the run of a job that was cancelled or taken over. */
import type { Database } from "#lib/drivers/db/database.ts";
import { FenceLostError } from "#lib/jobs/fence.ts";
import type { Log } from "#lib/base/log.ts";
import type { RunningJob } from "#lib/scheduler/runner.ts";
import { RunCancelledError } from "#lib/scheduler/stop-reasons.ts";
import { SECOND } from "#lib/base/time.ts";

const POLL_INTERVAL = 5 * SECOND;

export interface JobWatch {
  /** Watches a job, and stops its run if it is cancelled or taken over. Returns a function that ends the watch. */
  follow(id: string): () => void;
  close(): void;
}

export interface JobWatchOptions {
  readonly db: Database;
  readonly log: Log;
  readonly running: ReadonlyMap<string, RunningJob>;
}

export function openJobWatch({ db, log, running }: JobWatchOptions): JobWatch {
  const timer = setInterval(() => checkJobs([...running.keys()]), POLL_INTERVAL);

  function checkJobs(ids: readonly string[]): void {
    if (ids.length === 0) return;
    // Remembers the current runs, because a job may be requeued and claimed in a new run before the query returns.
    const runs = new Map(ids.map((id) => [id, running.get(id)]));
    db.rows.selectFrom("jobs").select(["id", "fence", "state", "cancelRequestedAt"]).where("id", "in", ids)
      .execute().then((rows) => {
        for (const row of rows) {
          const run = runs.get(row.id);
          if (!run) continue;
          const lost = row.state !== "running" || BigInt(row.fence) > BigInt(run.job.fence);
          if (lost) run.stop(new FenceLostError(run.job));
          else if (row.cancelRequestedAt && row.fence === run.job.fence) run.stop(new RunCancelledError());
        }
      }).catch((error) => log.warn("Cannot poll the running jobs", { error }));
  }

  return {
    follow(id) {
      const unsubscribe = db.wakeups.subscribe(`job:${id}`, () => checkJobs([id]));
      checkJobs([id]); // the job may have been cancelled after it was claimed
      return unsubscribe;
    },
    close: () => clearInterval(timer),
  };
}
