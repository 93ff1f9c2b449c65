/**
 * The ClusterRoles that give what doctor asks for, as YAML: made of the same list, so that neither can forget the other.
 * deploy/cluster-role.yaml has them with an account, its binding, and the policies that keep it in its own namespaces.
 */
import type { ClusterAccess } from "#lib/drivers/cluster/cluster.ts";
import { isClusterWide, PERMISSIONS, permissionsFor } from "#lib/doctor/permissions.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const WIDE = "wheelwright", SPOKE = "wheelwright-spoke";

const HEAD =
  `# What Wheelwright needs in the whole cluster, and, with CLUSTER_ROLE=${SPOKE}, in the namespaces that it makes.
# Without CLUSTER_ROLE bind both to its account by a ClusterRoleBinding each.
`;

export function renderClusterRoles(): string {
  const bind = {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["clusterroles"],
    resourceNames: [SPOKE],
    verbs: ["bind"],
  };
  const inside = PERMISSIONS.filter((each) => !isClusterWide(each));
  return HEAD + [role(WIDE, [...rulesOf(permissionsFor(SPOKE)), bind]), role(SPOKE, rulesOf(inside))].join("---\n");
}

/** A rule for all resources of a group that allow the same. */
function rulesOf(permissions: readonly ClusterAccess[]): Rule[] {
  const verbs = Map.groupBy(permissions, ({ group, resource }) => `${group}/${resource}`);
  const resources = [...verbs.values()].map((same) => ({
    group: same[0]!.group,
    resource: same[0]!.resource,
    verbs: [...new Set(same.map(({ verb }) => verb))].sort(),
  }));
  const rules = Map.groupBy(resources, ({ group, verbs }) => `${group} ${verbs}`);
  return [...rules.values()].map((alike) => ({
    apiGroups: [alike[0]!.group],
    resources: alike.map(({ resource }) => resource),
    verbs: alike[0]!.verbs,
  }));
}

/** Each rule in a line: JSON is YAML. */
function role(name: string, rules: readonly Rule[]): string {
  const head = `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: ${name}\nrules:\n`;
  return head + rules.map((rule) => `  - ${JSON.stringify(rule)}\n`).join("");
}
