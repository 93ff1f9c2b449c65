/**
 * Runs the steps of one claimed job in order and records each finished step. The run ends after the last step or when
 * it is stopped (end-run.ts). A step whose run has ended can no longer write to the job.
 */
import type { Database } from "#lib/drivers/db/database.ts";
import { endJobInOneStatement, FenceLostError, updateHeldJob } from "#lib/jobs/fence.ts";
import { runInContext } from "#lib/base/work-context.ts";
import { requireJobData } from "#lib/jobs/data.ts";
import { createJobTrace, getJobLogFields, type Job } from "#lib/jobs/job.ts";
import type { StepPlan } from "#lib/operations/plan.ts";
import type { Log } from "#lib/base/log.ts";
import { createStepClock } from "#lib/scheduler/step-clock.ts";
import { endStoppedRun } from "#lib/scheduler/end-run.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import { createHeldJob, type HeldJob } from "#lib/scheduler/held-job.ts";
import { canEndInOneStatement, finishStep, recordProgress } from "#lib/scheduler/job-changes.ts";
import { NO_TELEMETRY, type Span, type Telemetry } from "#lib/base/telemetry.ts";
import { createProgressReporter } from "#lib/scheduler/progress.ts";
import type { ReplicaLease } from "#lib/scheduler/replica.ts";
import type { RetryDelays } from "#lib/scheduler/reports.ts";
import {
  isInterruption,
  LeaseLapsedError,
  rejectOnAbort,
  ReplicaDrainingError,
  RunCancelledError,
  RunEndedError,
  StepTimeoutError,
} from "#lib/scheduler/stop-reasons.ts";
import { lockSubject } from "#lib/scheduler/subject.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

const SETTLE_TIMEOUT = 5 * SECOND; // milliseconds that a stopped step may take to end

export interface RunnerOptions {
  readonly db: Database;
  readonly log: Log;
  readonly retry?: RetryDelays;
  readonly telemetry?: Telemetry;
}

export interface RunningJob {
  readonly job: Job;
  /** Resolves when the run has ended, whether or not the job succeeded. */
  readonly ended: Promise<void>;
  /** Stops the run immediately, for one of the reasons in stop-reasons.ts. */
  stop(reason: Error): void;
  /** Stops the run after its current step, and requeues the job. */
  stopAfterStep(): void;
}

