/**
 * What is written when a job starts, comes forward and ends: each a single transaction of the job's row, its subject's
 * row, the audit, the stream event and what follows. The subject is locked first and the hub's head last, as everywhere.
 */
import { record } from "#lib/changes/record.ts";
import type { Database, Tx } from "#lib/drivers/db/database.ts";
import { type Candidate, claimJob, type Known, unlessTaken } from "#lib/jobs/claim.ts";
import { endHeld, type Hold, passStep, type Return, returnHeld, writeHeld } from "#lib/jobs/fence.ts";
import type { FailureReport, Job, NewJob } from "#lib/jobs/job.ts";
import { isJobOver } from "#lib/jobs/store.ts";
import type { JobKind, StepPlan } from "#lib/operations/plan.ts";
import { hintAfter } from "#lib/jobs/hint.ts";
import { streamOperation } from "#lib/jobs/operation.ts";
import type { Handler, Outcome } from "#lib/scheduler/handler.ts";
import { shorten } from "#lib/scheduler/progress.ts";
import { isHopeless, pause, type Retry, unrecorded } from "#lib/scheduler/reports.ts";
import type { Awaiting } from "#lib/scheduler/stops.ts";
import { callFailed, lockSubject, type Subject } from "#lib/scheduler/subject.ts";

export async function start(
  db: Database,
  handler: Handler,
  candidate: Candidate,
  known: Known,
  holder: string,
): Promise<Job | null> {
  return await take(db, handler, candidate, known, holder, async (tx, job, subject) => {
    await tell(tx, job, subject, await handler.hooks?.onStart?.(tx, job) ?? {});
  });
}

/** Takes a job whose start its handler cannot write, by a mistake of ours, and sets it aside, with nothing more done. */
export async function passOver(
  db: Database,
  handler: Handler,
  candidate: Candidate,
  known: Known,
  { holder, retry }: { readonly holder: string; readonly retry: Retry | undefined },
): Promise<void> {
  const step = stepOf(handler, candidate).name;
  await take(db, handler, candidate, known, holder, async (tx, job) => {
    await putOffOrEnd(tx, handler, job, unrecorded(step, "that this began"), pause(handler, job, retry));
  });
}

async function take(
  db: Database,
  handler: Handler,
  candidate: Candidate,
  known: Known,
  holder: string,
  begin: (tx: Tx, job: Job, subject: Subject | null) => Promise<void>,
): Promise<Job | null> {
  return await unlessTaken(db.transact(async (tx) => {
    const subject = await lockSubject(tx, { visible: handler.kind.visible, ...candidate });
    const job = await claimJob(tx, candidate, known, { holder, label: stepOf(handler, candidate).label });
    if (job) await begin(tx, job, subject);
    return job;
  }));
}

function stepOf({ kind }: Handler, { stepsDone }: Candidate): StepPlan {
  return kind.steps[stepsDone]!;
}

/** Records that the step is done; with the last one, that the job has succeeded. */
export async function finishStep(tx: Tx, { kind, hooks = {} }: Handler, job: Job, step: string): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const next = stepAfter(kind, job, step);
  if (next) {
    const after = await passStep(tx, job, step, next.label);
    if (after) await tell(tx, after, subject, {});
    return after ?? await writeHeld(tx, job); // it was recorded, and only the answer was lost
  }
  const outcome = await hooks.onSucceeded?.(tx, await writeHeld(tx, job, { stepDone: step })) ?? {};
  const after = await endHeld(tx, job, { state: "succeeded", label: "Done", failure: null, stepDone: step });
  await tell(tx, after, subject, { ...outcome, jobs: [...outcome.jobs ?? [], ...following(kind, after)] });
  return after;
}

/** Whether nothing but the job's own row is written when it starts. */
export function startsPlain({ kind, hooks = {} }: Handler): boolean {
  return !kind.visible && !hooks.onStart;
}

/** Whether nothing but the job's own row is written when it ends with this step. */
export function endsPlain({ kind, hooks = {} }: Handler, job: Job, step: string): boolean {
  return !kind.visible && kind.repeatEvery === undefined && !hooks.onSucceeded && !stepAfter(kind, job, step);
}

function stepAfter({ steps }: JobKind, { stepsDone }: Job, step: string): StepPlan | undefined {
  return steps.find(({ name }) => name !== step && !stepsDone.includes(name));
}

