/**
 * Which path a kind has: a table for the kinds we use, the API server's own discovery for others.
 *
 * The table saves a question before the first call. Whether a kind is served at all is always asked.
 */
import type { Api } from "#lib/drivers/cluster/wire/api.ts";
import { type Call, ClusterError, type Ref } from "#lib/drivers/cluster/cluster.ts";

export type Kind = Omit<Ref, "name">;

interface Resource {
  readonly plural: string;
  readonly namespaced: boolean;
}

export interface Kinds {
  resolve(kind: Kind, call: Call): Promise<Resource>;
  serves(kind: Kind, call: Call): Promise<boolean>;
}

const NAMESPACED: Readonly<Record<string, string>> = {
  "v1/ConfigMap": "configmaps",
  "v1/Event": "events",
  "v1/LimitRange": "limitranges",
  "v1/PersistentVolumeClaim": "persistentvolumeclaims",
  "v1/Pod": "pods",
  "v1/ResourceQuota": "resourcequotas",
  "v1/Secret": "secrets",
  "v1/Service": "services",
  "v1/ServiceAccount": "serviceaccounts",
  "apps/v1/Deployment": "deployments",
  "apps/v1/ReplicaSet": "replicasets",
  "apps/v1/StatefulSet": "statefulsets",
  "batch/v1/CronJob": "cronjobs",
  "batch/v1/Job": "jobs",
  "cert-manager.io/v1/Certificate": "certificates",
  "cert-manager.io/v1/Issuer": "issuers",
  "networking.k8s.io/v1/Ingress": "ingresses",
  "networking.k8s.io/v1/NetworkPolicy": "networkpolicies",
  "policy/v1/PodDisruptionBudget": "poddisruptionbudgets",
  "rbac.authorization.k8s.io/v1/Role": "roles",
  "rbac.authorization.k8s.io/v1/RoleBinding": "rolebindings",
  "snapshot.storage.k8s.io/v1/VolumeSnapshot": "volumesnapshots",
};
const GLOBAL: Readonly<Record<string, string>> = {
  "v1/Namespace": "namespaces",
  "v1/Node": "nodes",
  "v1/PersistentVolume": "persistentvolumes",
  "cert-manager.io/v1/ClusterIssuer": "clusterissuers",
  "networking.k8s.io/v1/IngressClass": "ingressclasses",
  "snapshot.storage.k8s.io/v1/VolumeSnapshotClass": "volumesnapshotclasses",
  "snapshot.storage.k8s.io/v1/VolumeSnapshotContent": "volumesnapshotcontents",
  "storage.k8s.io/v1/StorageClass": "storageclasses",
};

export function openKinds(api: Api): Kinds {
  const found = new Map<string, Resource>(); // what is served is remembered, what is not may be installed any time

  async function discover(kind: Kind, call: Call): Promise<Resource> {
    const key = keyOf(kind);
    const known = found.get(key);
    if (known) return known;
    const { body } = await api.call({ method: "GET", path: groupPath(kind.apiVersion), repeat: "safe" }, call);
    const resources = (body.resources ?? []) as { name: string; kind: string; namespaced: boolean }[];
    const match = resources.find((resource) => resource.kind === kind.kind && !resource.name.includes("/"));
    if (!match) {
      throw new ClusterError("NoKind", `no matches for kind "${kind.kind}" in version "${kind.apiVersion}"`, {
        transient: false,
        status: 404,
        blame: "operator",
        hint: "Install what serves this kind (its CRD) in the cluster.",
      });
    }
    const resource = { plural: match.name, namespaced: match.namespaced };
    found.set(key, resource);
    return resource;
  }

  return {
    resolve: async (kind, call) => {
      const key = keyOf(kind);
      if (NAMESPACED[key]) return { plural: NAMESPACED[key], namespaced: true };
      if (GLOBAL[key]) return { plural: GLOBAL[key], namespaced: false };
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

/** `/apis/apps/v1/namespaces/n/deployments/d`: without a namespace all of them, without a name the collection. */
export function pathOf(apiVersion: string, plural: string, namespace: string | undefined, name?: string): string {
  const scope = namespace === undefined ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${groupPath(apiVersion)}${scope}/${plural}${name === undefined ? "" : `/${encodeURIComponent(name)}`}`;
}

export function groupPath(apiVersion: string): string {
  const path = apiVersion.split("/").map(encodeURIComponent).join("/");
  return apiVersion.includes("/") ? `/apis/${path}` : `/api/${path}`;
}

function keyOf(kind: Kind): string {
  return `${kind.apiVersion}/${kind.kind}`;
}
