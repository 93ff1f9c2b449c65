/** Loads the site that a job works on: its database row, its blueprint inputs and its Kubernetes namespace. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { HubInputs, SpokeInputs } from "#lib/moodle/inputs.ts";
import { applyCurrentSettings, createHubInputs } from "#lib/catalog/inputs.ts";
import {
  type Cluster,
  ClusterError,
  type ClusterNamespace,
  type ClusterWaitOptions,
} from "#lib/drivers/cluster/cluster.ts";
import { explainClusterError, type Explanation } from "#lib/drivers/cluster/diagnosis/explain.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import type { JobKind, SharedProgress } from "#lib/operations/plan.ts";
import {
  createJobHandler,
  type HandlerHooks,
  type JobHandler,
  type JobRun,
  type RunOf,
  type StepFunctions,
} from "#lib/scheduler/handler.ts";
import type { OPERATIONS } from "#lib/operations/table.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { FailureCause } from "#lib/base/errors.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { backoffDelay, SECOND, sleep } from "#lib/base/time.ts";

/** A run of an operation, with the types of the data that the operation declares. */
export type OperationRun<Name extends keyof typeof OPERATIONS> = RunOf<(typeof OPERATIONS)[Name]["kind"]>;

export const KUBERNETES_JOB_KIND = { apiVersion: "batch/v1", kind: "Job" };

/** The namespace of a spoke or hub, as recorded in the database. */
export interface NamespaceRecord {
  readonly namespace: string;
  /** The UID of the namespace; null if the namespace has not been created yet. */
  readonly uid: string | null;
  readonly federationId: string;
  /** The ID of the spoke that owns the namespace; null if the namespace belongs to a hub. */
  readonly spokeId: string | null;
}

/** A site as it was when a job's step started. Later changes to its database row are not included. */
export interface Site {
  readonly app: App;
  readonly blueprint: Blueprint;
  readonly cluster: Cluster;
  readonly holding: NamespaceRecord;
  /** The site's namespace. Reading this property throws a `NotFound` ClusterError if the namespace was not created. */
  readonly space: ClusterNamespace;
}

export interface SpokeSite extends Site {
  readonly spoke: SpokeRow;
  readonly inputs: SpokeInputs;
}

export interface HubSite extends Site {
  readonly hub: FederationRow;
  readonly inputs: HubInputs;
}

/** The namespaces that steps of running jobs use, so that steps in quick succession share a check of the namespace. */
type SpacesOfRuns = WeakMap<JobRun, { readonly cluster: Cluster; readonly space: ClusterNamespace }>;

export async function openSpokeSite(app: App, run: JobRun, spaces?: SpacesOfRuns): Promise<SpokeSite> {
  const spoke = await app.db.rows.selectFrom("spokes").selectAll().where("id", "=", run.job.spokeId)
    .executeTakeFirstOrThrow();
  const inputs = applyCurrentSettings(app, v.parse(SpokeInputs, spoke.blueprintInputs));
  const { id: spokeId, federationId, namespace, namespaceUid: uid } = spoke;
  const cluster = await app.clusters.open(spoke.cluster);
  const holding = { namespace, uid, federationId, spokeId }, earlier = spaces?.get(run);
  const isSame = earlier?.cluster === cluster && earlier.space.uid === uid;
  const site = siteOf(app, cluster, holding, { spoke, inputs }, isSame ? earlier.space : undefined);
  if (uid !== null) spaces?.set(run, { cluster, space: site.space });
  return site;
}

export async function openHubSite(app: App, run: JobRun): Promise<HubSite> {
  const hub = await app.db.rows.selectFrom("federations").selectAll().where("id", "=", run.job.federationId)
    .executeTakeFirstOrThrow();
  const { id: federationId, namespace, namespaceUid: uid, slug, region } = hub;
  const inputs = createHubInputs(app.catalog, app.config, { federationId, namespace, slug, region });
  const cluster = await app.clusters.open(hub.cluster);
  return siteOf(app, cluster, { namespace, uid, federationId, spokeId: null }, { hub, inputs });
}

function siteOf<Own extends object>(
  app: App,
  cluster: Cluster,
  holding: NamespaceRecord,
  own: Own,
  opened?: ClusterNamespace,
): Site & Own {
  let space = opened;
  return {
    ...own,
    app,
    blueprint: app.blueprint,
    cluster,
    holding,
    get space() {
      return space ??= spaceOf(cluster, holding);
    },
  };
}

