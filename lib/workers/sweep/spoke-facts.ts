/** Defines the types of a check, and pages through lists. */
import type { App } from "#lib/app.ts";
import { type ExpectedObject, listExpectedObjects } from "#lib/moodle/expected-objects.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeStep } from "#lib/moodle/blueprint-files.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { type Cluster, ClusterError, type KubeObject, type ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import type { SweptSpoke } from "#lib/workers/sweep/rows.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import { sleep } from "#lib/base/time.ts";

export interface SweptResource extends Omit<ObjectRef, "name"> {
  /** A label selector; defaults to the objects of all spokes. */
  readonly selector?: string;
}
export type PageConsumer = (objects: readonly KubeObject[]) => Promise<void>;

export interface ListPaging {
  readonly page: number;
  /** Milliseconds before each page, to spread a check over minutes. */
  readonly pauseMs: number;
}

/** The number of times a list may restart after its continue token expired. */
const MAX_RESTARTS = 3;
/** Selects the objects of spokes. Hubs, Jobs and their pods are not checked. */
export const SPOKE_SELECTOR = `${MANAGED_BY_LABEL}=wheelwright,wheelwright.dev/spoke`;

/**
 * Reads a list page by page, and returns the version of the completed list. If the continue token expires, the list
 * restarts, so `take` may receive an object twice.
 */
export async function readPages(
  cluster: Cluster,
  run: Run,
  kind: SweptResource,
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

/** When and how a cluster with many spokes is watched. All times are in milliseconds. */
export interface WatchPace {
  /** The minimum number of spokes for a cluster to be watched. */
  readonly minSpokes: number;
  /** The time after which everything is listed again. */
  readonly relistMs: number;
  /** The time between two failed checks that count. */
  readonly failedCheckMs: number;
  /** The time to wait for more changes, because they come in bursts. */
  readonly burstMs: number;
}

export interface SweepPace extends ListPaging {
  readonly watch: WatchPace;

  /** The maximum number of objects that a check compares by dry run. Other objects keep their earlier result. */
  readonly maxComparisons: number;
  /** The maximum number of unlisted objects that a check reads by name. Beyond it, they count as missing. */
  readonly maxReads: number;
}

/** The facts that a check collects about a spoke. */
export interface SpokeFacts {
  readonly spoke: SweptSpoke;
  /** The problem of the namespace and of each part; null if it is healthy. Parts in no list have no entry. */
  readonly problems: Map<string, string | null>;
  /** Digests of the images that the site's pods run, by pod name. */
  readonly images: Map<string, readonly string[]>;
  readonly titles: Set<string>;
  /** Titles of objects that seem to differ. */
  readonly suspects: Set<string>;
}

export interface SweepCheck {
  readonly app: App;
  readonly run: Run;
  readonly cluster: Cluster;
  readonly pace: SweepPace;
  readonly startedAt: Date;
  /** The spokes by namespace. */
  readonly facts: ReadonlyMap<string, SpokeFacts>;
  /** Reads the objects of a kind that belong to these spokes. */
  readonly list: (kind: SweptResource, take: PageConsumer) => Promise<void>;
  /** Kinds whose list is complete. Only objects of these kinds can count as missing. */
  readonly listed: Set<string>;
}

export function expectedOf(
  { blueprint }: App,
  { spoke: { maintenance } }: SpokeFacts,
  inputs: SpokeInputs,
  steps?: readonly SpokeStep[],
): ExpectedObject[] {
  return listExpectedObjects(blueprint, { inputs, maintenance }, steps);
}
