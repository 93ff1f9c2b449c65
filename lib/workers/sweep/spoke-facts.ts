/** Defines the types that the sweep (periodic check) uses, and reads long lists of objects page by page. */
import type { App } from "#lib/app.ts";
import { type ExpectedObject, listExpectedObjects } from "#lib/moodle/expected-objects.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeInstallStep } from "#lib/moodle/blueprint-files.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { type Cluster, ClusterError, type KubeObject, type ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import type { CheckedSpoke } from "#lib/workers/sweep/rows.ts";
import type { PodFacts } from "#lib/workers/sweep/pod-facts.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import { sleep } from "#lib/base/time.ts";

export interface CheckedResource extends Omit<ObjectRef, "name"> {
  /** A Kubernetes label selector. Defaults to `SPOKE_SELECTOR`, which selects all objects of spokes. */
  readonly selector?: string;
}
export type PageConsumer = (objects: readonly KubeObject[]) => Promise<void>;

export interface ListPaging {
  readonly page: number;
  /** The pause before each page, in milliseconds. It spreads the API calls of a check over minutes. */
  readonly pauseMs: number;
}

/** How often a list may restart because its continue token expired. */
const MAX_RESTARTS = 3;
/** The label selector for objects of spokes. Excludes objects of hubs, Kubernetes Jobs and the pods of Jobs. */
export const SPOKE_SELECTOR = `${MANAGED_BY_LABEL}=wheelwright,wheelwright.dev/spoke`;

/**
 * Reads a list page by page, and returns the list's resourceVersion. If the continue token expires, the list starts
 * again, so `take` may receive an object twice.
 */
export async function readPages(
  cluster: Cluster,
  run: JobRun,
  kind: CheckedResource,
  { page: limit, pauseMs }: ListPaging,
  take: PageConsumer,
): Promise<string> {
  let next: string | null = null;
  for (let restarts = 0;;) {
    await sleep(pauseMs, run.signal);
    try {
      const from: { readonly next?: string } = next === null ? {} : { next };
      const page = await cluster.listPage(kind, { selector: kind.selector ?? SPOKE_SELECTOR, limit, ...from }, run);
      await take(page.items);
      next = page.next;
      if (next === null) return page.version;
    } catch (error) {
      const expired = error instanceof ClusterError && error.status === 410 && next !== null;
      if (!expired || restarts++ >= MAX_RESTARTS) throw error;
      next = null;
    }
  }
}

/** When and how to watch a large cluster for changes instead of listing its objects. All times are in milliseconds. */
export interface WatchPace {
  /** A cluster with at least this many spokes is watched instead of listed. */
  readonly minSpokes: number;
  /** How long to watch a cluster until all its objects are listed again. */
  readonly relistMs: number;
  /** A failed check of a spoke counts only if at least this much time has passed since the previous one. */
  readonly failedCheckMs: number;
  /** How long to wait for further changes after the first one, because changes usually come in groups. */
  readonly burstMs: number;
}

export interface SweepPace extends ListPaging {
  readonly watch: WatchPace;

  /** The maximum number of objects that a check compares by dry run. Other objects keep their earlier result. */
  readonly maxComparisons: number;
  /** How many unlisted objects a check may read by name. Beyond this number, unlisted objects count as missing. */
  readonly maxReads: number;
}

/** The facts that a check collects about one spoke. */
export interface SpokeObservations {
  readonly spoke: CheckedSpoke;
  /** The problem of each object, including the namespace, by title; null if healthy. Unlisted objects have no entry. */
  readonly problems: Map<string, string | null>;
  /** The digests of the images that the site's pods run, by pod name. */
  readonly images: Map<string, readonly string[]>;
  readonly pods: PodFacts;
  readonly titles: Set<string>;
  /** The titles (kind and name) of objects that seem to differ from the blueprint. */
  readonly suspects: Set<string>;
}

export interface ClusterCheck {
  readonly app: App;
  readonly run: JobRun;
  readonly cluster: Cluster;
  readonly pace: SweepPace;
  readonly startedAt: Date;
  /** The facts about each spoke. The keys are the spokes' namespaces. */
  readonly facts: ReadonlyMap<string, SpokeObservations>;
  /** Reads all objects of one kind that belong to spokes, and passes them to `take` page by page. */
  readonly list: (kind: CheckedResource, take: PageConsumer) => Promise<void>;
  /** The kinds of objects that were listed completely. Only their objects can be reported as missing. */
  readonly listed: Set<string>;
}

export function listExpectedSpokeObjects(
  { blueprint }: App,
  { spoke: { maintenance } }: SpokeObservations,
  inputs: SpokeInputs,
  steps?: readonly SpokeInstallStep[],
): ExpectedObject[] {
  return listExpectedObjects(blueprint, { inputs, maintenance }, steps);
}
