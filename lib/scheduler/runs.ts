/** The jobs that run here, at most so many at once: begun, watched, and ended when this replica shuts down. */
import { aboutJob, type Job } from "#lib/jobs/job.ts";
import type { Handler } from "#lib/scheduler/handler.ts";
import type { Tenure } from "#lib/scheduler/replica.ts";
import { type RunnerOptions, type Running, startRun } from "#lib/scheduler/runner.ts";
import { openWatch } from "#lib/scheduler/watch.ts";
import { sleep } from "#lib/base/time.ts";

export interface Runs {
  /** How many more jobs may begin; none once this replica shuts down. */
  free(): number;
  /** The jobs that run. */
  ids(): string[];
  begin(handler: Handler, job: Job, tenure: Tenure): void;
  /** Lets each run end its present step, and one that is being claimed just now its first. */
  leave(): void;
  /** Ends each run now, for one of the reasons in stops.ts. */
  stop(reason: Error): void;
  /** Whether all have ended within so many milliseconds. */
  ended(limit: number): Promise<boolean>;
  close(): void;
}

export function openRuns(options: RunnerOptions, lanes: number, onEnd: () => void): Runs {
  const { db, log } = options;
  const running = new Map<string, Running>();
  const watch = openWatch({ db, log, running });
  let leaving = false;

  return {
    free: () => leaving ? 0 : lanes - running.size,
    ids: () => [...running.keys()],
    begin(handler, job, tenure) {
      const { fence, attempt } = job;
      log[job.visible ? "info" : "debug"]("Runs a job", { ...aboutJob(job), fence, attempt });
      const run = startRun(options, handler, job, tenure);
      running.set(job.id, run);
      const unwatch = job.visible ? watch.follow(job.id) : () => {}; // nobody calls off what nobody sees
      if (leaving) run.leave();
      run.ended.catch((error) => log.error("A run ended badly", { ...aboutJob(job), error })).finally(() => {
        unwatch();
        if (running.get(job.id) === run) running.delete(job.id); // it may have been given back and taken again already
        onEnd();
      });
    },
    leave() {
      leaving = true;
      for (const run of running.values()) run.leave();
    },
    stop(reason) {
      for (const run of running.values()) run.stop(reason);
    },
    async ended(limit) {
      const end = new AbortController();
      const ended = Promise.all([...running.values()].map((run) => run.ended)).then(() => true, () => true);
      const late = sleep(limit, end.signal).then(() => false, () => true);
      return await Promise.race([ended, late]).finally(() => end.abort());
    },
    close: watch.close,
  };
}
