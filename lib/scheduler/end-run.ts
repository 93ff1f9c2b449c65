/**
 * Handles a job whose run was stopped or failed: releases, requeues, cancels, retries or fails the job. If the outcome
 * cannot be recorded, requeues the job, and ends it after several such failures.
 */
import type { FailureReport } from "#lib/jobs/job.ts";
import { JobDataError } from "#lib/jobs/data.ts";
import { FenceLostError } from "#lib/jobs/fence.ts";
import { computeTimeLeft } from "#lib/scheduler/step-clock.ts";
import type { JobHandler, JobRun } from "#lib/scheduler/handler.ts";
import type { HeldJob } from "#lib/scheduler/held-job.ts";
import {
  cancelJob,
  endWithoutHooks,
  failJob,
  requeueJob,
  requeueUntilOperationEnds,
  retryOrEnd,
  scheduleRetry,
} from "#lib/scheduler/job-changes.ts";
import {
  addFailureEvidence,
  addUnknownStateNote,
  analyzeFailure,
  buildFinalReport,
  countBugFailures,
  createUnrecordedReport,
  mayRetryJob,
  retryDelay,
  type RetryDelays,
} from "#lib/scheduler/reports.ts";
import {
  LeaseLapsedError,
  OperationAwaited,
  ReplicaDrainingError,
  RunCancelledError,
  StepYielded,
} from "#lib/scheduler/stop-reasons.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

const LAST_READ_TIMEOUT = 10 * SECOND;

/** A run that ended before the job was finished. */
export interface StoppedRun {
  readonly handler: JobHandler;
  readonly heldJob: HeldJob;
  readonly run: JobRun;
  readonly retry: RetryDelays | undefined;
}

/** Decides what to do with a job whose run ended early, and records the decision. Logs errors and never throws. */
export async function endStoppedRun(stopped: StoppedRun, error: unknown, step: string): Promise<void> {
  const { handler, heldJob, run: { log, signal } } = stopped;
  const reason = signal.aborted ? signal.reason : error;
  try {
    if (isJobLost(reason)) return log.warn("Released an operation: this replica's lease ended", { step, reason });
    if (reason instanceof ReplicaDrainingError) return await requeueStopped(stopped, "Waiting to continue", 0);
    if (reason instanceof StepYielded) return await requeueStopped(stopped, reason.message, reason.delayMs);
    if (reason instanceof OperationAwaited) return await waitForOperation(stopped, reason);
    if (reason instanceof RunCancelledError) {
      return void await heldJob.advance((tx, job) => cancelJob(tx, handler, job));
    }
    await retryOrFail(stopped, reason, step);
  } catch (recordError) {
    if (isJobLost(recordError)) {
      return log.warn("Released an operation: another replica took over", { step, reason: recordError });
    }
    log.error("Cannot record the result of an operation; trying again", { step, error: recordError, reason });
    const requeued = heldJob.advance((tx, job) =>
      retryOrEnd(tx, handler, job, createUnrecordedReport(step, "result"), delayOf(stopped))
    );
    await requeued.catch((requeueError) => log.error("Cannot requeue an operation", { error: requeueError }));
  }
}

/** Whether another replica may have taken over the job, so that this replica must not write to it. */
function isJobLost(reason: unknown): boolean {
  return reason instanceof LeaseLapsedError || reason instanceof FenceLostError;
}

async function requeueStopped({ heldJob, run: { log } }: StoppedRun, label: string, wait: number): Promise<void> {
  await heldJob.advance((tx, job) => requeueJob(tx, job, { label, delayMs: wait, countsAsAttempt: false }));
  log[heldJob.job.visible ? "info" : "debug"]("Requeued an operation", { reason: label });
}

/** Requeues the job until another operation ends. A trigger (sql/0006) then makes it due; the delay is a fallback. */
async function waitForOperation({ heldJob, retry, run: { log } }: StoppedRun, reason: OperationAwaited): Promise<void> {
  const wait = retry?.maxMs ?? 2 * MINUTE;
  await heldJob.advance((tx, job) => requeueUntilOperationEnds(tx, job, reason, wait));
  log.info("Waiting for another operation", { awaits: reason.operationId });
}

async function retryOrFail(stopped: StoppedRun, error: unknown, step: string): Promise<void> {
  const { handler: { kind }, heldJob, run: { log } } = stopped;
  const analysis = analyzeFailure(error, step), { report, nature } = analysis, { job } = heldJob;
  const wait = Math.max(analysis.minDelayMs, delayOf(stopped, analysis.clusterUnavailable));
  const retryAt = new Date((await heldJob.now()).getTime() + wait);
  const willRetry = mayRetryJob(analysis, kind, job, retryAt);
  log[nature === "bug" ? "error" : "warn"](willRetry ? "Step failed; trying again" : "Operation failed", {
    step,
    code: report.code,
    attempt: job.attempt,
    error,
  });
  // A step may also fail because of another job's data. The hooks can then read the data of this job.
  if (!willRetry && error instanceof JobDataError && error.jobId === job.id) {
    return void await heldJob.advance((tx, job) => endWithoutHooks(tx, stopped.handler, job, report));
  }
  if (!willRetry) return await failPermanently(stopped, buildFinalReport(analysis, job));
  const progress = nature === "bug" ? { bugs: countBugFailures(job) + 1 } : {};
  await heldJob.advance((tx, job) => scheduleRetry(tx, job, report, wait, progress));
}

function delayOf({ handler, heldJob, retry }: StoppedRun, clusterUnavailable = false): number {
  return retryDelay(handler, heldJob.job, retry, clusterUnavailable);
}

/** Fails the job permanently. First reads the cluster's state, and logs and events if the report has none. */
async function failPermanently({ handler, heldJob, run }: StoppedRun, report: FailureReport): Promise<void> {
  const endsAt = performance.now() + LAST_READ_TIMEOUT;
  const lastRun: JobRun = {
    ...run,
    signal: AbortSignal.timeout(LAST_READ_TIMEOUT),
    throwIfStopped: () => heldJob.lease.throwIfLapsed(),
    timeLeft: () => computeTimeLeft(endsAt),
  };
  const tryRead = async <T>(read: ((run: JobRun) => Promise<T>) | undefined): Promise<T | undefined> => {
    try {
      return await read?.(lastRun);
    } catch (error) {
      run.log.warn("Cannot read the state of the cluster after a failure", { error });
    }
  };
  const hasNoEvidence = report.log.length + report.events.length === 0;
  const [evidence, observed] = await Promise.all([
    tryRead(hasNoEvidence ? handler.readEvidence : undefined),
    tryRead(handler.observe),
  ]);
  const checkedReport = handler.observe && observed === undefined ? addUnknownStateNote(report) : report;
  const fullReport = evidence ? addFailureEvidence(checkedReport, evidence) : checkedReport;
  await heldJob.advance((tx, job) => failJob(tx, handler, job, fullReport, observed));
}
