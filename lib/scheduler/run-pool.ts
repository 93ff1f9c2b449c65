/** Runs a limited number of jobs at the same time, and stops them when this replica shuts down. */
import { getJobLogFields, type Job } from "#lib/jobs/job.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import { type RunnerOptions, type RunningJob, startRun } from "#lib/scheduler/runner.ts";
import { openJobWatch } from "#lib/scheduler/job-watch.ts";
import { sleep } from "#lib/base/time.ts";

export interface RunPool {
  /** The number of additional jobs that can start now; 0 during a shutdown. */
  freeSlots(): number;
  ids(): string[];
  start(handler: JobHandler, job: Job, lease: ReplicaLease): void;
  /** Stops each run after its current step. A job that is just being claimed still runs its first step. */
  stopAfterStep(): void;
  /** Stops each run immediately, for one of the reasons in stop-reasons.ts. */
  stop(reason: Error): void;
  /** Waits until all runs have ended. Returns false if they do not end within `limit` milliseconds. */
  waitForEnd(limit: number): Promise<boolean>;
  close(): void;
}

export function openRunPool(options: RunnerOptions, lanes: number, onEnd: () => void): RunPool {
  const { db, log } = options;
  const running = new Map<string, RunningJob>();
  const watch = openJobWatch({ db, log, running });
  let isLeaving = false;

  return {
    freeSlots: () => isLeaving ? 0 : lanes - running.size,
    ids: () => [...running.keys()],
    start(handler, job, lease) {
      const { fence, attempt } = job;
      log[job.visible ? "info" : "debug"]("Running a job", { ...getJobLogFields(job), fence, attempt });
      const run = startRun(options, handler, job, lease);
      running.set(job.id, run);
      const unwatch = job.visible ? watch.follow(job.id) : () => {}; // users cannot cancel invisible jobs
      if (isLeaving) run.stopAfterStep();
      run.ended.catch((error) => log.error("A run ended with an unexpected error", { ...getJobLogFields(job), error }))
        .finally(() => {
          unwatch();
          if (running.get(job.id) === run) running.delete(job.id); // the job may already run again after a requeue
          onEnd();
        });
    },
    stopAfterStep() {
      isLeaving = true;
      for (const run of running.values()) run.stopAfterStep();
    },
    stop(reason) {
      for (const run of running.values()) run.stop(reason);
    },
    async waitForEnd(limit) {
      const end = new AbortController();
      const ended = Promise.all([...running.values()].map((run) => run.ended)).then(() => true, () => true);
      const late = sleep(limit, end.signal).then(() => false, () => true);
      return await Promise.race([ended, late]).finally(() => end.abort());
    },
    close: watch.close,
  };
}
