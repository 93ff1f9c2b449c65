/**
 * Renders the required ClusterRoles as YAML, from the list of permissions that the doctor command checks. The Helm
 * chart contains the same rules, in addition to a service account, bindings and policies.
 */
import type { ClusterPermission } from "#lib/drivers/cluster/cluster.ts";
import { isClusterWidePermission, KUBERNETES_PERMISSIONS, listRequiredPermissions } from "#lib/doctor/permissions.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const CLUSTER_ROLE_NAME = "wheelwright", SPOKE_ROLE_NAME = "wheelwright-spoke";

const HEADER =
  `# The ClusterRoles of Wheelwright. With CLUSTER_ROLE=${SPOKE_ROLE_NAME}, it binds that role in each namespace that it creates.
# Without CLUSTER_ROLE, bind both roles to its account, each with a ClusterRoleBinding.
`;

/** Renders both ClusterRoles as YAML. `issuers` names the ClusterIssuers that the program creates. */
export function renderClusterRoles(issuers: readonly string[]): string {
  const bind: Rule = {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["clusterroles"],
    resourceNames: [SPOKE_ROLE_NAME],
    verbs: ["bind"],
  };
  const { wide, spoke } = renderClusterRules(issuers);
  return HEADER +
    [renderRole(CLUSTER_ROLE_NAME, wide + renderRules([bind])), renderRole(SPOKE_ROLE_NAME, spoke)].join("---\n");
}

/** Renders the rules of both ClusterRoles, one per line, without the rule that lets an account bind the second role. */
export function renderClusterRules(issuers: readonly string[]): { readonly wide: string; readonly spoke: string } {
  const namespaced = KUBERNETES_PERMISSIONS.filter((each) => !isClusterWidePermission(each));
  return {
    wide: renderRules(groupPermissions(listRequiredPermissions(SPOKE_ROLE_NAME, issuers))),
    spoke: renderRules(groupPermissions(namespaced)),
  };
}

/** Groups permissions into rules. Resources with the same API group and the same verbs share a rule. */
function groupPermissions(permissions: readonly ClusterPermission[]): Rule[] {
  const verbs = Map.groupBy(permissions, ({ group, resource, name = "" }) => `${group}/${resource}/${name}`);
  const resources = [...verbs.values()].map((permissionsOfResource) => ({
    group: permissionsOfResource[0]!.group,
    resource: permissionsOfResource[0]!.resource,
    name: permissionsOfResource[0]!.name,
    verbs: [...new Set(permissionsOfResource.map(({ verb }) => verb))].sort(),
  }));
  const rules = Map.groupBy(resources, ({ group, verbs, name = "" }) => `${group} ${verbs} ${name}`);
  return [...rules.values()].map((resourcesOfRule) => ({
    apiGroups: [resourcesOfRule[0]!.group],
    resources: resourcesOfRule.map(({ resource }) => resource),
    ...(resourcesOfRule[0]!.name !== undefined && { resourceNames: [resourcesOfRule[0]!.name] }),
    verbs: resourcesOfRule[0]!.verbs,
  }));
}

/** Formats each rule as a line of JSON, which is also valid YAML. */
function renderRules(rules: readonly Rule[]): string {
  return rules.map((rule) => `- ${JSON.stringify(rule)}\n`).join("");
}

function renderRole(name: string, lines: string): string {
  const head = `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: ${name}\nrules:\n`;
  return head + lines.replaceAll(/^/gm, "  ").trimEnd() + "\n";
}
