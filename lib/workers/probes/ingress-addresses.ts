/**
 * Reads the addresses of the spokes' ingresses, to which requests for sites in a private network may be sent. One list
 * per cluster serves all its spokes for ten minutes.
 */
import { isIP } from "node:net";
import type { App } from "#lib/app.ts";
import { MINUTE } from "#lib/base/time.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { SPOKE_SELECTOR } from "#lib/workers/sweep/spoke-facts.ts";

export type IngressAddressReader = (
  site: { readonly cluster: string; readonly namespace: string },
) => Promise<readonly string[]>;

const INGRESS = { apiVersion: "networking.k8s.io/v1", kind: "Ingress" };
const CACHE_TIME = 10 * MINUTE;

export function createIngressAddressReader(app: Pick<App, "clusters" | "dns">, run: JobRun): IngressAddressReader {
  const lists = new Map<
    string,
    { readonly at: number; readonly targets: Promise<ReadonlyMap<string, readonly string[]>> }
  >();

  async function readTargets(name: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const cluster = await app.clusters.open(name);
    const byNamespace = Map.groupBy(
      await cluster.listAll(INGRESS, SPOKE_SELECTOR, run),
      ({ metadata }) => metadata.namespace ?? "",
    );
    return new Map([...byNamespace].map(([namespace, found]) => [namespace, found.flatMap(listTargets)]));
  }

  return async ({ cluster, namespace }) => {
    let list = lists.get(cluster);
    if (!list || performance.now() - list.at > CACHE_TIME) {
      const targets = readTargets(cluster);
      targets.catch(() => lists.delete(cluster)); // the next caller reads the list again
      list = { at: performance.now(), targets };
      lists.set(cluster, list);
    }
    const found = (await list.targets).get(namespace) ?? [];
    const addresses = await Promise.all(
      found.map(async (target) => isIP(target) !== 0 ? [target] : await app.dns.addresses(target, run.signal)),
    );
    return addresses.flat();
  };
}

/** Returns the IP addresses and host names of an Ingress, as its controller reports them. */
function listTargets(object: KubeObject): string[] {
  const entries: readonly { ip?: string; hostname?: string }[] = object["status"]?.loadBalancer?.ingress ?? [];
  return entries.flatMap(({ ip, hostname }) => ip ?? hostname ?? []);
}
