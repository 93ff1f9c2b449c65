/** Connects to clusters on first use: to the default cluster, and to one per kubeconfig context in the catalog. */
import type { ClusterProvider } from "#lib/app.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { type Cluster, ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import type { Log } from "#lib/base/log.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import { readProgramRelease } from "./release.ts";

/** How to reach a cluster: a kubeconfig file, its text, or the service account of the pod that runs this process. */
export type ClusterConnectionSource = { readonly file: string } | { readonly text: string } | "in-cluster";

export interface ClusterConnections extends ClusterProvider {
  /** The names of the default cluster and of each region's cluster. */
  readonly names: readonly string[];
  close(): Promise<void>;
}

interface ClustersOptions {
  readonly catalog: Catalog;
  readonly role: string | null;
  readonly log: Log;
  readonly telemetry?: Telemetry;
}

/** The name for the cluster in the kubeconfig's current context. Regions without a context use this cluster. */
const DEFAULT_CLUSTER = "default";

/** Returns clients for the clusters. Their User-Agent contains `replicaId`, for Kubernetes audit logs. */
export function openClusterConnections(
  source: ClusterConnectionSource,
  { catalog, role, log, telemetry }: ClustersOptions,
  replicaId: string,
): ClusterConnections {
  const version = `${readProgramRelease().version} (${replicaId})`;
  const names = new Set([DEFAULT_CLUSTER, ...catalog.regions.flatMap((region) => region.context ?? [])]);
  const opened = new Map<string, Promise<Cluster>>();

  function connect(name: string): Promise<Cluster> {
    const kubeconfig = source === "in-cluster" || name === DEFAULT_CLUSTER ? source : { ...source, context: name };
    return openCluster({ name, kubeconfig, version, role, log, ...(telemetry && { telemetry }) });
  }

  return {
    names: [...names],
    clusterFor(region) {
      return catalog.regions.find((each) => each.name === region)?.context ?? DEFAULT_CLUSTER;
    },
    async open(name) {
      if (!names.has(name)) {
        const message = `The cluster "${name}" is in use by hubs or spokes but is no longer configured`;
        throw new ClusterError("unknown_cluster", message, { transient: true, blame: "operator" });
      }
      const opening = opened.get(name) ?? connect(name);
      opened.set(name, opening);
      try {
        return await opening;
      } catch (error) {
        if (opened.get(name) === opening) opened.delete(name); // another call may have started a new attempt
        throw error;
      }
    },
    async close() {
      // Closes every client that was created, even if creating the client for another cluster failed.
      for (const opening of await Promise.allSettled(opened.values())) {
        if (opening.status === "fulfilled") await opening.value.close();
      }
    },
  };
}
