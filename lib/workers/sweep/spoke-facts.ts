/** Defines the data types of a check, and reads long lists of objects page by page. */
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
  /** Selects objects by label. By default, selects all objects of spokes. */
  readonly selector?: string;
}
export type PageConsumer = (objects: readonly KubeObject[]) => Promise<void>;

export interface ListPaging {
  readonly page: number;
  /** The pause before each page, in milliseconds, which spreads the load of a check over minutes. */
  readonly pauseMs: number;
}

/** How many times a list may start again after its continue token has expired. */
const MAX_RESTARTS = 3;
/** Selects the objects of spokes. Objects of hubs, Kubernetes Jobs and the pods of Jobs are not checked. */
export const SPOKE_SELECTOR = `${MANAGED_BY_LABEL}=wheelwright,wheelwright.dev/spoke`;

/**
 * Reads a list page by page, and returns the resourceVersion of the complete list. If the continue token expires, the
 * list starts again, so `take` may receive an object twice.
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

/** When and how a large cluster is watched for changes instead of being listed. All times are in milliseconds. */
export interface WatchPace {
  /** The minimum number of spokes at which a cluster is watched instead of being listed. */
  readonly minSpokes: number;
  /** How long a cluster is watched before all objects are listed again. */
  readonly relistMs: number;
  /** The minimum time between two failed checks that both count. */
  readonly failedCheckMs: number;
  /** How long to wait for more changes, because changes usually come in groups. */
  readonly burstMs: number;
}

export interface SweepPace extends ListPaging {
  readonly watch: WatchPace;

  /** The maximum number of objects that a check compares by dry run. Other objects keep their earlier result. */
  readonly maxComparisons: number;
  /** The maximum number of unlisted objects that a check reads by name. Any others count as missing. */
  readonly maxReads: number;
}

/** The findings of a check about a spoke. */
export interface SpokeFacts {
  readonly spoke: SweptSpoke;
  /** The problem of the namespace and of each object, by title; null if healthy. Unlisted objects have no entry. */
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
  /** The known facts about each spoke, by namespace. */
  readonly facts: ReadonlyMap<string, SpokeFacts>;
  /** Reads all objects of one kind that belong to the spokes, and passes them to `take`. */
  readonly list: (kind: SweptResource, take: PageConsumer) => Promise<void>;
  /** Kinds that were listed completely. Only objects of these kinds can be found to be missing. */
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
