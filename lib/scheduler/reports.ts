/**
 * What a failure means: whether trying again can help, and what is kept of it for people.
 *
 * A report is read by many, for ever, and by those who may not see the cluster: whatever comes from there is bounded,
 * and cleared of secrets and of what a row cannot hold, here where every report is made.
 */
import { isClusterUnavailable } from "#lib/drivers/cluster/availability.ts";
import { ClusterError, type Evidence } from "#lib/drivers/cluster/cluster.ts";
import { explain } from "#lib/drivers/cluster/diagnosis/explain.ts";
import { redact, redactLines } from "#lib/base/redact.ts";
import { DriverError, Fault } from "#lib/base/errors.ts";
import type { FailureReport, Job } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { StepTimeout } from "#lib/scheduler/stops.ts";
import { backoff, MINUTE, SECOND } from "#lib/base/time.ts";

export interface Verdict {
  /**
   * `passing`: the cluster, the database, the mail server or the payment provider may do better next time. `bug`: ours; a
   * few tries, in case it was chance.
   */
  readonly nature: "passing" | "final" | "bug";
  readonly report: FailureReport;
  /** Milliseconds that must pass before the next try makes sense. */
  readonly wait: number;
  /** Whether the cluster is away: it is tried again soon, for it may be back at any moment. */
  readonly away?: boolean;
}

export function judge(error: unknown, step: string): Verdict {
  if (error instanceof ClusterError) {
    const { transient, retryAfterMs, evidence } = error;
    const { code, message, blame, hint } = explain(error);
    return {
      nature: transient ? "passing" : "final",
      report: { ...report(step, code, message, blame, evidence), hint: hint ?? null },
      wait: retryAfterMs ?? 0,
      away: isClusterUnavailable(error),
    };
  }
  if (error instanceof DriverError) {
    const { code, message, transient, blame, hint, retryAfterMs } = error;
    return {
      nature: transient ? "passing" : "final",
      report: { ...report(step, code, message, blame), hint: hint ?? null },
      wait: retryAfterMs ?? 0,
    };
  }
  if (error instanceof StepTimeout) {
    const hint = "See the cluster's events and the load of its API server; then retry.";
    return passing({ ...report(step, "deadline", error.message, "cluster"), hint });
  }
  if (error instanceof Fault && error.kind === "unavailable") {
    return passing(report(step, error.code, error.message, "operator"));
  }
  const message = "The service made a mistake in this step; its log says which";
  return { nature: "bug", report: report(step, "internal", message, "operator"), wait: 0 };
}

function passing(what: FailureReport): Verdict {
  return { nature: "passing", report: what, wait: 0 };
}

/** A webhook may answer with a page; a sentence for people has some lines at most. */
const MESSAGE_MOST = 2000;

function report(
  step: string,
  code: string,
  message: string,
  fault: FailureReport["fault"],
  evidence?: Evidence,
): FailureReport {
  return { step, code, fault, message: fit(message), hint: null, ...tidy(evidence) };
}

/** What the row says of the subject is then what was known before: its reader must know that. */
export function tellUnseen(report: FailureReport): FailureReport {
  return { ...report, message: fit(`${report.message}. How things stand since then could not be looked at`) };
}

export function withEvidence(report: FailureReport, evidence: Evidence): FailureReport {
  const found = tidy(evidence);
  return {
    ...report,
    log: report.log.length > 0 ? report.log : found.log,
    events: report.events.length > 0 ? report.events : found.events,
  };
}

function tidy(evidence: Evidence | undefined): Pick<FailureReport, "log" | "events"> {
  const events = evidence?.events ?? [];
  return {
    log: redactLines(evidence?.log ?? []),
    events: events.map((event) => ({
      ...event,
      object: redact(event.object),
      reason: redact(event.reason),
      message: redact(event.message),
    })),
  };
}

function fit(message: string): string {
  const text = redact(message).trim();
  return text.length > MESSAGE_MOST ? `${text.slice(0, MESSAGE_MOST - 1).toWellFormed()}…` : text;
}

/**
 * The report of the last try: where it was not the first one, how often it went so, and since when. A
 * last try that was cut short by the time that was left says nothing of its own, so that the one before is told.
 */
export function lastReport({ nature, report }: Verdict, job: Job): FailureReport {
  if (nature === "final" || job.attempt < 2) return report;
  const before = job.failure?.step === report.step && report.code === "deadline" ? job.failure : report;
  const since = (job.startedAt ?? job.createdAt).toISOString().slice(0, 16).replace("T", " ");
  const message = fit(`Gave up, tried ${job.attempt} times since ${since} UTC: ${before.message}`);
  const hint = before.hint ?? "Once the cause is gone, retry.";
  return { ...withEvidence(before, report), message, hint };
}

const BUG_TRIES = 3;

/** Of a job whose start or end cannot be written. */
export function unrecorded(step: string, what: "that this began" | "how this ended"): FailureReport {
  const standing = what === "that this began"
    ? "and nothing more was done"
    : "so that it is not known how things stand";
  const message = `The service made a mistake as it recorded ${what}, ${standing}; its log says which`;
  const hint = "Read the log, and have the service mended; then retry, or reapply the blueprint.";
  return { ...report(step, "internal", message, "operator"), hint };
}

/** Milliseconds before the first repeat of a failed try, and before the later ones at most. */
export interface Retry {
  readonly first: number;
  readonly most: number;
}

/** The longest wait between two tries while a cluster is away. */
const AWAY_MOST = 10 * SECOND;

/** Milliseconds before the next try. */
export function pause(
  { kind }: { readonly kind: JobKind },
  { attempt }: Pick<Job, "attempt">,
  retry: Retry | undefined,
  away = false,
): number {
  const { first, most } = retry ?? { first: 2 * SECOND, most: kind.persistent ? 15 * MINUTE : MINUTE };
  return backoff(attempt, first, away ? Math.min(most, AWAY_MOST) : most);
}

/** Whether a job is broken off whose start or end could not be written as often as this. */
export function isHopeless({ persistent }: JobKind, unended: number): boolean {
  return !persistent && unended >= BUG_TRIES;
}

/** Whether the job gets another try, by what went wrong, its kind, and the time that it has. */
export function mayTryAgain(verdict: Verdict, kind: JobKind, job: Job, at: Date): boolean {
  if (kind.persistent) return true;
  if (job.deadlineAt && at >= job.deadlineAt) return false;
  if (verdict.nature === "bug") return bugsOf(job) + 1 < BUG_TRIES;
  return verdict.nature === "passing";
}

/** Tries of this job that failed by a mistake of ours. */
export function bugsOf(job: Job): number {
  return typeof job.progress.bugs === "number" ? job.progress.bugs : 0;
}
