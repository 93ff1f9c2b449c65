/**
 * Finds the API path for a Kubernetes kind. A table of common kinds saves requests. Other kinds are looked up on the
 * API server.
 */
import type { KubeApi } from "#lib/drivers/cluster/client/api.ts";
import { type ClusterCall, ClusterError, type ObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { createUnknownKindError } from "#lib/drivers/cluster/client/status.ts";

export type KubeKind = Omit<ObjectRef, "name">;

interface Resource {
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface KindRegistry {
  resolve(kind: KubeKind, call: ClusterCall): Promise<Resource>;
  serves(kind: KubeKind, call: ClusterCall): Promise<boolean>;
}

const NAMESPACED: Readonly<Record<string, string>> = {
  "v1": "ConfigMap Event LimitRange PersistentVolumeClaim Pod ResourceQuota Secret Service ServiceAccount",
  "apps/v1": "Deployment ReplicaSet StatefulSet",
  "batch/v1": "CronJob Job",
  "cert-manager.io/v1": "Certificate Issuer",
  "networking.k8s.io/v1": "Ingress NetworkPolicy",
  "policy/v1": "PodDisruptionBudget",
  "rbac.authorization.k8s.io/v1": "Role RoleBinding",
  "snapshot.storage.k8s.io/v1": "VolumeSnapshot",
};
const CLUSTER_SCOPED: Readonly<Record<string, string>> = {
  "v1": "Namespace Node PersistentVolume",
  "cert-manager.io/v1": "ClusterIssuer",
  "networking.k8s.io/v1": "IngressClass",
  "snapshot.storage.k8s.io/v1": "VolumeSnapshotClass VolumeSnapshotContent",
  "storage.k8s.io/v1": "StorageClass",
};

/** Returns a kind's plural as it appears in API paths. Correct only for the kinds in the tables above. */
export function getKindPlural(kind: string): string {
  const name = kind.toLowerCase();
  if (name.endsWith("y")) return `${name.slice(0, -1)}ies`;
  return name.endsWith("s") ? `${name}es` : `${name}s`;
}

export function openKindRegistry(api: KubeApi): KindRegistry {
  const cache = new Map<string, Resource>(); // only served kinds are cached; others may be installed at any time

  async function discover(kind: KubeKind, call: ClusterCall): Promise<Resource> {
    const key = `${kind.apiVersion}/${kind.kind}`, cached = cache.get(key);
    if (cached) return cached;
    const { body } = await api.call({ method: "GET", path: buildApiGroupPath(kind.apiVersion), repeat: "safe" }, call);
    const resources = (body.resources ?? []) as { name: string; kind: string; namespaced: boolean }[];
    const match = resources.find((resource) => resource.kind === kind.kind && !resource.name.includes("/"));
    if (!match) throw createUnknownKindError(`no matches for kind "${kind.kind}" in version "${kind.apiVersion}"`);
    const resource = { plural: match.name, namespaced: match.namespaced };
    cache.set(key, resource);
    return resource;
  }

  return {
    resolve: async (kind, call) => {
      const isIn = (table: typeof CLUSTER_SCOPED) => table[kind.apiVersion]?.split(" ").includes(kind.kind) ?? false;
      const namespaced = isIn(NAMESPACED);
      if (namespaced || isIn(CLUSTER_SCOPED)) return { plural: getKindPlural(kind.kind), namespaced };
      return await discover(kind, call);
    },
    serves: async (kind, call) => {
      try {
        await discover(kind, call);
        return true;
      } catch (error) {
        if (error instanceof ClusterError && error.code === "NoKind") return false;
        throw error;
      }
    },
  };
}

/**
 * Returns an API path such as `/apis/apps/v1/namespaces/n/deployments/d`. Without `namespace`, the path covers all
 * namespaces. Without `name`, the path covers all objects of the kind.
 */
export function buildApiPath(apiVersion: string, plural: string, namespace: string | undefined, name?: string): string {
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${buildApiGroupPath(apiVersion)}${scope}/${plural}${
    name === undefined ? "" : `/${encodeURIComponent(name)}`
  }`;
}

export function buildApiGroupPath(apiVersion: string): string {
  const path = apiVersion.split("/").map(encodeURIComponent).join("/");
  return apiVersion.includes("/") ? `/apis/${path}` : `/api/${path}`;
}