export function startRun(options: RunnerOptions, handler: JobHandler, claimed: Job, lease: ReplicaLease): RunningJob {
  const { telemetry = NO_TELEMETRY } = options, { kind, visible } = claimed;
  const log = options.log.with({ ...getJobLogFields(claimed), fence: claimed.fence });
  const stop = new AbortController();
  const heldJob = createHeldJob(options.db, claimed, lease, log);
  const clock = createStepClock(handler.kind, claimed);
  const progress = createProgressReporter(claimed.label, writeProgress);
  const leave = new AbortController();
  let hasEnded = false;

  const run = createRun(
    {
      heldJob,
      log,
      signal: stop.signal,
      leaving: leave.signal,
      timeLeft: clock.timeLeft,
      showProgress: progress.show,
    },
    () => hasEnded,
  );

  async function runSteps(): Promise<void> {
    const onLapse = () => stop.abort(lease.signal.reason);
    lease.signal.addEventListener("abort", onLapse, { once: true });
    if (lease.signal.aborted) onLapse();
    let step = handler.kind.steps[0]!;
    try {
      requireJobData(handler.kind, claimed);
      if (claimed.cancelRequestedAt) stop.abort(new RunCancelledError());
      for (step of handler.kind.steps) {
        if (heldJob.job.finishedSteps.includes(step.name)) continue;
        await telemetry.span(
          "step",
          { kind, step: step.name },
          (span) => markInterruption(span, stop.signal, runStep(step)),
        );
      }
    } catch (error) {
      await endStoppedRun({ handler, heldJob, run, retry: options.retry }, error, step.name);
    } finally {
      hasEnded = true;
      lease.signal.removeEventListener("abort", onLapse);
    }
  }

  async function runStep(step: StepPlan): Promise<void> {
    leave.signal.throwIfAborted();
    stop.signal.throwIfAborted();
    progress.startStep(step.label);
    await runWithTimeout(step, clock.startStep(step.timeout), stop, () => handler.steps[step.name]!(run))
      .finally(progress.settle);
    // Uses a transaction during a shutdown, because only a transaction wakes other replicas to poll the queue.
    const job = !leave.signal.aborted && canEndInOneStatement(handler, heldJob.job, step.name)
      ? await heldJob.advanceInOneStatement((rows, before) => endJobInOneStatement(rows, before, step.name))
      : await heldJob.advance((tx, before) => finishStep(tx, handler, before, step.name));
    if (job.cancelRequestedAt && job.state === "running") stop.abort(new RunCancelledError());
    const level = job.visible ? "info" : "debug"; // background jobs repeat too often for info lines
    log[level](job.state === "succeeded" ? "Operation succeeded" : "Step done", { step: step.name });
  }

  async function writeProgress(text: string): Promise<void> {
    try {
      await heldJob.transact((tx, job) => recordProgress(tx, job, text));
    } catch (error) {
      if (error instanceof FenceLostError) stop.abort(error);
      else log.warn("Cannot write progress", { error });
    }
  }

  /** Runs the job in a trace span. The span's outcome is `queued` after a requeue, or `lost` after a takeover. */
  async function runTraced(): Promise<void> {
    const spanOptions = {
      details: { ...getJobLogFields(claimed), attempt: claimed.attempt, asked_at: claimed.createdAt.getTime() },
    };
    await telemetry.span("job", { kind }, async (span) => {
      await runSteps();
      const { state, createdAt, finishedAt, failure } = heldJob.job;
      span.outcome = state === "running" ? "lost" : state;
      if (state === "failed" && failure) span.details.failure = failure.code;
      if (!visible || !finishedAt) return;
      telemetry.record("operation", { kind, outcome: state }, (finishedAt.getTime() - createdAt.getTime()) / SECOND);
    }, spanOptions);
  }

  return {
    job: claimed,
    ended: runInContext(
      { rootSpan: createJobTrace(claimed, telemetry.sampler), logFields: { operation: claimed.id } },
      runTraced,
    ),
    stop: (reason) => stop.abort(reason),
    stopAfterStep: () => leave.abort(new ReplicaDrainingError()),
  };
}

/** Creates the run that is passed to each step. After `hasEnded` returns true, its steps can no longer write. */
function createRun(
  { heldJob, ...rest }: Pick<JobRun, "log" | "signal" | "leaving" | "timeLeft" | "showProgress"> & {
    readonly heldJob: HeldJob;
  },
  hasEnded: () => boolean,
): JobRun {
  function throwIfStopped(): void {
    if (hasEnded()) throw new RunEndedError();
    heldJob.lease.throwIfLapsed();
    rest.signal.throwIfAborted();
  }
  return {
    ...rest,
    get job() {
      return heldJob.job;
    },
    throwIfStopped,
    async write(work) {
      throwIfStopped();
      return await heldJob.transact(async (tx, job) => {
        await Promise.all([lockSubject(tx, job), updateHeldJob(tx, job)]); // sent together; the server keeps the order
        return await work(tx);
      });
    },
    async saveProgress(values) {
      throwIfStopped();
      await heldJob.advanceInOneStatement((rows, job) => updateHeldJob(rows, job, { progress: values }));
    },
  };
}

/** Marks the trace span as interrupted if the step was interrupted, because an interrupted step has not failed. */
async function markInterruption(span: Span, signal: AbortSignal, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (isInterruption(signal.aborted ? signal.reason : error)) span.outcome = "interrupted";
    throw error;
  }
}

/** Runs a step until it ends, times out or is stopped. */
async function runWithTimeout(
  { label }: StepPlan,
  limit: number,
  stop: AbortController,
  begin: () => Promise<void>,
): Promise<void> {
  const timer = setTimeout(() => stop.abort(new StepTimeoutError(label, limit)), limit);
  const work = Promise.try(begin); // a step that throws at once also ends its timer
  try {
    await Promise.race([work, rejectOnAbort(stop.signal)]);
  } catch (error) {
    // Waits briefly for the stopped step to end, so that another replica does not start the step while it still runs.
    if (!(stop.signal.reason instanceof LeaseLapsedError)) await waitToSettle(work);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function waitToSettle(work: Promise<unknown>): Promise<void> {
  const end = new AbortController();
  const timeout = sleep(SETTLE_TIMEOUT, end.signal).catch(() => {});
  await Promise.race([work.catch(() => {}), timeout]).finally(() => end.abort());
}
