/** Runs one claimed job: its steps in order, each recorded when done, until the job ends or this holder must let go. */
import { redact } from "#lib/drivers/cluster/trouble/redact.ts";
import type { Database, Tx } from "#lib/drivers/db/database.ts";
import { Fault, messageOf } from "#lib/base/errors.ts";
import { FenceLost, writeHeld } from "#lib/records/jobs/fence.ts";
import { aboutJob, type FailureReport, type Job } from "#lib/records/jobs/job.ts";
import type { StepPlan } from "#lib/operations/plan.ts";
import type { Log } from "#lib/base/log.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { breakOff, cancel, fail, finishStep, giveBack, noteProgress } from "#lib/scheduler/outcomes.ts";
import { openProgress, shorten } from "#lib/scheduler/progress.ts";
import {
  bugsOf,
  isHopeless,
  judge,
  lastReport,
  mayTryAgain,
  tellUnseen,
  unrecorded,
  withEvidence,
} from "#lib/scheduler/reports.ts";
import type { Tenure } from "#lib/scheduler/replica.ts";
import { Cancelled, Draining, Ended, Lapsed, rejection, StepTimeout } from "#lib/scheduler/stops.ts";
import { lockSubject } from "#lib/scheduler/subject.ts";
import { backoff, MINUTE, SECOND, sleep } from "#lib/base/time.ts";

const SETTLE = 5 * SECOND; // how long a step that was told to stop may take to do so
const LAST_LOOK = 10 * SECOND;
const LONGEST_TIMER = 2 ** 31 - 1; // a longer one would fire at once

export interface RunnerOptions {
  readonly db: Database;
  readonly log: Log;
  /** Milliseconds before the first repeat of a failed try, and before the later ones at most. */
  readonly retry?: { readonly first: number; readonly most: number };
}

export interface Running {
  readonly job: Job;
  /** Resolves when the run is over, however it went. */
  readonly ended: Promise<void>;
  /** Ends it now, for one of the reasons in stops.ts. */
  stop(reason: Error): void;
  /** Lets the present step end, and gives the job back before the next. */
  leave(): void;
}

