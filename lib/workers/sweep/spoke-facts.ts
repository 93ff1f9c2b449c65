/** Defines the data types of the sweep (periodic check), and reads long lists of objects page by page. */
import type { App } from "#lib/app.ts";
import { type ExpectedObject, listExpectedObjects } from "#lib/moodle/expected-objects.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeStep } from "#lib/moodle/blueprint-files.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { type Cluster, ClusterError, type KubeObject, type ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import type { CheckedSpoke } from "#lib/workers/sweep/rows.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import { sleep } from "#lib/base/time.ts";

export interface CheckedResource extends Omit<ObjectRef, "name"> {
  /** A Kubernetes label selector. Defaults to `SPOKE_SELECTOR`, which selects all objects of spokes. */
  readonly selector?: string;
}
export type PageConsumer = (objects: readonly KubeObject[]) => Promise<void>;

export interface ListPaging {
  readonly page: number;
  /** The pause before each page, in milliseconds. Pauses spread the load of a check over minutes. */
  readonly pauseMs: number;
}

/** The maximum number of times that a list restarts because its continue token has expired. */
const MAX_RESTARTS = 3;
/** The label selector for objects of spokes. Excludes objects of hubs, Kubernetes Jobs and the pods of Jobs. */
export const SPOKE_SELECTOR = `${MANAGED_BY_LABEL}=wheelwright,wheelwright.dev/spoke`;

/**
 * Reads a list page by page, and returns the resourceVersion of the complete list. If the continue token expires, the
 * list restarts, so that `take` may receive an object twice.
 */
export async function readPages(
  cluster: Cluster,
  run: Run,
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
  /** The number of spokes from which a cluster is watched instead of listed. */
  readonly minSpokes: number;
  /** How long to watch a cluster before all objects are listed again. */
  readonly relistMs: number;
  /** The minimum time between two failed checks of a spoke that both count. */
  readonly failedCheckMs: number;
  /** How long to wait for further changes, because changes usually come in groups. */
  readonly burstMs: number;
}

export interface SweepPace extends ListPaging {
  readonly watch: WatchPace;

  /** The maximum number of objects to compare by dry run in a check. All other objects keep their earlier result. */
  readonly maxComparisons: number;
  /** The maximum number of unlisted objects to read by name in a check. Further unlisted objects count as missing. */
  readonly maxReads: number;
}

/** The facts that a check has collected about one spoke. */
export interface SpokeFacts {
  readonly spoke: CheckedSpoke;
  /** The problem of the namespace and of each object, by title; null if healthy. An unlisted object has no entry. */
  readonly problems: Map<string, string | null>;
  /** The digests of the images that the site's pods run, by pod name. */
  readonly images: Map<string, readonly string[]>;
  readonly titles: Set<string>;
  /** The titles of objects that seem to differ from the blueprint. */
  readonly suspects: Set<string>;
}

export interface SweepCheck {
  readonly app: App;
  readonly run: Run;
  readonly cluster: Cluster;
  readonly pace: SweepPace;
  readonly startedAt: Date;
  /** The facts about each spoke, by the spoke's namespace. */
  readonly facts: ReadonlyMap<string, SpokeFacts>;
  /** Reads all objects of one kind that belong to the spokes, and passes them to `take`. */
  readonly list: (kind: CheckedResource, take: PageConsumer) => Promise<void>;
  /** The kinds that were listed completely. Only objects of these kinds can be reported as missing. */
  readonly listed: Set<string>;
}

export function expectedSpokeObjects(
  { blueprint }: App,
  { spoke: { maintenance } }: SpokeFacts,
  inputs: SpokeInputs,
  steps?: readonly SpokeStep[],
): ExpectedObject[] {
  return listExpectedObjects(blueprint, { inputs, maintenance }, steps);
}
