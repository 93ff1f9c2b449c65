/**
 * Checks whether a user may perform a request, as Kubernetes RBAC does. Considers the roles that are bound to the user
 * in the cluster and in the request's namespace. Without a rule that allows it, a request is refused.
 */
import { CLUSTER_ADMIN_GROUP, type SimulatedUser } from "#lib/dev/simulator/access/users.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

/** A request for which permissions are checked. `name` is set if the request concerns a single object. */
export interface AccessRequest {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** The requested namespace. Undefined for cluster-scoped kinds and for requests across all namespaces. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export interface RbacRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface BoundRule extends RbacRule {
  readonly role: string;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** The names of the roles that allow the request. */
  readonly roles: readonly string[];
  /** The API server's error message about role bindings to roles that do not exist. Empty if all these roles exist. */
  readonly bindingError: string;
}

const RBAC = "rbac.authorization.k8s.io";
/** Rules that let all authenticated users review their own permissions, as the role `system:basic-user` does. */
const BASIC: BoundRule[] = ["authorization.k8s.io", "authentication.k8s.io"].map((group) => ({
  role: "system:basic-user",
  verbs: ["create"],
  apiGroups: [group],
  resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"],
}));

export function checkAccess(world: SimulatorContext, user: SimulatedUser, request: AccessRequest): AccessDecision {
  if (!world.authorization || user.groups.includes(CLUSTER_ADMIN_GROUP)) {
    return { allowed: true, roles: [], bindingError: "" };
  }
  const { rules, missing } = listUserRules(world, user, request.namespace);
  const roles = rules.filter((rule) => ruleAllowsRequest(rule, request)).map(({ role }) => role),
    allowed = roles.length > 0;
  const trouble = missing.map((name) => `${name} not found`);
  if (trouble.length === 0) return { allowed, roles, bindingError: "" };
  return { allowed, roles, bindingError: `: RBAC: ${trouble.length === 1 ? trouble[0] : `[${trouble.join(", ")}]`}` };
}

/** Returns the RBAC rules that apply to the user in the namespace, and the names of bound roles that do not exist. */
export function listUserRules(
  { store }: SimulatorContext,
  user: SimulatedUser,
  namespace: string | undefined,
): { readonly rules: readonly BoundRule[]; readonly missing: readonly string[] } {
  const inside = namespace === undefined ? [] : store.list("RoleBinding", namespace);
  const bindings = [...store.list("ClusterRoleBinding"), ...inside].filter((binding) => isSubject(binding, user));
  const missing: string[] = [];
  const bound = bindings.flatMap(({ roleRef: { kind, name }, metadata }) => {
    const role = store.get(kind, kind === "Role" ? metadata.namespace : undefined, name);
    if (!role) missing.push(`${kind.toLowerCase()}.${RBAC} ${JSON.stringify(name)}`);
    return ((role?.["rules"] ?? []) as RbacRule[]).map((rule) => ({ ...rule, role: name }));
  });
  const basic = user.groups.includes("system:authenticated") ? BASIC : [];
  return { rules: [...basic, ...bound], missing };
}

function isSubject({ subjects = [] }: StoredObject, user: SimulatedUser): boolean {
  return subjects.some(({ kind, name, namespace }: Json) => {
    if (kind === "Group") return user.groups.includes(name);
    return user.name === (kind === "ServiceAccount" ? `system:serviceaccount:${namespace}:${name}` : name);
  });
}

export function ruleAllowsRequest(
  rule: RbacRule,
  { verb, group, resource, subresource, name }: AccessRequest,
): boolean {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const qualifiedResource = subresource === "" ? resource : `${resource}/${subresource}`;
  const fits = [qualifiedResource, "*", ...(subresource === "" ? [] : [`*/${subresource}`])];
  return [verb, "*"].some((each) => verbs.includes(each)) &&
    [group, "*"].some((each) => apiGroups.includes(each)) &&
    fits.some((each) => resources.includes(each)) &&
    (resourceNames.length === 0 || name !== undefined && resourceNames.includes(name));
}