function spaceOf(cluster: Cluster, { namespace, uid }: NamespaceRecord): ClusterNamespace {
  if (uid === null) {
    throw new ClusterError("NotFound", `The namespace ${namespace} was never created`, { transient: false });
  }
  return cluster.space(namespace, uid);
}

/** Creates the handler for an operation on a spoke. Failure reports include logs and events from its namespace. */
export function spokeHandler<Progress extends SharedProgress, Payload extends object, Step extends string>(
  app: App,
  kind: JobKind<Progress, Payload, Step>,
  steps: StepFunctions<SpokeSite, Progress, Payload, Step>,
  hooks: NoInfer<HandlerHooks<SpokeSite, Progress, Payload>>,
): JobHandler<Progress, Payload, Step> {
  const readEvidence = ({ space }: SpokeSite, run: JobRun) => space.evidence(run);
  const spaces: SpacesOfRuns = new WeakMap();
  return createJobHandler(kind, (run: JobRun) => openSpokeSite(app, run, spaces), steps, { readEvidence, ...hooks });
}

/** Returns the options for waiting on the cluster: the step's remaining time, and a callback that reports progress. */
export function buildClusterWaitOptions(run: JobRun, maxMs = Infinity): ClusterWaitOptions {
  const { signal, throwIfStopped: check } = run;
  return { signal, check, timeout: Math.min(run.timeLeft(), maxMs), onProgress: (text) => run.showProgress(text) };
}

/** Adds notes, which users see, to the operation. Skips notes that the operation already has. */
export async function addNotes(run: JobRun, notes: readonly string[]): Promise<void> {
  const all = new Set([...run.job.progress.notes ?? [], ...notes]);
  if (notes.length > 0) await run.saveProgress({ notes: [...all] });
}

/** Creates an error after which the job is not retried automatically. The hint says what to fix before a retry. */
export function permanentError(
  code: string,
  message: string,
  hint: string,
  blame: FailureCause = "operator",
): ClusterError {
  return new ClusterError(code, message, { transient: false, blame, hint });
}

/** An error that says why a step cannot continue, either from the cluster or from Wheelwright itself. */
export type StepError = ClusterError | Refusal;

export function isStepError(error: unknown): error is StepError {
  return error instanceof ClusterError || error instanceof Refusal;
}

/** Explains an error to users: what failed, why, and what to do about it. */
export function explainStepError(error: StepError): Explanation {
  return error instanceof Refusal ? error : explainClusterError(error);
}

/** Runs `work`. If the cluster fails, logs the error and returns undefined, because the caller can do without the result. */
export async function tryInCluster<T>(
  run: JobRun,
  work: () => Promise<T>,
  level: "info" | "warn",
  message: string,
  details: object = {},
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ClusterError)) throw error;
    run.log[level](message, { ...details, error });
  }
}

/**
 * Adds the site's state and instructions for its recovery to a permanent error. Returns a transient error, or an error
 * about a lost namespace, unchanged.
 */
export function withRecoveryInstructions(
  error: StepError,
  was: string,
  advise: (hint: string | undefined) => string,
): StepError {
  const describe = (message: string) => `${message}. The site must stay stopped. ${was}`;
  if (error instanceof Refusal) {
    return new Refusal(error.code, describe(error.message), advise(error.hint), error.blame);
  }
  if (error.transient || error.code === "ForeignNamespace" || error.code === "Terminating") return error;
  const { code, message, blame, hint } = explainClusterError(error), { evidence } = error;
  return new ClusterError(code, describe(message), {
    transient: false,
    blame,
    hint: advise(hint),
    cause: error,
    ...(evidence === undefined ? {} : { evidence }),
  });
}

/** Waits until `findProblem` returns null, like `pollUntil`. Throws a transient ClusterError if the time limit is reached. */
export async function waitUntil(run: JobRun, findProblem: () => Promise<string | null>): Promise<void> {
  const problem = await pollUntil(run, findProblem);
  if (problem !== null) throw new ClusterError("deadline", problem, { transient: true });
}

const MAX_PAUSE = 3 * SECOND; // the longest pause between two calls of `findProblem`

/**
 * Calls `findProblem` repeatedly until it returns null, and reports each problem as progress. If the step's time limit
 * is reached, returns the last problem.
 */
export async function pollUntil(run: JobRun, findProblem: () => Promise<string | null>): Promise<string | null> {
  const end = performance.now() + run.timeLeft();
  for (let attempt = 1;; attempt++) {
    const reason = await findProblem();
    if (reason === null || performance.now() > end) return reason;
    run.showProgress(reason);
    await sleep(backoffDelay(attempt, 50, MAX_PAUSE), run.signal);
  }
}
