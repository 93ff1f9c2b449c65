/** Creates the Helm chart's service account and RBAC rules in a simulated cluster that enforces these rules. */
import { readFile } from "node:fs/promises";
import { formatServiceAccountToken, type ServiceAccountRef } from "#lib/dev/simulator/access/rbac.ts";
import type { Simulator } from "#lib/dev/simulator/open.ts";
import { type Json, loadApiKinds } from "#lib/dev/simulator/store/object.ts";
import { readObjects } from "#test/support/chart.ts";

export const SERVICE_ACCOUNT: ServiceAccountRef = { namespace: "wheelwright", name: "wheelwright" };
export const CLUSTER_ROLE = "wheelwright-spoke";
export const CLUSTER_ROLE_MANIFEST = new URL("../../deploy/kubernetes/cluster-role.yaml", import.meta.url);
const kinds = loadApiKinds();

/** Applies deploy/kubernetes/cluster-role.yaml and returns a kubeconfig for the service account. */
export async function applyClusterRole(simulator: Simulator): Promise<string> {
  await putAsAdmin(simulator, { apiVersion: "v1", kind: "Namespace", metadata: { name: SERVICE_ACCOUNT.namespace } });
  for (const object of readObjects(await readFile(CLUSTER_ROLE_MANIFEST, "utf8"))) await putAsAdmin(simulator, object);
  return simulator.kubeconfig(SERVICE_ACCOUNT);
}

/** Grants the account its rights in a foreign namespace. In namespaces that it created, it grants them itself. */
export async function bindClusterRole(simulator: Simulator, namespace: string): Promise<void> {
  await putAsAdmin(simulator, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "wheelwright", namespace },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: CLUSTER_ROLE },
    subjects: [{ kind: "ServiceAccount", ...SERVICE_ACCOUNT }],
  });
}

/** Sends a request as the service account. Returns the response's status and body. */
export async function requestAsAccount(
  simulator: Simulator,
  method: string,
  path: string,
  body?: Json,
  account = SERVICE_ACCOUNT,
): Promise<Json> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const response = await fetch(simulator.url + path, {
    method,
    headers: { "content-type": type, authorization: `Bearer ${formatServiceAccountToken(account)}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Deletes an object as a cluster administrator would with kubectl. */
export async function deleteAsAdmin(simulator: Simulator, object: Json): Promise<void> {
  const response = await fetch(simulator.url + pathOf(object), { method: "DELETE" });
  if (!response.ok) throw new Error(await response.text());
  await response.body?.cancel();
}

function pathOf(object: Json): string {
  const { apiVersion, plural, namespaced } = kinds.of(object)!;
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  const within = namespaced ? `/namespaces/${object.metadata.namespace ?? SERVICE_ACCOUNT.namespace}` : "";
  return `${root}${within}/${plural}/${object.metadata.name}`;
}

/** Applies an object as a cluster administrator would. Namespaced objects are created in the account's namespace. */
export async function putAsAdmin(simulator: Simulator, object: Json, query = ""): Promise<Json> {
  const path = `${pathOf(object)}?fieldManager=admin&force=true${query}`;
  const response = await fetch(simulator.url + path, {
    method: "PATCH",
    headers: { "content-type": "application/apply-patch+yaml" },
    body: JSON.stringify(object),
  });
  const body: Json = await response.json();
  if (!response.ok) throw new Error(`${object.kind} ${object.metadata.name}: ${body.message}`);
  return body;
}
