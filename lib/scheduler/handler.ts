/** Defines handlers. A handler has a function for each step of a job's kind, and hooks for the job's start and end. */
import type { AuditedChange } from "#lib/changes/record.ts";
import type { FailureEvidence } from "#lib/drivers/cluster/cluster.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { FailureReport, Job } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { Log } from "#lib/base/log.ts";

/** A run of a job, as its steps see it. */
export interface Run {
  /** The job as claimed, with the steps finished so far. */
  readonly job: Job;
  /** Aborts when the run must end: the job was lost, cancelled or requeued, or the step timed out. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Throws if this replica no longer holds the job. Call it directly before an action that cannot be undone. */
  throwIfStopped(): void;
  /** Runs `work` in a transaction, possibly repeatedly. Rolls back if this replica has lost the job. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Stores values in the job's progress for a later step or another replica. */
  saveProgress(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Shows users what the step waits for, as one plain sentence. */
  showProgress(sentence: string): void;
  /** Returns the milliseconds that the step may still wait. Leaves time to report the result before the timeout. */
  timeLeft(): number;
}

/**
 * The records that are written with a job's start or end. `state` is the subject's new state and is also sent in the
 * stream event. Without it, the subject's state does not change.
 */
export interface Outcome extends Omit<AuditedChange, "events"> {
  readonly state?: string;
}

type Hook<Extra extends unknown[] = []> = (tx: Tx, job: Job, ...extra: Extra) => Promise<Outcome>;

/** Hooks that run in the transaction that updates the job's row. They may only change rows. */
export interface Hooks {
  readonly onStart?: Hook;
  readonly onSucceeded?: Hook;
  readonly onFailed?: Hook<[report: FailureReport]>;
  readonly onCancelled?: Hook;
}

type StepFunction = (run: Run) => Promise<void>;

/** The part of an operation's declaration that `createHandler` needs. */
export interface PlannedOperation<Step extends string> {
  readonly kind: JobKind;
  readonly plan: { readonly steps: Readonly<Record<Step, unknown>> };
}

type SiteFunction<Site, Result> = (site: Site, run: Run) => Promise<Result>;

/** The functions of all steps. A missing or misspelt step does not compile. */
export type Steps<Step extends string, Site> = Readonly<Record<NoInfer<Step>, SiteFunction<Site, void>>>;

/** The hooks of a handler, and functions that read the cluster after a failure. */
export interface HandlerHooks<Site> {
  readonly hooks: Hooks;
  readonly readEvidence?: SiteFunction<Site, FailureEvidence>;
  readonly observe?: SiteFunction<Site, unknown>;
}

export interface Handler {
  readonly kind: JobKind;
  /** Step functions, keyed by step name. A step may run again after a crash and must accept existing results. */
  readonly steps: Readonly<Record<string, StepFunction>>;
  readonly hooks?: Hooks;
  /** Reads logs and events after a failure whose report contains none. */
  readonly readEvidence?: (run: Run) => Promise<FailureEvidence>;
  /**
   * Reads the cluster's state after a failure. The result must not be undefined. It is stored as `observed` in the
   * job's progress before `onFailed` is called.
   */
  readonly observe?: (run: Run) => Promise<unknown>;
}

/**
 * Creates a handler whose functions receive an opened site. `open` is called for each step and each read after a
 * failure, because the previous step may have run on another replica.
 */
export function createHandler<Step extends string, Site>(
  { kind }: PlannedOperation<Step>,
  open: (run: Run) => Promise<Site>,
  steps: Steps<Step, Site>,
  { hooks, readEvidence, observe }: HandlerHooks<Site>,
): Handler {
  const withSite = <Result>(work: SiteFunction<Site, Result>) => async (run: Run) => await work(await open(run), run);
  return {
    kind,
    steps: mapSteps(steps, withSite),
    hooks,
    ...(readEvidence && { readEvidence: withSite(readEvidence) }),
    ...(observe && { observe: withSite(observe) }),
  };
}

/** Returns a handler in which `wrap` surrounds each step, including the opening of its site. */
export function wrapSteps(handler: Handler, wrap: (work: StepFunction, step: string) => StepFunction): Handler {
  return { ...handler, steps: mapSteps(handler.steps, wrap) };
}

function mapSteps<Step>(
  steps: Readonly<Record<string, Step>>,
  make: (step: Step, name: string) => StepFunction,
): Handler["steps"] {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, make(step, name)]));
}
