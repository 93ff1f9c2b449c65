/**
 * Role-based access: what the roles that are bound to a user allow, in the whole cluster or in one namespace. There is no
 * rule that forbids; what no rule allows is refused.
 */
import { MASTERS, type SimulatedUser } from "#lib/dev/simulator/access/users.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";

/** What is asked for: of an object where a name is given, of a kind where none is. */
export interface AccessRequest {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** undefined for the whole cluster, and for kinds that stand in no namespace. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A rule, and the name of the role that has it. */
interface BoundRule extends PolicyRule {
  readonly role: string;
}

export interface Judgment {
  readonly allowed: boolean;
  /** The roles that allow it. */
  readonly roles: readonly string[];
  /** Bindings that lead to no role, in the server's words; empty where all do. */
  readonly trouble: string;
}

const RBAC = "rbac.authorization.k8s.io";
/** What everybody who is known may ask about themselves (system:basic-user). */
const BASIC: BoundRule[] = ["authorization.k8s.io", "authentication.k8s.io"].map((group) => ({
  role: "system:basic-user",
  verbs: ["create"],
  apiGroups: [group],
  resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews", "selfsubjectreviews"],
}));

export function judgeAccess(world: World, user: SimulatedUser, request: AccessRequest): Judgment {
  if (!world.authorization || user.groups.includes(MASTERS)) return { allowed: true, roles: [], trouble: "" };
  const { rules, missing } = rulesFor(world, user, request.namespace);
  const roles = rules.filter((rule) => allows(rule, request)).map(({ role }) => role), allowed = roles.length > 0;
  const trouble = missing.map((name) => `${name} not found`);
  if (trouble.length === 0) return { allowed, roles, trouble: "" };
  return { allowed, roles, trouble: `: RBAC: ${trouble.length === 1 ? trouble[0] : `[${trouble.join(", ")}]`}` };
}

/** All rules of the roles that are bound to the user there, and the roles that are bound and do not exist. */
export function rulesFor(
  { store }: World,
  user: SimulatedUser,
  namespace: string | undefined,
): { readonly rules: readonly BoundRule[]; readonly missing: readonly string[] } {
  const inside = namespace === undefined ? [] : store.list("RoleBinding", namespace);
  const bindings = [...store.list("ClusterRoleBinding"), ...inside].filter((binding) => names(binding, user));
  const missing: string[] = [];
  const bound = bindings.flatMap(({ roleRef: { kind, name }, metadata }) => {
    const role = store.get(kind, kind === "Role" ? metadata.namespace : undefined, name);
    if (!role) missing.push(`${kind.toLowerCase()}.${RBAC} ${JSON.stringify(name)}`);
    return ((role?.["rules"] ?? []) as PolicyRule[]).map((rule) => ({ ...rule, role: name }));
  });
  const basic = user.groups.includes("system:authenticated") ? BASIC : [];
  return { rules: [...basic, ...bound], missing };
}

function names({ subjects = [] }: StoredObject, user: SimulatedUser): boolean {
  return subjects.some(({ kind, name, namespace }: Json) => {
    if (kind === "Group") return user.groups.includes(name);
    return user.name === (kind === "ServiceAccount" ? `system:serviceaccount:${namespace}:${name}` : name);
  });
}

export function allows(rule: PolicyRule, { verb, group, resource, subresource, name }: AccessRequest): boolean {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  const fits = [whole, "*", ...(subresource === "" ? [] : [`*/${subresource}`])];
  return [verb, "*"].some((each) => verbs.includes(each)) &&
    [group, "*"].some((each) => apiGroups.includes(each)) &&
    fits.some((each) => resources.includes(each)) &&
    (resourceNames.length === 0 || name !== undefined && resourceNames.includes(name));
}
