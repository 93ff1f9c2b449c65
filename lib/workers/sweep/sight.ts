/** Types of a check, and paging through lists. */
import type { App } from "#lib/app.ts";
import { type Expected, expectedObjects } from "#lib/moodle/expected.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { SpokeStep } from "#lib/moodle/files.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { type Cluster, ClusterError, type KubeObject, type Ref } from "#lib/drivers/cluster/cluster.ts";
import type { SweptSpoke } from "#lib/workers/sweep/rows.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import { sleep } from "#lib/base/time.ts";

export interface SweptKind extends Omit<Ref, "name"> {
  /** Selects the objects of all spokes by default. */
  readonly selector?: string;
}
export type Take = (objects: readonly KubeObject[]) => Promise<void>;

export interface Paging {
  readonly page: number;
  /** Milliseconds before each page, to spread a check over minutes. */
  readonly pauseMs: number;
}

/** How often a list may restart after an expired continue token. */
const RESTARTS = 3;
/** Selects objects of spokes only: hubs, Jobs and their pods are not checked. */
export const SELECTOR = `${MANAGED_BY_LABEL}=wheelwright,wheelwright.dev/spoke`;

/**
 * After an expired token the list restarts, so `take` may see an object twice. Returns the version of the completed
 * list.
 */
export async function eachPage(
  cluster: Cluster,
  run: Run,
  kind: SweptKind,
  { page: limit, pauseMs }: Paging,
  take: Take,
): Promise<string> {
  let next: string | null = null;
  for (let restarts = 0;;) {
    await sleep(pauseMs, run.signal);
    try {
      const from: { readonly next?: string } = next === null ? {} : { next };
      const page = await cluster.listPage(kind, { selector: kind.selector ?? SELECTOR, limit, ...from }, run);
      await take(page.items);
      next = page.next;
      if (next === null) return page.version;
    } catch (error) {
      const expired = error instanceof ClusterError && error.status === 410 && next !== null;
      if (!expired || restarts++ >= RESTARTS) throw error;
      next = null;
    }
  }
}

/** When and how a cluster with many spokes is watched. All times are milliseconds. */
export interface Following {
  /** The number of spokes from which a cluster is watched. */
  readonly from: number;
  /** The time after which everything is listed again. */
  readonly ms: number;
  /** The time between two failed checks that count. */
  readonly minute: number;
  /** The time to wait for more changes, because they come in bursts. */
  readonly gap: number;
}

export interface Pace extends Paging {
  readonly follow: Following;

  /** The number of objects to compare by dry run per check. Others keep their earlier result. */
  readonly asks: number;
  /** The number of unlisted objects to read by name before they count as missing. */
  readonly confirms: number;
}

/** The facts that a check collects about a spoke. */
export interface Sight {
  readonly spoke: SweptSpoke;
  /** The problem of the namespace and of each part; null if none. Parts that were not seen have no entry. */
  readonly ailments: Map<string, string | null>;
  /** Digests of the images that the site's pods run, by the pod's name. */
  readonly images: Map<string, readonly string[]>;
  readonly titles: Set<string>;
  /** Titles of objects that seem to differ. */
  readonly suspects: Set<string>;
}

export interface SweepLook {
  readonly app: App;
  readonly run: Run;
  readonly cluster: Cluster;
  readonly pace: Pace;
  readonly began: Date;
  /** The spokes by namespace. */
  readonly sights: ReadonlyMap<string, Sight>;
  /** Reads the objects of a kind that belong to these spokes. */
  readonly list: (kind: SweptKind, take: Take) => Promise<void>;
  /** Kinds whose list is complete. Only their objects can be missing. */
  readonly listed: Set<string>;
}

export function expectedOf(
  { blueprint }: App,
  { spoke: { maintenance } }: Sight,
  inputs: SpokeInputs,
  steps?: readonly SpokeStep[],
): Expected[] {
  return expectedObjects(blueprint, { inputs, maintenance }, steps);
}
