/**
 * Records the start, progress and end of a job, each in one transaction that also writes audit events, a stream event
 * and follow-up jobs. To prevent deadlocks, each one locks the hub or spoke first and the hub's event counter last.
 */
import { recordChange } from "#lib/changes/record.ts";
import type { Database, Tx } from "#lib/drivers/db/database.ts";
import { catchClaimConflict, type ClaimableJob, claimJob, type SupportedJobKinds } from "#lib/jobs/claim.ts";
import {
  endHeldJob,
  type JobFence,
  recordStep,
  requeueHeldJob,
  type RequeueOptions,
  updateHeldJob,
} from "#lib/jobs/fence.ts";
import type { FailureReport, Job, NewJob } from "#lib/jobs/job.ts";
import { hasJobEnded } from "#lib/jobs/store.ts";
import type { JobKind, StepPlan } from "#lib/operations/plan.ts";
import { buildFailureHint } from "#lib/jobs/hint.ts";
import { toStreamOperation } from "#lib/jobs/operation.ts";
import type { JobHandler, Outcome } from "#lib/scheduler/handler.ts";
import { shortenProgressLabel } from "#lib/scheduler/progress.ts";
import { createUnrecordedReport, retryDelay, type RetryDelays, shouldEndUnrecorded } from "#lib/scheduler/reports.ts";
import type { OperationAwaited } from "#lib/scheduler/stop-reasons.ts";
import { type JobSubject, lockSubject, markSubjectFailed } from "#lib/scheduler/subject.ts";

export async function startJob(
  db: Database,
  handler: JobHandler,
  candidate: ClaimableJob,
  kinds: SupportedJobKinds,
  holder: string,
): Promise<Job | null> {
  return await claimWithSubject(db, handler, candidate, kinds, holder, async (tx, job, subject) => {
    await recordJobChange(tx, job, subject, await handler.hooks?.onStart?.(tx, job) ?? {});
  });
}

/** Claims a job that a bug prevents from starting, then schedules a retry or ends the job. */
export async function deferUnstartableJob(
  db: Database,
  handler: JobHandler,
  candidate: ClaimableJob,
  kinds: SupportedJobKinds,
  { holder, retry }: { readonly holder: string; readonly retry: RetryDelays | undefined },
): Promise<void> {
  const step = currentStepOf(handler, candidate).name;
  await claimWithSubject(db, handler, candidate, kinds, holder, async (tx, job) => {
    await retryOrEnd(tx, handler, job, createUnrecordedReport(step, "start"), retryDelay(handler, job, retry));
  });
}

async function claimWithSubject(
  db: Database,
  handler: JobHandler,
  candidate: ClaimableJob,
  kinds: SupportedJobKinds,
  holder: string,
  onClaimed: (tx: Tx, job: Job, subject: JobSubject | null) => Promise<void>,
): Promise<Job | null> {
  return await catchClaimConflict(db.transact(async (tx) => {
    const subject = await lockSubject(tx, { visible: handler.kind.visible, ...candidate });
    const job = await claimJob(tx, candidate, kinds, { holder, label: currentStepOf(handler, candidate).label });
    if (job) await onClaimed(tx, job, subject);
    return job;
  }));
}

function currentStepOf({ kind }: JobHandler, { finishedSteps }: ClaimableJob): StepPlan {
  return kind.steps[finishedSteps]!;
}

/** Records a finished step. If it was the last step, records that the job succeeded. */
export async function finishStep(tx: Tx, { kind, hooks = {} }: JobHandler, job: Job, step: string): Promise<Job> {
  const next = stepAfter(kind, job, step);
  // Sends both statements together. The server runs them in this order.
  const [subject, after] = await Promise.all([lockSubject(tx, job), next && recordStep(tx, job, step, next.label)]);
  if (next) {
    if (after) await recordJobChange(tx, after, subject, {});
    return after ?? await updateHeldJob(tx, job); // the step was already recorded; only the reply was lost
  }
  const outcome = await hooks.onSucceeded?.(tx, await updateHeldJob(tx, job, { stepDone: step })) ?? {};
  const ended = await endHeldJob(tx, job, { state: "succeeded", label: "Done", failure: null, stepDone: step });
  await recordJobChange(tx, ended, subject, { ...outcome, jobs: [...outcome.jobs ?? [], ...nextJobs(kind, ended)] });
  return ended;
}

/** Whether a job of this handler starts without changing any database row except the job's own. */
export function canStartInOneStatement({ kind, hooks = {} }: JobHandler): boolean {
  return !kind.visible && !hooks.onStart;
}

/** Whether this is the job's last step, and ending the job changes no database row except the job's own. */
export function canEndInOneStatement({ kind, hooks = {} }: JobHandler, job: Job, step: string): boolean {
  return !kind.visible && kind.repeatEvery === undefined && !hooks.onSucceeded && !stepAfter(kind, job, step);
}

function stepAfter({ steps }: JobKind, { finishedSteps }: Job, step: string): StepPlan | undefined {
  return steps.find(({ name }) => name !== step && !finishedSteps.includes(name));
}

