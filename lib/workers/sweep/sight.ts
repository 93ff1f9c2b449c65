/** What a look carries along, the few words that it keeps of each spoke, and how it goes through lists. */
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
  /** By default the objects of all spokes. */
  readonly selector?: string;
}
export type Take = (objects: readonly KubeObject[]) => Promise<void>;

export interface Paging {
  readonly page: number;
  /** Milliseconds before each page, so that a look is spread over minutes and not felt by anybody. */
  readonly pauseMs: number;
}

/** Places to go on from that have expired, of one list. */
const RESTARTS = 3;
/** The spokes' objects alone: hubs, Jobs and their pods are not looked at. */
export const SELECTOR = `${MANAGED_BY_LABEL}=wheelwright,wheelwright.dev/spoke`;

/**
 * After a place has expired the list begins anew, so `take` may be given an object twice. Returns the version of the list
 * that came to its end.
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

/** Of a cluster with many spokes, the changes are watched. All times are milliseconds. */
export interface Following {
  /** Spokes from which on it is followed. */
  readonly from: number;
  /** How long, until all is listed again. */
  readonly ms: number;
  /** Between two bad looks that count. */
  readonly minute: number;
  /** Changes come in bursts: how long it waits for more before it looks. */
  readonly gap: number;
}

export interface Pace extends Paging {
  readonly follow: Following;

  /** Objects of which a look asks by dry run what differs; of the others the earlier verdict stands. */
  readonly asks: number;
  /** Objects missing in a list that are looked for by name, before a spoke is called unwell for it. */
  readonly confirms: number;
}

/** What was seen of one spoke. */
export interface Sight {
  readonly spoke: SweptSpoke;
  /** What is wrong with the namespace and each of its parts; of what was not seen there is no entry. */
  readonly ailments: Map<string, string | null>;
  /** Digests of the images that the site's pods run, by the pod's name. */
  readonly images: Map<string, readonly string[]>;
  readonly titles: Set<string>;
  /** Titles of what does not look as it should. */
  readonly suspects: Set<string>;
}

export interface SweepLook {
  readonly app: App;
  readonly run: Run;
  readonly cluster: Cluster;
  readonly pace: Pace;
  readonly began: Date;
  /** By namespace. */
  readonly sights: ReadonlyMap<string, Sight>;
  /** Goes through the objects of a kind that these spokes have. */
  readonly list: (kind: SweptKind, take: Take) => Promise<void>;
  /** Kinds that were listed to their end: only of these can an object be missing. */
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
