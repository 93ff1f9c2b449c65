/** The clusters of this process: one per kubeconfig context that the catalogue's regions name, opened on first use. */
import type { Clusters } from "#lib/app.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { type Cluster, ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { openCluster } from "#lib/drivers/cluster/open.ts";
import type { Log } from "#lib/base/log.ts";
import type { Telemetry } from "#lib/base/telemetry.ts";
import { release } from "./release.ts";

/** A kubeconfig file, its text, or the service account of the pod that this runs in. */
export type ClusterSource = { readonly file: string } | { readonly text: string } | "in-cluster";

export interface OpenClusters extends Clusters {
  /** Of all that the catalogue's regions lead to, and the default. */
  readonly names: readonly string[];
  close(): Promise<void>;
}

interface ClustersOptions {
  readonly catalog: Catalog;
  readonly role: string | null;
  readonly log: Log;
  readonly telemetry?: Telemetry;
}

/** The name of the cluster that is not named: the kubeconfig's current context. */
const DEFAULT = "default";

/** `replicaId` goes into the User-Agent, so that the cluster's own audit tells which replica did what. */
export function openClusters(
  source: ClusterSource,
  { catalog, role, log, telemetry }: ClustersOptions,
  replicaId: string,
): OpenClusters {
  const version = `${release().version} (${replicaId})`;
  const known = new Set([DEFAULT, ...catalog.regions.flatMap((region) => region.context ?? [])]);
  const opened = new Map<string, Promise<Cluster>>();

  function connect(name: string): Promise<Cluster> {
    const kubeconfig = source === "in-cluster" || name === DEFAULT ? source : { ...source, context: name };
    return openCluster({ name, kubeconfig, version, role, log, ...(telemetry && { telemetry }) });
  }

  return {
    names: [...known],
    clusterFor(region) {
      return catalog.regions.find((each) => each.name === region)?.context ?? DEFAULT;
    },
    async open(name) {
      if (!known.has(name)) {
        const message = `The cluster "${name}" is in use by hubs or spokes but no longer configured`;
        throw new ClusterError("unknown_cluster", message, { transient: true, blame: "operator" });
      }
      const opening = opened.get(name) ?? connect(name);
      opened.set(name, opening);
      try {
        return await opening;
      } catch (error) {
        if (opened.get(name) === opening) opened.delete(name); // and not what somebody else has begun since
        throw error;
      }
    },
    async close() {
      // One that cannot be opened must not keep the others open.
      for (const opening of await Promise.allSettled(opened.values())) {
        if (opening.status === "fulfilled") await opening.value.close();
      }
    },
  };
}
