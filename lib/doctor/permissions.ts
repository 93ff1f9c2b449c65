/**
 * Lists the Kubernetes permissions that Wheelwright uses. `npm run generate` writes the chart's roles and
 * deploy/kubernetes/cluster-role.yaml from this list.
 *
 * If CLUSTER_ROLE is set, most permissions are granted per namespace. Otherwise, all permissions are cluster-wide.
 */
import type { ClusterPermission } from "#lib/drivers/cluster/cluster.ts";

export interface RequiredPermission extends ClusterPermission {
  /** The consequence if the permission is missing. Null if operations would fail without the permission. */
  readonly consequence: string | null;
}

// API groups that a cluster may lack. Their permissions are required only in clusters that serve these groups.
const SNAPSHOTS = "snapshot.storage.k8s.io", CERTIFICATES = "cert-manager.io", ACME = "acme.cert-manager.io";

type PermissionRow = readonly [group: string, resource: string, verbs: string];

const CRITICAL: readonly PermissionRow[] = [
  ["", "namespaces", "create get list delete"],
  ["", "resourcequotas", "create patch get"],
  ["", "limitranges", "create patch get"],
  ["", "configmaps", "create patch get"],
  ["", "secrets", "create patch get"],
  ["", "services", "create patch get"],
  ["", "persistentvolumeclaims", "create patch get list"],
  ["", "pods", "list"],
  ["", "pods/log", "get"],
  ["", "events", "list"],
  ["apps", "deployments", "create patch get"],
  ["apps", "statefulsets", "create patch get"],
  ["batch", "jobs", "create get list delete"],
  ["batch", "cronjobs", "create patch get"],
  ["networking.k8s.io", "networkpolicies", "create patch get"],
  ["networking.k8s.io", "ingresses", "create patch get list"],
  ["storage.k8s.io", "storageclasses", "get"],
  [SNAPSHOTS, "volumesnapshots", "create get delete"],
  [SNAPSHOTS, "volumesnapshotcontents", "get patch"],
  [SNAPSHOTS, "volumesnapshotclasses", "list"],
  [CERTIFICATES, "certificates", "get"],
];

/** Permissions, grouped by the consequence of a missing permission. Null means that operations would fail. */
const PERMISSIONS_BY_CONSEQUENCE: readonly (readonly [without: string | null, rows: readonly PermissionRow[]])[] = [
  [null, CRITICAL],
  // Watching a kind of object also requires `list`. If this row lacks `list` for a kind, another row has it.
  ["operations wait a few seconds longer", [
    ["", "namespaces", "watch"],
    ["", "resourcequotas", "list watch"],
    ["", "pods", "watch"],
    ["", "events", "watch"],
    ["apps", "deployments", "watch"],
    ["apps", "statefulsets", "watch"],
    ["batch", "jobs", "watch"],
    ["networking.k8s.io", "ingresses", "watch"],
    [SNAPSHOTS, "volumesnapshots", "list watch"],
    [CERTIFICATES, "certificates", "list watch"],
  ]],
  // Kinds of objects that may remain after the forced deletion of a namespace.
  [
    "remaining objects of removed spokes may be missed, and drift of these kinds is not reported",
    [
      ["", "persistentvolumes", "get list"],
      ["", "configmaps", "list"],
      ["", "services", "list"],
      ["", "limitranges", "list"],
      ["apps", "replicasets", "list"],
      ["batch", "cronjobs", "list"],
      ["networking.k8s.io", "networkpolicies", "list"],
    ],
  ],
  ["a sweep of thousands of spokes takes minutes", [
    ["", "configmaps", "watch"],
    ["", "services", "watch"],
    ["", "limitranges", "watch"],
    ["", "persistentvolumeclaims", "watch"],
    ["batch", "cronjobs", "watch"],
    ["networking.k8s.io", "networkpolicies", "watch"],
  ]],
  ["a database pod that fails to start after a resize must be deleted manually", [
    ["", "pods", "delete"],
  ]],
  [
    "backups cannot be restored or verified, sites cannot be copied, and templates are not used",
    [
      [SNAPSHOTS, "volumesnapshotcontents", "create delete"],
      ["", "persistentvolumes", "patch"], // for restore tests with a storage class that retains volumes
    ],
  ],
  ["reconcile does not find backups that a restored database lacks", [[
    SNAPSHOTS,
    "volumesnapshotcontents",
    "list",
  ]]],
  ["backups cannot be restored in place, and replaced volumes must be deleted manually", [
    ["", "persistentvolumeclaims", "delete"],
    ["apps", "statefulsets", "delete"],
  ]],
  ["a spoke fails if its template cannot be used, instead of being installed without it", [
    ["apps", "deployments", "delete"],
  ]],
  ["former domains of a spoke still open the spoke, and the spoke cannot use them again", [
    ["networking.k8s.io", "ingresses", "delete"],
  ]],
  ["a retry does not request a refused certificate again", [[CERTIFICATES, "certificates", "delete"]]],
  ["the health of spokes is unknown, and operations wait a few seconds longer", [
    ["apps", "deployments", "list"],
    ["apps", "statefulsets", "list"],
  ]],
  ["a reapply does not restore changed labels of a namespace", [["", "namespaces", "patch"]]],
  ["operations cannot explain why a certificate is not issued", [
    [CERTIFICATES, "certificaterequests", "list"],
    [ACME, "orders", "list"],
    [ACME, "challenges", "list"],
  ]],
  ["doctor checks less", [
    ["networking.k8s.io", "ingressclasses", "list"],
    ["storage.k8s.io", "storageclasses", "list"],
    ["", "nodes", "list"],
    ["", "pods", "create patch"], // only for the dry run of a pod that violates pod security
    [CERTIFICATES, "clusterissuers", "list"],
  ]],
];

