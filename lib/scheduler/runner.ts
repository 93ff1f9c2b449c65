/**
 * Runs one claimed job: its steps in order, each recorded when done. The run is over once the last one is, or once
 * something stops it (conclude.ts); then nothing that is still going on of it can write.
 */
import type { Database } from "#lib/drivers/db/database.ts";
import { endPlain, FenceLost, writeHeld } from "#lib/jobs/fence.ts";
import { runInContext } from "#lib/base/work-context.ts";
import { aboutJob, type Job, placeOfJob } from "#lib/jobs/job.ts";
import type { StepPlan } from "#lib/operations/plan.ts";
import type { Log } from "#lib/base/log.ts";
import { openClock } from "#lib/scheduler/clock.ts";
import { conclude } from "#lib/scheduler/conclude.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { holdJob } from "#lib/scheduler/held.ts";
import { endsPlain, finishStep, noteProgress } from "#lib/scheduler/outcomes.ts";
import { NO_TELEMETRY, type Span, type Telemetry } from "#lib/base/telemetry.ts";
import { openProgress } from "#lib/scheduler/progress.ts";
import type { Tenure } from "#lib/scheduler/replica.ts";
import type { Retry } from "#lib/scheduler/reports.ts";
import { Cancelled, Draining, Ended, isInterruption, Lapsed, rejection, StepTimeout } from "#lib/scheduler/stops.ts";
import { lockSubject } from "#lib/scheduler/subject.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

const SETTLE = 5 * SECOND; // how long a step that was told to stop may take to do so

export interface RunnerOptions {
  readonly db: Database;
  readonly log: Log;
  readonly retry?: Retry;
  readonly telemetry?: Telemetry;
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
  const { telemetry = NO_TELEMETRY } = options, { kind, visible } = claimed;
  const log = options.log.with({ ...aboutJob(claimed), fence: claimed.fence });
  const stop = new AbortController();
  const held = holdJob(options.db, claimed, tenure, log);
  const clock = openClock(handler.kind, claimed);
  const progress = openProgress(claimed.label, tellProgress);
  let leaving = false;
  let over = false;

  const run: Run = {
    get job() {
      return held.job;
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
      return await held.transact(async (tx, job) => {
        await lockSubject(tx, job);
        await writeHeld(tx, job);
        return await work(tx);
      });
    },
    async remember(values) {
      run.check();
      await held.advance((tx, job) => writeHeld(tx, job, { progress: values }));
    },
    progress: progress.say,
    patience: clock.patience,
  };

  async function go(): Promise<void> {
    const onLapse = () => stop.abort(tenure.signal.reason);
    tenure.signal.addEventListener("abort", onLapse, { once: true });
    if (tenure.signal.aborted) onLapse();
    let step = handler.kind.steps[0]!;
    try {
      if (claimed.cancelRequestedAt) stop.abort(new Cancelled());
      for (step of handler.kind.steps) {
        if (held.job.stepsDone.includes(step.name)) continue;
        await telemetry.span("step", { kind, step: step.name }, (span) => tellStop(span, doStep(step)));
      }
    } catch (error) {
      await conclude({ handler, held, run, retry: options.retry }, error, step.name);
    } finally {
      over = true;
      tenure.signal.removeEventListener("abort", onLapse);
    }
  }

  /** A step that was interrupted, or that waits for something, has not failed. */
  async function tellStop(span: Span, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (isInterruption(stop.signal.aborted ? stop.signal.reason : error)) span.outcome = "interrupted";
      throw error;
    }
  }

  async function doStep(step: StepPlan): Promise<void> {
    if (leaving) throw new Draining();
    stop.signal.throwIfAborted();
    progress.begin(step.label);
    await withinTime(step, clock.begin(step.timeout), stop, () => handler.steps[step.name]!(run))
      .finally(progress.settle);
    // A replica that shuts down looks for work no more, so it wakes the others when it ends a job.
    const job = !leaving && endsPlain(handler, held.job, step.name)
      ? await held.advanceAtOnce((rows, before) => endPlain(rows, before, step.name))
      : await held.advance((tx, before) => finishStep(tx, handler, before, step.name));
    if (job.cancelRequestedAt && job.state === "running") stop.abort(new Cancelled());
    const level = job.visible ? "info" : "debug"; // what repeats itself day and night is no news
    log[level](job.state === "succeeded" ? "Operation succeeded" : "Step done", { step: step.name });
  }

  async function tellProgress(text: string): Promise<void> {
    try {
      await held.transact((tx, job) => noteProgress(tx, job, text));
    } catch (error) {
      if (error instanceof FenceLost) stop.abort(error);
      else log.warn("Cannot write progress", { error });
    }
  }

  /** `queued` is given back, to be tried again or to be gone on with; `lost` is what another replica goes on with. */
  async function tell(): Promise<void> {
    const about = {
      details: { ...aboutJob(claimed), attempt: claimed.attempt, asked_at: claimed.createdAt.getTime() },
    };
    await telemetry.span("job", { kind }, async (span) => {
      await go();
      const { state, createdAt, finishedAt, failure } = held.job;
      span.outcome = state === "running" ? "lost" : state;
      if (state === "failed" && failure) span.details.failure = failure.code;
      if (!visible || !finishedAt) return;
      telemetry.record("operation", { kind, outcome: state }, (finishedAt.getTime() - createdAt.getTime()) / SECOND);
    }, about);
  }

  return {
    job: claimed,
    ended: runInContext(
      { rootSpan: placeOfJob(claimed, telemetry.sampler), logFields: { operation: claimed.id } },
      tell,
    ),
    stop: (reason) => stop.abort(reason),
    leave: () => void (leaving = true),
  };
}

/** Does the work of a step until it is done, its time is over, or the run is told to stop. */
async function withinTime(
  { label }: StepPlan,
  limit: number,
  stop: AbortController,
  begin: () => Promise<void>,
): Promise<void> {
  const timer = setTimeout(() => stop.abort(new StepTimeout(label, limit)), limit);
  const work = begin();
  try {
    await Promise.race([work, rejection(stop.signal)]);
  } catch (error) {
    // What it began should have ended before anybody else goes on, if that can be had in a moment.
    if (!(stop.signal.reason instanceof Lapsed)) await settled(work);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function settled(work: Promise<unknown>): Promise<void> {
  const end = new AbortController();
  const enough = sleep(SETTLE, end.signal).catch(() => {});
  await Promise.race([work.catch(() => {}), enough]).finally(() => end.abort());
}
