/**
 * Analyzes failures: decides whether a retry can help, and creates the failure report. Reports are kept forever and are
 * shown to users without access to the cluster, so text from the cluster is shortened and secrets are removed.
 */
import { isClusterUnavailable } from "#lib/drivers/cluster/availability.ts";
import { ClusterError, type FailureEvidence } from "#lib/drivers/cluster/cluster.ts";
import { explainClusterError } from "#lib/drivers/cluster/diagnosis/explain.ts";
import { redactLogLines, redactSecrets } from "#lib/base/redact.ts";
import { DriverError, Fault } from "#lib/base/errors.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { FailureReport, Job } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { StepTimeoutError } from "#lib/scheduler/stop-reasons.ts";
import { backoffDelay, MINUTE, SECOND } from "#lib/base/time.ts";

export interface FailureAnalysis {
  /**
   * `transient`: the cluster, database, mail server or payment provider may recover. `permanent`: a retry cannot help.
   * `bug`: an error in this program, which is retried a few times.
   */
  readonly nature: "transient" | "permanent" | "bug";
  readonly report: FailureReport;
  /** The minimum delay before the next attempt, in milliseconds. */
  readonly minDelayMs: number;
  /** Whether the cluster is not responding. Retries are then more frequent, because a cluster may soon recover. */
  readonly clusterUnavailable?: boolean;
}

export function analyzeFailure(error: unknown, step: string): FailureAnalysis {
  if (error instanceof ClusterError) {
    const { transient, retryAfterMs, evidence } = error;
    const { code, message, blame, hint } = explainClusterError(error);
    return {
      nature: transient ? "transient" : "permanent",
      report: { ...createReport(step, code, message, blame, evidence), hint: hint ?? null },
      minDelayMs: retryAfterMs ?? 0,
      clusterUnavailable: isClusterUnavailable(error),
    };
  }
  if (error instanceof Refusal) {
    const { code, message, blame, hint } = error;
    return { nature: "permanent", report: { ...createReport(step, code, message, blame), hint }, minDelayMs: 0 };
  }
  if (error instanceof DriverError) {
    const { code, message, transient, blame, hint, retryAfterMs } = error;
    return {
      nature: transient ? "transient" : "permanent",
      report: { ...createReport(step, code, message, blame), hint: hint ?? null },
      minDelayMs: retryAfterMs ?? 0,
    };
  }
  if (error instanceof StepTimeoutError) {
    const hint = "Check the cluster's events and the load of its API server, then retry.";
    return transientFailure({ ...createReport(step, "deadline", error.message, "cluster"), hint });
  }
  if (error instanceof Fault && error.kind === "unavailable") {
    return transientFailure(createReport(step, error.code, error.message, "operator"));
  }
  const message = "This step failed because of an internal error; see the service's log";
  return { nature: "bug", report: createReport(step, "internal", message, "operator"), minDelayMs: 0 };
}

function transientFailure(failureReport: FailureReport): FailureAnalysis {
  return { nature: "transient", report: failureReport, minDelayMs: 0 };
}

/** The maximum length of a failure message, in characters. A webhook may return a whole HTML page as its error. */
const MAX_MESSAGE_LENGTH = 2000;

function createReport(
  step: string,
  code: string,
  message: string,
  fault: FailureReport["fault"],
  evidence?: FailureEvidence,
): FailureReport {
  return { step, code, fault, message: redactMessage(message), hint: null, ...redactEvidence(evidence) };
}

/** Returns the report with a note that the current state is unknown, because the stored state may be outdated. */
export function addUnknownStateNote(report: FailureReport): FailureReport {
  return { ...report, message: redactMessage(`${report.message}. The current state could not be read`) };
}

export function addFailureEvidence(report: FailureReport, evidence: FailureEvidence): FailureReport {
  const found = redactEvidence(evidence);
  return {
    ...report,
    log: report.log.length > 0 ? report.log : found.log,
    events: report.events.length > 0 ? report.events : found.events,
  };
}

function redactEvidence(evidence: FailureEvidence | undefined): Pick<FailureReport, "log" | "events"> {
  const events = evidence?.events ?? [];
  return {
    log: redactLogLines(evidence?.log ?? []),
    events: events.map((event) => ({
      ...event,
      object: redactSecrets(event.object),
      reason: redactSecrets(event.reason),
      message: redactSecrets(event.message),
    })),
  };
}

function redactMessage(message: string): string {
  const text = redactSecrets(message).trim();
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH - 1).toWellFormed()}…` : text;
}

/**
 * Returns the report to show when a job fails permanently. After several attempts, the message contains
 * their number and start time. If the last attempt only timed out, the previous report is used.
 */
export function buildFinalReport({ nature, report }: FailureAnalysis, job: Job): FailureReport {
  if (nature === "permanent" || job.attempt < 2) return report;
  const before = job.failure?.step === report.step && report.code === "deadline" ? job.failure : report;
  const since = (job.startedAt ?? job.createdAt).toISOString().slice(0, 16).replace("T", " ");
  const message = redactMessage(`Gave up after ${job.attempt} attempts since ${since} UTC: ${before.message}`);
  const hint = before.hint ?? "Fix the cause, then retry.";
  return { ...addFailureEvidence(before, report), message, hint };
}

const MAX_BUG_ATTEMPTS = 3;

/** Creates the failure report for a job whose start or end cannot be recorded. */
export function createUnrecordedReport(step: string, record: "start" | "result"): FailureReport {
  const message = record === "start"
    ? "The service could not record the start of the operation because of an internal error. The site was not changed"
    : "The service could not record the result of the operation because of an internal error. Its state is unknown";
  const hint = "See the service's log. Once the error is fixed, retry, or reapply the blueprint.";
  return { ...createReport(step, "internal", message, "operator"), hint };
}

/** The delay before the first retry and the longest delay between attempts, in milliseconds. */
export interface RetryDelays {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The longest delay between attempts while a cluster is not responding, in milliseconds. */
const MAX_AWAY_DELAY = 10 * SECOND;

/** Returns the delay before the next attempt, in milliseconds. */
export function retryDelay(
  { kind }: { readonly kind: JobKind },
  { attempt }: Pick<Job, "attempt">,
  retry: RetryDelays | undefined,
  clusterUnavailable = false,
): number {
  const { firstMs, maxMs } = retry ?? { firstMs: 2 * SECOND, maxMs: kind.persistent ? 15 * MINUTE : MINUTE };
  return backoffDelay(attempt, firstMs, clusterUnavailable ? Math.min(maxMs, MAX_AWAY_DELAY) : maxMs);
}

/** Whether to end a job whose start or end could not be recorded in `unended` attempts. */
export function shouldEndUnrecorded({ persistent }: JobKind, unended: number): boolean {
  return !persistent && unended >= MAX_BUG_ATTEMPTS;
}

/** Whether a job may be retried at time `at`, given the cause of its failure, its kind and its deadline. */
export function mayRetryJob(analysis: FailureAnalysis, kind: JobKind, job: Job, at: Date): boolean {
  if (kind.persistent) return true;
  if (job.deadlineAt && at >= job.deadlineAt) return false;
  if (analysis.nature === "bug") return countBugFailures(job) + 1 < MAX_BUG_ATTEMPTS;
  return analysis.nature === "transient";
}

/** Returns how many earlier attempts of this job failed because of a bug. */
export function countBugFailures(job: Job): number {
  return job.progress.bugs ?? 0;
}