export const KUBERNETES_PERMISSIONS: readonly RequiredPermission[] = PERMISSIONS_BY_CONSEQUENCE.flatMap((
  [consequence, rows],
) =>
  rows.flatMap(([group, resource, verbs]) => verbs.split(" ").map((verb) => ({ verb, group, resource, consequence })))
);

/** Resources that do not belong to a namespace. */
const CLUSTER_SCOPED = new Set([
  ...["namespaces", "persistentvolumes", "nodes", "storageclasses", "ingressclasses", "clusterissuers"],
  ...["volumesnapshotclasses", "volumesnapshotcontents"],
]);

/** Resources that Wheelwright lists only in single namespaces, never in the whole cluster. */
const LISTED_PER_NAMESPACE = new Set(["events", "certificaterequests", "orders", "challenges"]);

/** Resources that are watched in all namespaces with a single watch, to support clusters with thousands of spokes. */
const WATCHED_CLUSTER_WIDE = new Set([
  ...[
    "resourcequotas",
    "limitranges",
    "configmaps",
    "services",
    "persistentvolumeclaims",
    "deployments",
    "statefulsets",
  ],
  ...["cronjobs", "ingresses", "networkpolicies"],
]);

/**
 * Returns whether a permission must be cluster-wide. Most lists cover all namespaces, so that they also find objects
 * that remain from deleted namespaces.
 */
export function isClusterWidePermission({ verb, resource }: ClusterPermission): boolean {
  return CLUSTER_SCOPED.has(resource) || (verb === "list" && !LISTED_PER_NAMESPACE.has(resource)) ||
    (verb === "watch" && WATCHED_CLUSTER_WIDE.has(resource));
}

/** The permission that an account needs to bind a role in a namespace. */
export const ROLE_BIND_PERMISSION: RequiredPermission = {
  verb: "create",
  group: "rbac.authorization.k8s.io",
  resource: "rolebindings",
  consequence: null,
};

/**
 * Returns the permissions that must be cluster-wide. `role` is the ClusterRole that is bound in each namespace; without
 * a role, all permissions must be cluster-wide. `issuers` names the ClusterIssuers that Wheelwright creates.
 */
export function listRequiredPermissions(
  role: string | null,
  issuers: readonly string[],
): readonly RequiredPermission[] {
  const forIssuers = issuers.flatMap(listIssuerPermissions);
  if (role === null) return [...KUBERNETES_PERMISSIONS, ...forIssuers];
  return [...KUBERNETES_PERMISSIONS.filter(isClusterWidePermission), ...forIssuers, ROLE_BIND_PERMISSION];
}

/**
 * Returns the permissions for a single ClusterIssuer, limited to its name, because an account that can change any
 * ClusterIssuer could get certificates from all of them.
 */
function listIssuerPermissions(name: string): RequiredPermission[] {
  const issuer = { group: CERTIFICATES, resource: "clusterissuers", name, consequence: null };
  return ["create", "patch"].map((verb) => ({ verb, ...issuer }));
}
