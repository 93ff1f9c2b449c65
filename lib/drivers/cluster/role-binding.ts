/**
 * Binds a ClusterRole (CLUSTER_ROLE) to Wheelwright's account in each namespace that Wheelwright creates. An account
 * without cluster-wide permissions can then read Secrets only in these namespaces.
 */
import { type ClusterCall, ClusterError, type ClusterPermission } from "#lib/drivers/cluster/cluster.ts";
import { MANAGED_BY_LABEL } from "#lib/drivers/cluster/guard.ts";
import type { ObjectClient } from "#lib/drivers/cluster/objects.ts";
import type { KubeApi } from "#lib/drivers/cluster/client/api.ts";
import { buildApiPath } from "#lib/drivers/cluster/client/kinds.ts";
import { createUnexpectedResponseError, isRecord } from "#lib/drivers/cluster/client/status.ts";
import { SECOND, sleep } from "#lib/base/time.ts";

const RBAC = "rbac.authorization.k8s.io";
/** How long to wait until a new RoleBinding takes effect, in milliseconds. A busy API server applies it late. */
const BINDING_TIMEOUT = 30 * SECOND;
const POLL_INTERVAL = SECOND / 4;
/** A permission that Wheelwright has only after the RoleBinding has taken effect. */
const PROBE_ACCESS: ClusterPermission = { verb: "get", group: "", resource: "secrets" };

interface RoleBindingContext {
  readonly api: KubeApi;
  readonly objects: ObjectClient;
  readonly namespace: string;
}

/** Binds the ClusterRole, and waits until the API server grants its permissions. Can safely be called again. */
export async function bindRoleInNamespace(
  { api, objects, namespace }: RoleBindingContext,
  role: string,
  call: ClusterCall,
): Promise<void> {
  const binding = {
    apiVersion: `${RBAC}/v1`,
    kind: "RoleBinding",
    metadata: { name: "wheelwright", labels: { [MANAGED_BY_LABEL]: "wheelwright" } },
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: RBAC, kind: "User", name: await readOwnUsername(api, call) }],
  };
  await objects.create(binding, call);
  for (
    const end = performance.now() + BINDING_TIMEOUT;
    !await isPermissionGranted(api, PROBE_ACCESS, namespace, call);
  ) {
    if (performance.now() > end) {
      throw new ClusterError("Forbidden", `The ClusterRole ${role} did not take effect in the namespace ${namespace}`, {
        transient: true,
        status: 403,
        blame: "operator",
        hint: `Check that the ClusterRole ${role}, which is set in CLUSTER_ROLE, exists and allows reading Secrets.`,
      });
    }
    await sleep(POLL_INTERVAL, call.signal);
  }
}

/** Whether the API server grants this permission in the namespace, or in all namespaces if `namespace` is missing. */
export async function isPermissionGranted(
  api: KubeApi,
  access: ClusterPermission,
  namespace: string | undefined,
  call: ClusterCall,
): Promise<boolean> {
  const { verb, group, resource: resourcePath, name } = access, [resource, subresource] = resourcePath.split("/");
  const spec = { resourceAttributes: { verb, group, resource, subresource, namespace, name } };
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec };
  return (await createReview(api, review, call))["allowed"] === true;
}

async function readOwnUsername(api: KubeApi, call: ClusterCall): Promise<string> {
  const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const { userInfo } = await createReview(api, review, call);
  const name = isRecord(userInfo) ? userInfo["username"] : undefined;
  if (typeof name !== "string" || name === "") {
    throw createUnexpectedResponseError("The API server did not return the name of Wheelwright's account", 201);
  }
  return name;
}

async function createReview(
  api: KubeApi,
  review: { readonly apiVersion: string; readonly kind: string },
  call: ClusterCall,
): Promise<Record<string, unknown>> {
  const path = buildApiPath(review.apiVersion, `${review.kind.toLowerCase()}s`, undefined);
  const { body } = await api.call({ method: "POST", path, body: review, repeat: "safe" }, call);
  return isRecord(body.status) ? body.status : {};
}
