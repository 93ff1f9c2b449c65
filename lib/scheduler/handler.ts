/** What does the work of a kind of job: a function for each step, and what the ends of the job mean for its subject. */
import type { Change } from "#lib/changes/record.ts";
import type { Evidence } from "#lib/drivers/cluster/cluster.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { FailureReport, Job } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { Log } from "#lib/base/log.ts";

/** One holder's run of one job, as its steps see it. */
export interface Run {
  /** The job as it was claimed, with the steps done until now. */
  readonly job: Job;
  /** Aborts when the run must end: the job is lost, called off, given back, or the step has had its time. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Throws unless this replica still holds the job. To be called right before anything that cannot be taken back. */
  throwIfStopped(): void;
  /** Writes in a transaction that is rolled back if the job is no longer this holder's. It may run more than once. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Keeps values in the job's progress, for a later step or another holder. */
  saveProgress(values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Tells people, in a plain sentence, what is being waited for. */
  showProgress(sentence: string): void;
  /** Milliseconds that the step may still wait, so that what it waited for is told before its time is over. */
  timeLeft(): number;
}

/**
 * What an end of the job, or its start, means for others. `state` is the subject's from now on, and goes out with the
 * stream event that the engine writes in any case; without it the subject is in the state that it was in.
 */
export interface Outcome extends Omit<Change, "events"> {
  readonly state?: string;
}

type Hook<Extra extends unknown[] = []> = (tx: Tx, job: Job, ...extra: Extra) => Promise<Outcome>;

/** Each runs in the transaction that writes the job's own row; it changes rows and nothing else. */
export interface Hooks {
  readonly onStart?: Hook;
  readonly onSucceeded?: Hook;
  readonly onFailed?: Hook<[report: FailureReport]>;
  readonly onCancelled?: Hook;
}

type StepFunction = (run: Run) => Promise<void>;

/** An operation's declaration, as far as its work goes by it. */
export interface PlannedOperation<Step extends string> {
  readonly kind: JobKind;
  readonly plan: { readonly steps: Readonly<Record<Step, unknown>> };
}

/** What is done in a place that was opened for it. */
type SiteFunction<Site, Result> = (site: Site, run: Run) => Promise<Result>;

/** A function for each step of the plan: one that is missing or misspelt does not compile. */
export type Steps<Step extends string, Site> = Readonly<Record<NoInfer<Step>, SiteFunction<Site, void>>>;

/** What a handler has besides its steps, in the same place. */
export interface HandlerHooks<Site> {
  readonly hooks: Hooks;
  readonly readEvidence?: SiteFunction<Site, Evidence>;
  readonly observe?: SiteFunction<Site, unknown>;
}

export interface Handler {
  readonly kind: JobKind;
  /** By the names of the kind's plan. Each may be run again after a crash, and must then find what is there already. */
  readonly steps: Readonly<Record<string, StepFunction>>;
  readonly hooks?: Hooks;
  /** Logs and events for the report of a failure that brought none along. */
  readonly readEvidence?: (run: Run) => Promise<Evidence>;
  /**
   * How things stand after a failure, never undefined. It is in the job's progress as `observed` when onFailed is
   * called.
   */
  readonly observe?: (run: Run) => Promise<unknown>;
}

/** `open` is asked once as each step begins, and for each look at a failure: the step before may have run elsewhere. */
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

/** The same handler, with this around each of its steps and around the opening of its place. */
export function wrapSteps(handler: Handler, wrap: (work: StepFunction, step: string) => StepFunction): Handler {
  return { ...handler, steps: mapSteps(handler.steps, wrap) };
}

function mapSteps<Step>(
  steps: Readonly<Record<string, Step>>,
  make: (step: Step, name: string) => StepFunction,
): Handler["steps"] {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, make(step, name)]));
}