export async function fail(
  tx: Tx,
  { kind, hooks = {} }: Handler,
  job: Job,
  report: FailureReport,
  observed: unknown,
): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const held = await writeHeld(tx, job, observed === undefined ? {} : { progress: { observed } });
  const outcome = await hooks.onFailed?.(tx, held, report) ?? {};
  const hint = hintAfter(report.hint, job, outcome.state);
  const after = await endHeld(tx, job, { state: "failed", label: held.label, failure: { ...report, hint } });
  await tell(
    tx,
    after,
    subject,
    { ...outcome, jobs: [...outcome.jobs ?? [], ...following(kind, after)] },
    report.message,
  );
  return after;
}

export async function cancel(tx: Tx, { kind, hooks = {} }: Handler, job: Job): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const held = await writeHeld(tx, job);
  const outcome = await hooks.onCancelled?.(tx, held) ?? {};
  const after = await endHeld(tx, job, { state: "cancelled", label: held.label, failure: held.failure });
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
  await tell(tx, after, subject, {
    ...outcome,
    audit: [...outcome.audit ?? [], ...audit],
    jobs: [...outcome.jobs ?? [], ...following(kind, after)],
  });
  return after;
}

/** What cannot be recorded for a mistake of ours is tried again some times, and then ended, so that its lane goes on. */
export async function putOffOrEnd(
  tx: Tx,
  handler: Handler,
  job: Job,
  failure: FailureReport,
  wait: number,
): Promise<Job> {
  const unended = Number(job.progress.unended ?? 0) + 1;
  if (isHopeless(handler.kind, unended)) return await breakOff(tx, handler, job, failure);
  return await putOff(tx, job, failure, wait, { unended });
}

/**
 * Ends a job whose start or end its handler cannot write, by a mistake of ours: without its hooks. A subject that is under way
 * with it is called failed, for nothing else would ever end that; any other stays as it is.
 */
async function breakOff(tx: Tx, { kind }: Handler, job: Job, report: FailureReport): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const after = await endHeld(tx, job, { state: "failed", label: job.label, failure: report });
  const state = subject && await callFailed(tx, subject, report.message);
  await tell(tx, after, subject, { ...(state && { state }), jobs: following(kind, after) }, report.message);
  return after;
}

/** Puts the job back after a try that failed. */
export async function putOff(
  tx: Tx,
  job: Job,
  failure: FailureReport,
  wait: number,
  progress: Readonly<Record<string, unknown>>,
): Promise<Job> {
  const label = shorten(`Trying again: ${failure.message}`);
  return await giveBack(tx, job, { label, wait, counts: true, failure, progress });
}

/** Puts the job back: to be tried again later, or for another replica to go on with at once. */
export async function giveBack(tx: Tx, job: Job, back: Return): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const after = await returnHeld(tx, job, back);
  await tell(tx, after, subject, {}, back.failure?.message);
  return after;
}

/** Puts the job back until another one has ended. What that takes is no time of its own, and no attempt. */
export async function stepAside(
  tx: Tx,
  job: Job,
  { message, operationId }: Awaiting,
  wait: number,
): Promise<Job> {
  const subject = await lockSubject(tx, job);
  const after = await returnHeld(tx, job, {
    label: shorten(message),
    wait: await isJobOver(tx, operationId) ? 0 : wait,
    counts: false,
    awaits: operationId,
  });
  await tell(tx, after, subject, {});
  return after;
}

export async function noteProgress(tx: Tx, job: Hold & Job, label: string): Promise<void> {
  const subject = await lockSubject(tx, job);
  await tell(tx, await writeHeld(tx, job, { label }), subject, {});
}

async function tell(tx: Tx, job: Job, subject: Subject | null, outcome: Outcome, error?: string): Promise<void> {
  const { state, ...change } = outcome;
  const event = subject && {
    ...subject,
    state: state ?? subject.state,
    operation: streamOperation(job),
    error: error ?? null,
  };
  await record(tx, job.asker, { ...change, events: event ? [event] : [] });
}

/** The next run of a kind that repeats itself. The present one has ended in this transaction, so the key is free. */
function following(kind: JobKind, ended: Job): NewJob[] {
  if (kind.repeatEvery === undefined) return [];
  return [repetition(kind, new Date(ended.finishedAt!.getTime() + kind.repeatEvery))];
}

/** One chain for each plan, so that an older release's next run, which nobody may know any more, is not waited for. */
export function repetition(kind: JobKind, runAt?: Date): NewJob {
  return {
    kind,
    lane: null,
    federationId: null,
    spokeId: null,
    dedupeKey: `repeat:${kind.kind}:${kind.plan}`,
    ...(runAt && { runAt }),
  };
}
