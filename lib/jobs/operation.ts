/** Builds the API representation of an operation: its progress, what it is waiting for, and why it failed. */
import * as v from "valibot";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { StreamOperation } from "#lib/events/store.ts";
import { type FailureReport, isFinalJobState, type Job, type JobProgress } from "#lib/jobs/job.ts";
import { buildRetryHint } from "#lib/jobs/hint.ts";
import { readNewJobPosition } from "#lib/jobs/new-job-position.ts";
import { type JobQueuePosition, readQueuePositions } from "#lib/jobs/queue.ts";
import { describeSteps, StepView } from "#lib/jobs/steps.ts";
import { buildCurrentLabel } from "#lib/jobs/label.ts";
import { NullableTimestamp, Timestamp } from "#lib/base/schema.ts";

const OperationError = v.object({
  code: v.string(),
  message: v.string(),
  step: v.string(),
  fault: v.picklist(["user", "operator", "cluster"]),
  hint: v.nullable(v.string()),
});

const operationFields = {
  id: v.string(),
  kind: v.string(),
  state: v.picklist(["queued", "running", "succeeded", "failed", "cancelled"]),
  federationId: v.nullable(v.string()),
  spokeId: v.nullable(v.string()),
  /** The number of the running step, or of the step at which the operation ended; 0 while it is queued. */
  step: v.number(),
  of: v.number(),
  label: v.string(),
  attempt: v.number(),
  /** The operation's position in its queue, starting with 1; null unless the operation is queued. */
  position: v.nullable(v.number()),
  /** The estimated seconds until the operation ends, from the median of past runs; null if unknown or finished. */
  etaSeconds: v.nullable(v.number()),
  /** The operation that must end before this operation continues; null if none, or if hidden from the caller. */
  waitingFor: v.nullable(v.object({
    id: v.string(),
    kind: v.string(),
    label: v.string(),
    step: v.number(),
    of: v.number(),
    since: Timestamp,
    federationId: v.nullable(v.string()),
    spokeId: v.nullable(v.string()),
  })),
  /** When the next attempt after a failure starts; null if no retry is pending. */
  nextAttemptAt: NullableTimestamp,
  /** Describes parts of the operation that were skipped or were not possible. */
  notes: v.array(v.string()),
  createdAt: Timestamp,
  startedAt: NullableTimestamp,
  finishedAt: NullableTimestamp,
};

/** An operation as shown in lists. `error` is the error of the last attempt, even while a retry is pending. */
export const OperationView = v.object({ ...operationFields, error: v.nullable(OperationError) });
export type OperationView = v.InferInput<typeof OperationView>;

/** An operation with its steps, the failing pod's last log lines, and the Kubernetes events of its namespace. */
export const OperationDetail = v.object({
  ...operationFields,
  /** The steps in the order in which they run. */
  steps: v.array(StepView),
  error: v.nullable(v.object({
    ...OperationError.entries,
    log: v.array(v.string()),
    events: v.array(v.object({
      at: v.string(),
      object: v.string(),
      reason: v.string(),
      message: v.string(),
      count: v.number(),
    })),
  })),
});
export type OperationDetail = v.InferInput<typeof OperationDetail>;

export type OperationVisibilityCheck = (job: Pick<Job, "federationId" | "spokeId">) => boolean;

/** Returns the API representation of each job, in the given order. Reads the queue only once. */
export async function describeOperations(
  rows: RowQueries,
  jobs: readonly Job[],
  isVisible: OperationVisibilityCheck = () => true,
): Promise<OperationView[]> {
  return (await describeAll(rows, jobs, isVisible)).map(({ view, failure }) => ({
    ...view,
    error: failure && summarizeFailure(failure),
  }));
}

export async function describeOperation(
  rows: RowQueries,
  job: Job,
  isVisible: OperationVisibilityCheck = () => true,
): Promise<OperationDetail> {
  const [{ view, failure }] = await describeAll(rows, [job], isVisible) as [DescribedOperation];
  return {
    ...view,
    steps: describeSteps(job),
    error: failure && { ...summarizeFailure(failure), log: [...failure.log], events: [...failure.events] },
  };
}

/** Returns the API representation of the first job of a new spoke, which this transaction enqueued. */
export async function describeNewOperation(
  tx: Tx,
  job: Job,
  isVisible: OperationVisibilityCheck,
): Promise<OperationView> {
  return { ...describe(job, await readNewJobPosition(tx, job), isVisible).view, error: null };
}

/** Returns the fields of an operation that are sent in stream events. */
export function toStreamOperation(job: JobProgress): StreamOperation {
  return {
    id: job.id,
    kind: job.kind,
    step: stepNumber(job),
    of: job.stepNames.length,
    label: job.label,
    attempt: job.attempt,
  };
}

interface DescribedOperation {
  readonly view: Omit<OperationView, "error">;
  readonly failure: FailureReport | null;
}

async function describeAll(
  rows: RowQueries,
  jobs: readonly Job[],
  isVisible: OperationVisibilityCheck,
): Promise<DescribedOperation[]> {
  const queue = await readQueuePositions(rows, jobs.filter((job) => !isFinalJobState(job.state)).map((job) => job.id));
  return jobs.map((job) => describe(job, queue.get(job.id), isVisible));
}

function describe(
  job: Job,
  queuePosition: JobQueuePosition | undefined,
  isVisible: OperationVisibilityCheck,
): DescribedOperation {
  const ahead = queuePosition?.waitingFor && isVisible(queuePosition.waitingFor) ? queuePosition.waitingFor : null;
  return {
    failure: failureOf(job),
    view: {
      ...toStreamOperation(job),
      label: buildCurrentLabel(job, queuePosition),
      state: job.state,
      federationId: job.federationId,
      spokeId: job.spokeId,
      position: job.state === "queued" ? queuePosition?.position ?? 1 : null,
      etaSeconds: queuePosition?.etaSeconds ?? null,
      waitingFor: job.state === "queued" && ahead
        ? {
          id: ahead.id,
          kind: ahead.kind,
          label: ahead.label,
          step: stepNumber(ahead),
          of: ahead.stepNames.length,
          since: ahead.startedAt ?? ahead.createdAt,
          federationId: ahead.federationId,
          spokeId: ahead.spokeId,
        }
        : null,
      nextAttemptAt: job.state === "queued" ? queuePosition?.nextAttemptAt ?? null : null,
      notes: readOperationNotes(job),
      createdAt: job.createdAt,
      startedAt: job.startedAt,
      finishedAt: job.finishedAt,
    },
  };
}

/** Returns the job's last failure. If a retry is pending, the hint says that the operation continues automatically. */
function failureOf({ state, failure }: Job): FailureReport | null {
  if (state === "succeeded" || failure === null) return null;
  return isFinalJobState(state) ? failure : { ...failure, hint: buildRetryHint(failure.hint) };
}

function summarizeFailure({ code, message, step, fault, hint }: FailureReport): NonNullable<OperationView["error"]> {
  return { code, message, step, fault, hint };
}

/** Returns the notes that the job's steps saved in its progress. */
export function readOperationNotes({ progress }: Pick<Job, "progress">): string[] {
  return Array.isArray(progress.notes) ? progress.notes.map(String) : [];
}

function stepNumber({ state, stepNames, finishedSteps }: JobProgress): number {
  if (state === "queued") return 0;
  const done = state === "succeeded" || state === "cancelled" ? 0 : 1;
  return Math.min(stepNames.length, finishedSteps.length + done);
}