export function startRun(options: RunnerOptions, handler: Handler, claimed: Job, tenure: Tenure): Running {
  const { db } = options;
  const { first, most } = options.retry ?? { first: 2 * SECOND, most: handler.kind.persistent ? 15 * MINUTE : MINUTE };
  const log = options.log.with({ ...aboutJob(claimed), fence: claimed.fence });
  const stop = new AbortController();
  let job = claimed;
  let leaving = false;
  let over = false;
  let label = claimed.label;
  const startedAt = performance.now();
  let stepEndsAt = startedAt;
  const progress = openProgress(tellProgress);

  const run: Run = {
    get job() {
      return job;
    },
    signal: stop.signal,
    log,
    check() {
      if (over) throw new Ended();
      tenure.check();
      stop.signal.throwIfAborted();
    },
    async write(work) {
      run.check();
      return await persist(async (tx) => {
        await lockSubject(tx, job);
        await writeHeld(tx, job);
        return await work(tx);
      });
    },
    async remember(values) {
      run.check();
      job = await persist((tx) => writeHeld(tx, job, { progress: values }));
    },
    progress: (sentence) => progress.say(redact(`${label}: ${sentence}`)),
    patience: () => Math.max(SECOND, (stepEndsAt - performance.now()) * 0.9),
  };

  async function go(): Promise<void> {
    const onLapse = () => stop.abort(tenure.signal.reason);
    tenure.signal.addEventListener("abort", onLapse, { once: true });
    if (tenure.signal.aborted) onLapse();
    let step = handler.kind.steps[0]!;
    try {
      if (job.cancelRequestedAt) stop.abort(new Cancelled());
      for (step of handler.kind.steps) {
        if (!job.stepsDone.includes(step.name)) await doStep(step);
      }
    } catch (error) {
      await conclude(error, step);
    } finally {
      over = true;
      tenure.signal.removeEventListener("abort", onLapse);
    }
  }

  async function doStep(step: StepPlan): Promise<void> {
    if (leaving) throw new Draining();
    stop.signal.throwIfAborted();
    label = step.label;
    const limit = Math.min(step.timeout, timeLeft(), LONGEST_TIMER);
    stepEndsAt = performance.now() + limit;
    const timer = setTimeout(() => stop.abort(new StepTimeout(step.label, limit)), limit);
    const work = handler.steps[step.name]!(run);
    try {
      await Promise.race([work, rejection(stop.signal)]);
    } catch (error) {
      // What it began should have ended before anybody else goes on, if that can be had in a moment.
      if (!(stop.signal.reason instanceof Lapsed)) await settled(work, SETTLE);
      throw error;
    } finally {
      clearTimeout(timer);
      await progress.settle();
    }
    job = await persist((tx) => finishStep(tx, handler, job, step.name));
    if (job.cancelRequestedAt && job.state === "running") stop.abort(new Cancelled());
    const level = job.visible ? "info" : "debug"; // what repeats itself day and night is no news
    log[level](job.state === "succeeded" ? "Operation succeeded" : "Step done", { step: step.name });
  }

  /** Milliseconds that are left of the kind's time limit. What was left at the claim is told by the database's clock. */
  function timeLeft(): number {
    if (handler.kind.persistent) return Infinity;
    const atClaim = job.deadlineAt!.getTime() - claimed.updatedAt.getTime();
    return Math.max(0, atClaim - (performance.now() - startedAt));
  }

  async function conclude(error: unknown, step: StepPlan): Promise<void> {
    const reason = stop.signal.aborted ? stop.signal.reason : error;
    try {
      if (reason instanceof Lapsed || reason instanceof FenceLost) {
        return log.warn("Let go of an operation: it is no longer ours", { step: step.name, reason });
      }
      if (reason instanceof Draining) return await returnNow();
      if (reason instanceof Cancelled) return await persist((tx) => cancel(tx, handler, job));
      await settleFailure(reason, step);
    } catch (late) {
      if (late instanceof Lapsed || late instanceof FenceLost) {
        return log.warn("Let go of an operation: it was taken over", { step: step.name, reason: late });
      }
      log.error("Cannot record how an operation went; it will be tried again", {
        step: step.name,
        error: late,
        reason,
      });
      await putAside(step).catch((worse) => log.error("Cannot give an operation back", { error: worse }));
    }
  }

  /** What cannot be recorded for a mistake of ours is tried again some times, and then ended, so that its lane goes on. */
  async function putAside(step: StepPlan): Promise<void> {
    const unended = Number(job.progress.unended ?? 0) + 1, failure = unrecorded(step.name);
    if (isHopeless(handler.kind, unended)) return await persist((tx) => breakOff(tx, handler, job, failure));
    const wait = backoff(job.attempt, first, most);
    const text = shorten(`Trying again: ${failure.message}`);
    await persist((tx) => giveBack(tx, job, { label: text, wait, counts: true, failure, progress: { unended } }));
  }

  async function returnNow(): Promise<void> {
    await persist((tx) => giveBack(tx, job, { label: "Waiting to go on", wait: 0, counts: false }));
    log.info("Gave an operation back");
  }

  async function settleFailure(error: unknown, step: StepPlan): Promise<void> {
    const verdict = judge(error, step.name);
    const wait = Math.max(verdict.wait, backoff(job.attempt, first, most));
    const at = new Date((await insist(() => db.now())).getTime() + wait);
    const again = mayTryAgain(verdict, handler.kind, job, at);
    log[verdict.nature === "bug" ? "error" : "warn"](again ? "Step failed; trying again" : "Operation failed", {
      step: step.name,
      code: verdict.report.code,
      attempt: job.attempt,
      error,
    });
    if (!again) return await failForGood(lastReport(verdict, job));
    const progress = verdict.nature === "bug" ? { bugs: bugsOf(job) + 1 } : {};
    const { report } = verdict;
    const text = shorten(`Trying again: ${report.message}`);
    await persist((tx) => giveBack(tx, job, { label: text, wait, counts: true, failure: report, progress }));
  }

  /** Looks at the cluster once more: for logs and events, if the failure brought none, and for how things stand. */
  async function failForGood(report: FailureReport): Promise<void> {
    stepEndsAt = performance.now() + LAST_LOOK;
    const last: Run = { ...run, job, signal: AbortSignal.timeout(LAST_LOOK), check: () => tenure.check() };
    const look = async <T>(what: ((run: Run) => Promise<T>) | undefined): Promise<T | undefined> => {
      try {
        return await what?.(last);
      } catch (error) {
        log.warn("Cannot look at the cluster after a failure", { error });
      }
    };
    const bare = report.log.length + report.events.length === 0;
    const [evidence, observed] = await Promise.all([look(bare ? handler.evidence : undefined), look(handler.observe)]);
    const told = handler.observe && observed === undefined ? tellUnseen(report) : report;
    const whole = evidence ? withEvidence(told, evidence) : told;
    await persist((tx) => fail(tx, handler, job, whole, observed));
  }

  async function persist<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return await insist(() => db.transact(work));
  }

  /** A database that is away for a moment costs nothing; away for longer, the tenure ends and with it this. */
  async function insist<T>(ask: () => Promise<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      tenure.check();
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Fault && error.kind === "unavailable")) throw error;
        log[attempt === 1 ? "warn" : "debug"]("Cannot use the database; trying again", { reason: messageOf(error) });
        await sleep(backoff(attempt, 50, SECOND));
      }
    }
  }

  async function tellProgress(text: string): Promise<void> {
    try {
      await persist((tx) => noteProgress(tx, job, text));
    } catch (error) {
      if (error instanceof FenceLost) stop.abort(error);
      else log.warn("Cannot write progress", { error });
    }
  }

  return {
    job: claimed,
    ended: go(),
    stop: (reason) => stop.abort(reason),
    leave: () => void (leaving = true),
  };
}

async function settled(work: Promise<unknown>, limit: number): Promise<void> {
  const end = new AbortController();
  const enough = sleep(limit, end.signal).catch(() => {});
  await Promise.race([work.catch(() => {}), enough]).finally(() => end.abort());
}
