/** What a failure means: whether trying again can help, and what is kept of it for people. */
import { ClusterError, type Evidence } from "#lib/cluster/cluster.ts";
import { Fault } from "#lib/errors.ts";
import type { FailureReport, Job, JobKind } from "#lib/jobs/job.ts";
import { StepTimeout } from "#lib/scheduler/stops.ts";

export interface Verdict {
  /** `passing`: the cluster or the database may do better next time. `bug`: ours; a few tries, in case it was chance. */
  readonly nature: "passing" | "final" | "bug";
  readonly report: FailureReport;
  /** Milliseconds that the cluster asked us to wait. */
  readonly wait: number;
}

export function judge(error: unknown, step: string): Verdict {
  if (error instanceof ClusterError) {
    const { code, message, blame, hint, transient, retryAfterMs, evidence } = error;
    return {
      nature: transient ? "passing" : "final",
      report: { ...report(step, code, message, blame, evidence), hint: hint ?? null },
      wait: retryAfterMs ?? 0,
    };
  }
  if (error instanceof StepTimeout) return passing(report(step, "deadline", error.message, "cluster"));
  if (error instanceof Fault && error.kind === "unavailable") {
    return passing(report(step, error.code, error.message, "operator"));
  }
  const message = "The service made a mistake in this step; its log says which";
  return { nature: "bug", report: report(step, "internal", message, "operator"), wait: 0 };
}

function passing(what: FailureReport): Verdict {
  return { nature: "passing", report: what, wait: 0 };
}

function report(
  step: string,
  code: string,
  message: string,
  fault: FailureReport["fault"],
  evidence?: Evidence,
): FailureReport {
  return { step, code, fault, message, hint: null, log: evidence?.log ?? [], events: evidence?.events ?? [] };
}

export function withEvidence(report: FailureReport, evidence: Evidence): FailureReport {
  return {
    ...report,
    log: report.log.length > 0 ? report.log : evidence.log,
    events: report.events.length > 0 ? report.events : evidence.events,
  };
}

const BUG_TRIES = 3;

/** Whether the job gets another try, by what went wrong, its kind, and the time that it has. */
export function mayTryAgain(verdict: Verdict, kind: JobKind, job: Job, at: Date): boolean {
  if (job.deadlineAt && at >= job.deadlineAt) return false;
  if (kind.persistent) return true;
  if (verdict.nature === "bug") return bugsOf(job) + 1 < BUG_TRIES;
  return verdict.nature === "passing";
}

/** Tries of this job that failed by a mistake of ours. */
export function bugsOf(job: Job): number {
  return typeof job.progress.bugs === "number" ? job.progress.bugs : 0;
}
