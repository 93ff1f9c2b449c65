/**
 * Renders the required ClusterRoles as YAML, from the list of permissions that doctor checks. The chart has the same
 * rules, with a service account, its binding and policies that limit the account to its own namespaces.
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

/** Renders both ClusterRoles. `issuers` are the names of the ClusterIssuers that the program creates. */
export function renderClusterRoles(issuers: readonly string[]): string {
  const bind: Rule = {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["clusterroles"],
    resourceNames: [SPOKE],
    verbs: ["bind"],
  };
  const { wide, spoke } = clusterRules(issuers);
  return HEAD + [role(WIDE, wide + ruleLines([bind])), role(SPOKE, spoke)].join("---\n");
}

/** Returns the rules of both roles, one per line. Leaves out the rule that lets the first role bind the second. */
export function clusterRules(issuers: readonly string[]): { readonly wide: string; readonly spoke: string } {
  const inside = PERMISSIONS.filter((each) => !isClusterWide(each));
  return { wide: ruleLines(rulesOf(permissionsFor(SPOKE, issuers))), spoke: ruleLines(rulesOf(inside)) };
}

/** Groups permissions into rules. Resources of an API group share a rule if they have the same verbs. */
function rulesOf(permissions: readonly ClusterAccess[]): Rule[] {
  const verbs = Map.groupBy(permissions, ({ group, resource, name = "" }) => `${group}/${resource}/${name}`);
  const resources = [...verbs.values()].map((same) => ({
    group: same[0]!.group,
    resource: same[0]!.resource,
    name: same[0]!.name,
    verbs: [...new Set(same.map(({ verb }) => verb))].sort(),
  }));
  const rules = Map.groupBy(resources, ({ group, verbs, name = "" }) => `${group} ${verbs} ${name}`);
  return [...rules.values()].map((alike) => ({
    apiGroups: [alike[0]!.group],
    resources: alike.map(({ resource }) => resource),
    ...(alike[0]!.name !== undefined && { resourceNames: [alike[0]!.name] }),
    verbs: alike[0]!.verbs,
  }));
}

/** Formats rules as JSON, which is valid YAML. */
function ruleLines(rules: readonly Rule[]): string {
  return rules.map((rule) => `- ${JSON.stringify(rule)}\n`).join("");
}

function role(name: string, lines: string): string {
  const head = `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: ${name}\nrules:\n`;
  return head + lines.replaceAll(/^/gm, "  ").trimEnd() + "\n";
}
