/** Checks that the states of spokes and hubs in the database match the objects in the cluster. */
import type { ClusterProcess } from "#test/support/bench/cluster.ts";
import type { OwnedNamespace } from "#test/support/bench/checks.ts";

const LABELLED = [
  "/api/v1/namespaces",
  "/api/v1/pods",
  "/api/v1/persistentvolumeclaims",
  "/api/v1/services",
  "/apis/apps/v1/deployments",
  "/apis/apps/v1/statefulsets",
  "/apis/batch/v1/jobs",
  "/apis/networking.k8s.io/v1/ingresses",
];

/** Finds spokes whose objects do not match their state. An active spoke must be ready, a suspended spoke must have no
 * pods, and a removed spoke must have no namespace and no labelled objects. */
export async function findStateMismatches(
  cluster: ClusterProcess,
  holdings: readonly OwnedNamespace[],
): Promise<string[]> {
  const found: string[] = [];
  for (const holding of holdings) {
    const wrong = await wrongOf(cluster, holding);
    if (wrong) found.push(`${holding.id} (${holding.namespace}) is ${holding.state}, but ${wrong}`);
  }
  return found;
}

async function wrongOf(cluster: ClusterProcess, holding: OwnedNamespace): Promise<string | null> {
  const { id, federationId, state, namespace, uid } = holding;
  const present = await cluster.get(`/api/v1/namespaces/${namespace}`);
  if (state === "removed") {
    if (present) return "its namespace still exists";
    return await leftOf(cluster, id);
  }
  if (!present || present.metadata.uid !== uid) return `its namespace's UID is ${present?.metadata.uid ?? "missing"}`;
  if (id === federationId) return state === "active" ? null : "the hub is not active";
  if (state === "active") return await unreadyOf(cluster, namespace);
  if (state === "suspended") return await runningOf(cluster, namespace);
  return "no operation is running";
}

async function leftOf(cluster: ClusterProcess, id: string): Promise<string | null> {
  for (const path of LABELLED) {
    const left = await cluster.list(path, `wheelwright.dev/spoke=${id}`);
    if (left.length > 0) return `${path} still has ${left.map((each) => each.metadata.name).join(", ")}`;
  }
  return null;
}

async function unreadyOf(cluster: ClusterProcess, namespace: string): Promise<string | null> {
  for (const path of ["deployments/moodle", "statefulsets/db"]) {
    const owner = await cluster.get(`/apis/apps/v1/namespaces/${namespace}/${path}`);
    if (owner?.spec.replicas !== 1 || owner.status?.readyReplicas !== 1) {
      return `${path} has ${owner?.status?.readyReplicas ?? 0} ready of ${owner?.spec.replicas ?? "none"}`;
    }
  }
  const cron = await cluster.get(`/apis/batch/v1/namespaces/${namespace}/cronjobs/moodle-cron`);
  return cron?.spec.suspend ? "its scheduled tasks are paused" : null;
}

async function runningOf(cluster: ClusterProcess, namespace: string): Promise<string | null> {
  const pods = await cluster.list(`/api/v1/namespaces/${namespace}/pods`, "role in (app,db)");
  const live = pods.filter((pod) => !["Succeeded", "Failed"].includes(pod.status?.phase));
  return live.length > 0 ? `${live.map((pod) => pod.metadata.name).join(", ")} still runs` : null;
}
