/** Defines handlers: the code that runs for each step of a job, and hooks for the job's start and end. */
import type { AuditedChange } from "#lib/changes/record.ts";
import type { FailureEvidence } from "#lib/drivers/cluster/cluster.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { FailureReport, Job } from "#lib/jobs/job.ts";
import type { JobKind, SharedProgress } from "#lib/operations/plan.ts";
import type { Log } from "#lib/base/log.ts";

/** A run of a job. Each step function receives this object. */
export interface JobRun<Progress extends SharedProgress = SharedProgress, Payload extends object = object> {
  /** The job as last stored in the database, including its finished steps and the values that they saved. */
  readonly job: Job<Progress, Payload>;
  /** Aborts when the step must stop: the step timed out, or the job was cancelled, requeued or taken over. */
  readonly signal: AbortSignal;
  /** Aborted when the replica shuts down. A step that runs for long then ends; the job is requeued. */
  readonly leaving: AbortSignal;
  readonly log: Log;
  /** Throws if this replica no longer holds the job. Call it right before any action that cannot be undone. */
  throwIfStopped(): void;
  /** Runs `work` in a transaction and may retry it. Rolls back if another replica took over the job. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Saves values in the job's progress, for later steps or for another replica that continues the job. */
  saveProgress(values: Partial<Progress>): Promise<void>;
  /** Shows users one plain sentence about what the step is waiting for. */
  showProgress(sentence: string): void;
  /** Returns how many milliseconds the step can keep waiting and still have time to report its result. */
  timeLeft(): number;
}

/** A run of a job of this kind. */
export type RunOf<Kind extends JobKind> = Kind extends JobKind<infer Progress, infer Payload>
  ? JobRun<Progress, Payload>
  : never;

/**
 * The records to write when a job starts or ends. `state` is the new state of the job's hub or spoke, and is also sent
 * to clients. If `state` is missing, the hub or spoke keeps its state.
 */
export interface Outcome extends Omit<AuditedChange, "events"> {
  readonly state?: string;
}

/** Functions that run in the transaction that starts or ends a job. Hooks may only change database rows. */
export interface JobHooks<Progress extends SharedProgress = SharedProgress, Payload extends object = object> {
  /** Called before the job's data is checked. */
  onStart?(tx: Tx, job: Job): Promise<Outcome>;
  onSucceeded?(tx: Tx, job: Job<Progress, Payload>): Promise<Outcome>;
  onFailed?(tx: Tx, job: Job<Progress, Payload>, report: FailureReport): Promise<Outcome>;
  onCancelled?(tx: Tx, job: Job<Progress, Payload>): Promise<Outcome>;
}

/**
 * Works on a run of one kind of job. The type is that of a method, so that handlers of different kinds fit in one list:
 * the scheduler calls a handler only with jobs of its kind, whose data it has checked (lib/jobs/data.ts).
 */
type RunFunction<Result, Progress extends SharedProgress, Payload extends object> = {
  call(run: JobRun<Progress, Payload>): Promise<Result>;
}["call"];

type SiteFunction<Site, Result, Progress extends SharedProgress, Payload extends object> = (
  site: Site,
  run: JobRun<Progress, Payload>,
) => Promise<Result>;

/** The function for each step, keyed by step name. A missing or misspelled step is a compile error. */
export type StepFunctions<Site, Progress extends SharedProgress, Payload extends object, Step extends string> =
  Readonly<Record<NoInfer<Step>, SiteFunction<Site, void, Progress, Payload>>>;

/** Hooks for a job's start and end, and functions that read the cluster after a failure. */
export interface HandlerHooks<Site, Progress extends SharedProgress, Payload extends object> {
  readonly hooks: JobHooks<Progress, Payload>;
  readonly readEvidence?: SiteFunction<Site, FailureEvidence, Progress, Payload>;
  readonly observe?: SiteFunction<Site, object, Progress, Payload>;
}

export interface JobHandler<
  Progress extends SharedProgress = SharedProgress,
  Payload extends object = object,
  Step extends string = string,
> {
  readonly kind: JobKind<Progress, Payload, Step>;
  /** The function for each step name. A step may run again after a crash, so it must skip work that is done. */
  readonly steps: Readonly<Record<NoInfer<Step>, RunFunction<void, Progress, Payload>>>;
  readonly hooks?: JobHooks<Progress, Payload>;
  /** Reads pod logs and Kubernetes events after a failure, unless the failure report already has some. */
  readonly readEvidence?: RunFunction<FailureEvidence, Progress, Payload>;
  /** Reads the cluster's state after a failure. It is saved as `observed` in the progress before `onFailed` is called. */
  readonly observe?: RunFunction<object, Progress, Payload>;
}

/** Returns the handler. Its kind determines the types of the data that its steps and hooks read and save. */
export function createHandler<Progress extends SharedProgress, Payload extends object, Step extends string>(
  handler: JobHandler<Progress, Payload, Step>,
): JobHandler<Progress, Payload, Step> {
  return handler;
}

/**
 * Creates a handler whose functions receive the site that `open` returns. `open` runs before each function, because the
 * previous step may have run on another replica.
 */
export function createJobHandler<Site, Progress extends SharedProgress, Payload extends object, Step extends string>(
  kind: JobKind<Progress, Payload, Step>,
  open: (run: NoInfer<JobRun<Progress, Payload>>) => Promise<Site>,
  steps: StepFunctions<Site, Progress, Payload, Step>,
  { hooks, readEvidence, observe }: NoInfer<HandlerHooks<Site, Progress, Payload>>,
): JobHandler<Progress, Payload, Step> {
  const withSite =
    <Result>(work: SiteFunction<Site, Result, Progress, Payload>) => async (run: JobRun<Progress, Payload>) =>
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
export function wrapStepFunctions<Progress extends SharedProgress, Payload extends object, Step extends string>(
  handler: JobHandler<Progress, Payload, Step>,
  wrap: (
    work: RunFunction<void, Progress, Payload>,
    step: Step,
  ) => RunFunction<void, Progress, Payload>,
): JobHandler<Progress, Payload, Step> {
  return { ...handler, steps: mapSteps(handler.steps, wrap) };
}

function mapSteps<Step extends string, From, To>(
  steps: Readonly<Record<Step, From>>,
  make: (step: From, name: Step) => To,
): Readonly<Record<Step, To>> {
  const entries = Object.entries(steps) as [Step, From][];
  return Object.fromEntries(entries.map(([name, step]) => [name, make(step, name)])) as Record<Step, To>;
}
