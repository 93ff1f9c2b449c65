/** Goes through all objects of one kind of ours in a cluster, a page at a time, and slowly. */
import { MANAGED_BY } from "#lib/drivers/cluster/guard.ts";
import { type Cluster, ClusterError, type KubeObject, type Ref } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { sleep } from "#lib/base/time.ts";

export type Kind = Omit<Ref, "name">;

export interface Paging {
  readonly page: number;
  /** Milliseconds before each page, so that a look is spread over minutes and not felt by anybody. */
  readonly pauseMs: number;
}

/** Places to go on from that have expired, of one list. */
const RESTARTS = 3;
/** The spokes' objects alone: hubs, Jobs and their pods are not looked at. */
const SELECTOR = `${MANAGED_BY}=wheelwright,wheelwright.dev/spoke`;

/** After a place has expired the list begins anew, so `take` may be given an object twice. */
export async function eachPage(
  cluster: Cluster,
  run: Run,
  kind: Kind,
  { page: limit, pauseMs }: Paging,
  take: (objects: readonly KubeObject[]) => Promise<void>,
): Promise<void> {
  let next: string | null = null;
  for (let restarts = 0;;) {
    await sleep(pauseMs, run.signal);
    try {
      const from: { readonly next?: string } = next === null ? {} : { next };
      const page = await cluster.listPage(kind, { selector: SELECTOR, limit, ...from }, run);
      await take(page.items);
      next = page.next;
      if (next === null) return;
    } catch (error) {
      const expired = error instanceof ClusterError && error.status === 410 && next !== null;
      if (!expired || restarts++ >= RESTARTS) throw error;
      next = null;
    }
  }
}
