/**
 * Lists the permissions that this program uses in a cluster, for doctor and for the ClusterRoles.
 * Without CLUSTER_ROLE, all permissions are cluster-wide. With it, most permissions are granted in each created
 * namespace. The chart's roles and deploy/kubernetes/cluster-role.yaml are generated from this list (`npm run
 * generate`).
 * Server-side apply needs `patch`, and for new objects also `create`. Watches only make waiting faster
 * (lib/drivers/cluster/wait.ts). Tests run all spoke operations with only these permissions, and check that each
 * permission is used (test/deploy/cluster-role.test.ts).
 */
import type { ClusterAccess } from "#lib/drivers/cluster/cluster.ts";

export interface RequiredPermission extends ClusterAccess {
  /** The consequence of a missing permission. Null if an operation would fail. */
  readonly without: string | null;
}

// API groups that some clusters do not serve. Such a cluster does not need their permissions.
const SNAPSHOTS = "snapshot.storage.k8s.io", CERTIFICATES = "cert-manager.io", ACME = "acme.cert-manager.io";

type Row = readonly [group: string, resource: string, verbs: string];

const NEEDED: readonly Row[] = [
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

/** Permissions, grouped by the consequence of missing them. Null means that operations fail. */
const TABLE: readonly (readonly [without: string | null, rows: readonly Row[]])[] = [
  [null, NEEDED],
  // A watch begins with a list. These are the kinds that no other row lists.
  ["waiting takes some seconds longer", [
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
  // Kinds that may remain after someone force-deleted a namespace. Other kinds are in the lists above.
  [
    "what is left of a removed spoke is looked for less closely, which its operation notes, and no drift is told of these",
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
  ["a cluster with thousands of spokes is listed over and over, so that a look at all of them takes minutes", [
    ["", "configmaps", "watch"],
    ["", "services", "watch"],
    ["", "limitranges", "watch"],
    ["", "persistentvolumeclaims", "watch"],
    ["batch", "cronjobs", "watch"],
    ["networking.k8s.io", "networkpolicies", "watch"],
  ]],
  ["a database that does not come up in one size does not come up in the next, either, until its pod is deleted", [
    ["", "pods", "delete"],
  ]],
  [
    "nothing is made from snapshots: no backup is restored or proved, no site copied, and each installation takes its whole time",
    [
      [SNAPSHOTS, "volumesnapshotcontents", "create delete"],
      ["", "persistentvolumes", "patch"], // for restore tests whose storage class retains volumes
    ],
  ],
  ["backups that a restored database does not know stay unknown to it", [[
    SNAPSHOTS,
    "volumesnapshotcontents",
    "list",
  ]]],
  ["no spoke is restored in its place, and volumes that a restore has replaced stay until somebody deletes them", [
    ["", "persistentvolumeclaims", "delete"],
    ["apps", "statefulsets", "delete"],
  ]],
  ["a spoke fails where it cannot be made from its template, in place of being installed by its own Job", [
    ["apps", "deployments", "delete"],
  ]],
  ["names that a spoke has left go on leading to it, and it cannot have one of them again", [
    ["networking.k8s.io", "ingresses", "delete"],
  ]],
  ["a certificate that was refused is not asked for again by a retry", [[CERTIFICATES, "certificates", "delete"]]],
  ["nothing is told of the health of spokes, and waiting takes some seconds longer", [
    ["apps", "deployments", "list"],
    ["apps", "statefulsets", "list"],
  ]],
  ["labels of a namespace that somebody changed are not put back by a reapply", [["", "namespaces", "patch"]]],
  ["a certificate that does not come is not explained", [
    [CERTIFICATES, "certificaterequests", "list"],
    [ACME, "orders", "list"],
    [ACME, "challenges", "list"],
  ]],
  ["doctor sees less", [
    ["networking.k8s.io", "ingressclasses", "list"],
    ["storage.k8s.io", "storageclasses", "list"],
    ["", "nodes", "list"],
    ["", "pods", "create patch"], // only for the dry run of a pod that violates pod security
    [CERTIFICATES, "clusterissuers", "list"],
  ]],
];

export const PERMISSIONS: readonly RequiredPermission[] = TABLE.flatMap(([without, rows]) =>
  rows.flatMap(([group, resource, verbs]) => verbs.split(" ").map((verb) => ({ verb, group, resource, without })))
);

/** Cluster-scoped kinds. */
const WIDE = new Set([
  ...["namespaces", "persistentvolumes", "nodes", "storageclasses", "ingressclasses", "clusterissuers"],
  ...["volumesnapshotclasses", "volumesnapshotcontents"],
]);

/** Kinds that are listed only within single namespaces. */
const INSIDE = new Set(["events", "certificaterequests", "orders", "challenges"]);

/** Kinds that are watched in all namespaces, in clusters with thousands of spokes. */
const FOLLOWED = new Set([
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
 * Returns whether a permission must be cluster-wide. Lists cover all namespaces. They also find orphans after a
 * namespace and its role binding were deleted.
 */
export function isClusterWide({ verb, resource }: ClusterAccess): boolean {
  return WIDE.has(resource) || (verb === "list" && !INSIDE.has(resource)) ||
    (verb === "watch" && FOLLOWED.has(resource));
}

/** The permission that an account needs to bind a role in a namespace. */
export const BIND_PERMISSION: RequiredPermission = {
  verb: "create",
  group: "rbac.authorization.k8s.io",
  resource: "rolebindings",
  without: null,
};

/**
 * Returns the permissions that must be cluster-wide. `role` is the ClusterRole that is bound in each namespace; without
 * it, all permissions are cluster-wide. `issuers` are the ClusterIssuers that the program creates.
 */
export function permissionsFor(role: string | null, issuers: readonly string[]): readonly RequiredPermission[] {
  const named = issuers.flatMap(issuerPermissions);
  if (role === null) return [...PERMISSIONS, ...named];
  return [...PERMISSIONS.filter(isClusterWide), ...named, BIND_PERMISSION];
}

/**
 * Returns the permissions for one ClusterIssuer. They are limited to its name, because an account that may change any
 * ClusterIssuer could get certificates from all of them.
 */
function issuerPermissions(name: string): RequiredPermission[] {
  const issuer = { group: CERTIFICATES, resource: "clusterissuers", name, without: null };
  return ["create", "patch"].map((verb) => ({ verb, ...issuer }));
}
