/** Defines handlers: the code that runs for each step of a job, and hooks for the job's start and end. */
import type { AuditedChange } from "#lib/changes/record.ts";
import type { FailureEvidence } from "#lib/drivers/cluster/cluster.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { FailureReport, Job } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { Log } from "#lib/base/log.ts";

/** A run of a job. Each step function receives this object. */
export interface JobRun {
  /** The job as last stored in the database, including its finished steps. */
  readonly job: Job;
  /** Aborts when the step must stop: the step timed out, or the job was cancelled, requeued or taken over. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Throws if this replica no longer holds the job. Call it right before any action that cannot be undone. */
  throwIfStopped(): void;
  /** Runs `work` in a transaction and may retry it. Rolls back if another replica took over the job. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Saves values in the job's progress, for later steps or for another replica that continues the job. */
  saveProgress(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Shows users one plain sentence about what the step is waiting for. */
  showProgress(sentence: string): void;
  /** Returns how many milliseconds the step can keep waiting and still have time to report its result. */
  timeLeft(): number;
}

/**
 * The records to write when a job starts or ends. `state` is the new state of the job's hub or spoke, and is also sent
 * to clients. If `state` is missing, the hub or spoke keeps its state.
 */
export interface Outcome extends Omit<AuditedChange, "events"> {
  readonly state?: string;
}

type Hook<Extra extends unknown[] = []> = (tx: Tx, job: Job, ...extra: Extra) => Promise<Outcome>;

/** Functions that run in the transaction that starts or ends a job. Hooks may only change database rows. */
export interface JobHooks {
  readonly onStart?: Hook;
  readonly onSucceeded?: Hook;
  readonly onFailed?: Hook<[report: FailureReport]>;
  readonly onCancelled?: Hook;
}

type StepFunction = (run: JobRun) => Promise<void>;

/** The part of an operation's declaration that `createJobHandler` needs. */
export interface PlannedOperation<Step extends string> {
  readonly kind: JobKind;
  readonly plan: { readonly steps: Readonly<Record<Step, unknown>> };
}

type SiteFunction<Site, Result> = (site: Site, run: JobRun) => Promise<Result>;

/** The function for each step, keyed by step name. A missing or misspelled step is a compile error. */
export type StepFunctions<Step extends string, Site> = Readonly<Record<NoInfer<Step>, SiteFunction<Site, void>>>;

/** Hooks for a job's start and end, and functions that read the cluster after a failure. */
export interface HandlerHooks<Site> {
  readonly hooks: JobHooks;
  readonly readEvidence?: SiteFunction<Site, FailureEvidence>;
  readonly observe?: SiteFunction<Site, unknown>;
}

export interface JobHandler {
  readonly kind: JobKind;
  /** The function for each step name. A step may run again after a crash, so it must skip work that is done. */
  readonly steps: Readonly<Record<string, StepFunction>>;
  readonly hooks?: JobHooks;
  /** Reads pod logs and Kubernetes events after a failure, unless the failure report already has some. */
  readonly readEvidence?: (run: JobRun) => Promise<FailureEvidence>;
  /**
   * Reads the cluster's state after a failure. The result must not be undefined. The scheduler saves the result as
   * `observed` in the job's progress before it calls `onFailed`.
   */
  readonly observe?: (run: JobRun) => Promise<unknown>;
}

/**
 * Creates a handler whose functions receive the site that `open` returns. `open` runs before each function, because the
 * previous step may have run on another replica.
 */
export function createJobHandler<Step extends string, Site>(
  { kind }: PlannedOperation<Step>,
  open: (run: JobRun) => Promise<Site>,
  steps: StepFunctions<Step, Site>,
  { hooks, readEvidence, observe }: HandlerHooks<Site>,
): JobHandler {
  const withSite = <Result>(work: SiteFunction<Site, Result>) => async (run: JobRun) =>
    await work(await open(run), run);
  return {
    kind,
    steps: mapSteps(steps, withSite),
    hooks,
    ...(readEvidence && { readEvidence: withSite(readEvidence) }),
    ...(observe && { observe: withSite(observe) }),
  };
}

/** Returns a copy of the handler with each step function wrapped by `wrap`. */
export function wrapStepFunctions(
  handler: JobHandler,
  wrap: (work: StepFunction, step: string) => StepFunction,
): JobHandler {
  return { ...handler, steps: mapSteps(handler.steps, wrap) };
}

function mapSteps<Step>(
  steps: Readonly<Record<string, Step>>,
  make: (step: Step, name: string) => StepFunction,
): JobHandler["steps"] {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, make(step, name)]));
}