export async function failJob(
  tx: Tx,
  { kind, hooks = {} }: JobHandler,
  job: Job,
  report: FailureReport,
  observed: unknown,
): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const current = await updateHeldJob(tx, job, observed === undefined ? {} : { progress: { observed } });
  const outcome = await hooks.onFailed?.(tx, current, report) ?? {};
  const hint = buildFailureHint(report.hint, job, outcome.state);
  const after = await endHeldJob(tx, job, { state: "failed", label: current.label, failure: { ...report, hint } });
  await recordJobChange(
    tx,
    after,
    subject,
    { ...outcome, jobs: [...outcome.jobs ?? [], ...nextJobs(kind, after)] },
    report.message,
  );
  return after;
}

export async function cancelJob(tx: Tx, { kind, hooks = {} }: JobHandler, job: Job): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const current = await updateHeldJob(tx, job);
  const outcome = await hooks.onCancelled?.(tx, current) ?? {};
  const after = await endHeldJob(tx, job, { state: "cancelled", label: current.label, failure: current.failure });
  const audit = job.visible
    ? [{
      kind: "operation_cancelled" as const,
      objectType: "operation" as const,
      objectId: job.id,
      federationId: job.federationId,
      spokeId: job.spokeId,
      metadata: { kind: job.kind },
    }]
    : [];
  await recordJobChange(tx, after, subject, {
    ...outcome,
    audit: [...outcome.audit ?? [], ...audit],
    jobs: [...outcome.jobs ?? [], ...nextJobs(kind, after)],
  });
  return after;
}

/** Requeues a job whose start or end cannot be recorded. After several attempts, ends the job to free its queue. */
export async function retryOrEnd(
  tx: Tx,
  handler: JobHandler,
  job: Job,
  failure: FailureReport,
  delayMs: number,
): Promise<Job> {
  const unended = (job.progress.unended ?? 0) + 1;
  if (shouldEndUnrecorded(handler.kind, unended)) return await endWithoutHooks(tx, handler, job, failure);
  return await scheduleRetry(tx, job, failure, delayMs, { unended });
}

/**
 * Ends a job without calling its hooks, because its data cannot be read, or its start or end cannot be recorded. Marks
 * a hub or spoke in a transitional state as failed, because nothing else would end that state.
 */
export async function endWithoutHooks(tx: Tx, { kind }: JobHandler, job: Job, report: FailureReport): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const after = await endHeldJob(tx, job, { state: "failed", label: job.label, failure: report });
  const state = subject && await markSubjectFailed(tx, subject, report.message);
  await recordJobChange(tx, after, subject, { ...(state && { state }), jobs: nextJobs(kind, after) }, report.message);
  return after;
}

export async function scheduleRetry(
  tx: Tx,
  job: Job,
  failure: FailureReport,
  delayMs: number,
  progress: Readonly<Record<string, unknown>>,
): Promise<Job> {
  const label = shortenProgressLabel(`Trying again: ${failure.message}`);
  return await requeueJob(tx, job, { label, delayMs, countsAsAttempt: true, failure, progress });
}

/** Requeues a job, either for a later retry or so that another replica continues the job now. */
export async function requeueJob(tx: Tx, job: Job, requeue: RequeueOptions): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const after = await requeueHeldJob(tx, job, requeue);
  await recordJobChange(tx, after, subject, {}, requeue.failure?.message);
  return after;
}

/** Requeues a job until another operation ends. The wait is not an attempt and does not use up the time limit. */
export async function requeueUntilOperationEnds(
  tx: Tx,
  job: Job,
  { message, operationId }: OperationAwaited,
  delayMs: number,
): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const after = await requeueHeldJob(tx, job, {
    label: shortenProgressLabel(message),
    delayMs: await hasJobEnded(tx, operationId) ? 0 : delayMs,
    countsAsAttempt: false,
    waitsFor: operationId,
  });
  await recordJobChange(tx, after, subject, {});
  return after;
}

export async function recordProgress(tx: Tx, job: JobFence & Job, label: string): Promise<void> {
  const [subject, after] = await Promise.all([lockSubject(tx, job), updateHeldJob(tx, job, { label })]);
  await recordJobChange(tx, after, subject, {});
}

async function recordJobChange(
  tx: Tx,
  job: Job,
  subject: JobSubject | null,
  outcome: Outcome,
  error?: string,
): Promise<void> {
  const { state, ...change } = outcome;
  const event = subject && {
    ...subject,
    state: state ?? subject.state,
    operation: toStreamOperation(job),
    error: error ?? null,
  };
  await recordChange(tx, job.requester, { ...change, events: event ? [event] : [] });
}

/** Returns the next job of a recurring kind, otherwise an empty list. The ended job has released the dedupe key. */
function nextJobs(kind: JobKind, ended: Job): NewJob[] {
  if (kind.repeatEvery === undefined) return [];
  return [createRecurringJob(kind, new Date(ended.finishedAt!.getTime() + kind.repeatEvery))];
}

/** Creates a job of a recurring kind. The dedupe key contains the plan version, so older jobs do not block it. */
export function createRecurringJob(kind: JobKind, runAt?: Date): NewJob {
  return {
    kind,
    lane: null,
    federationId: null,
    spokeId: null,
    dedupeKey: `repeat:${kind.kind}:${kind.plan}`,
    ...(runAt && { runAt }),
  };
}
