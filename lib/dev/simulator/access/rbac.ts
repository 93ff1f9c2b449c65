/**
 * Identifies the user who sent a request, and checks the user's permissions, as Kubernetes RBAC does. As on a real API
 * server, a bearer token identifies a service account. Requests without a token have all permissions, as has every
 * request if authorization is off.
 */
import type { IncomingMessage } from "node:http";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";

export interface SimulatedUser {
  readonly name: string;
  readonly groups: readonly string[];
}

const AUTHENTICATED_GROUP = "system:authenticated";
/** The Kubernetes group whose members have all permissions, whatever roles are bound to them. */
export const CLUSTER_ADMIN_GROUP = "system:masters";
const ADMIN: SimulatedUser = { name: "simulated", groups: [CLUSTER_ADMIN_GROUP, AUTHENTICATED_GROUP] };

export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
}

/** Returns a service account's bearer token for the simulator. The token only names the account and is not secret. */
export function formatServiceAccountToken({ namespace, name }: ServiceAccountRef): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Returns the user who sent the request. Throws 401 if the token names a service account that does not exist. */
export function authenticateUser(
  { authorization, store }: Simulation,
  { headers }: Pick<IncomingMessage, "headers">,
): SimulatedUser {
  const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? "") ?? [];
  if (!authorization || token === undefined) return ADMIN;
  const [, namespace = "", name = ""] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(token) ?? [];
  if (!store.get("ServiceAccount", namespace, name)) throw new StatusError(401, "Unauthorized", "Unauthorized");
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, AUTHENTICATED_GROUP];
  return { name: token, groups };
}

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

export function checkAccess(world: Simulation, user: SimulatedUser, request: AccessRequest): AccessDecision {
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
  { store }: Simulation,
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

const ROLES = new Set(["Role", "ClusterRole"]), BINDINGS = new Set(["RoleBinding", "ClusterRoleBinding"]);

/**
 * Throws a 403 error if a role or role binding would grant permissions that the user writing it does not have. A user
 * with the verb `escalate` on the role may still write it, and a user with the verb `bind` on the role may bind it.
 */
export function rejectPrivilegeEscalation(world: Simulation, user: SimulatedUser, object: StoredObject): void {
  const { kind, metadata: { name, namespace }, roleRef } = object;
  if (!world.authorization || user.groups.includes(CLUSTER_ADMIN_GROUP)) return;
  if (!ROLES.has(kind) && !BINDINGS.has(kind)) return;
  const roleName = BINDINGS.has(kind) ? roleRef : { kind, name };
  const request: AccessRequest = {
    verb: BINDINGS.has(kind) ? "bind" : "escalate",
    group: RBAC,
    resource: `${roleName.kind.toLowerCase()}s`,
    subresource: "",
    namespace,
    name: roleName.name,
  };
  if (checkAccess(world, user, request).allowed) return;
  const role = ROLES.has(kind)
    ? object
    : world.store.get(roleName.kind, namespaceOf(roleName, namespace), roleName.name);
  if (!role) throw StatusError.notFound(world.kinds.named(roleName.kind), roleName.name);
  const own = listUserRules(world, user, namespace).rules;
  const missingPermissions = ((role["rules"] ?? []) as RbacRule[]).flatMap((rule) => findMissingPermissions(rule, own));
  if (missingPermissions.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(" ");
  const reason = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not ` +
    `currently held:\n${missingPermissions.join("\n")}`;
  throw StatusError.forbidden(world.kinds.of(object)!, name, reason);
}

function namespaceOf({ kind }: { readonly kind: string }, namespace: string | undefined): string | undefined {
  return kind === "Role" ? namespace : undefined;
}

/** Returns the permissions in `rule` that the user's own rules do not grant, one line per API group and resource. */
function findMissingPermissions(
  { verbs = [], apiGroups = [], resources = [], resourceNames = [] }: RbacRule,
  own: readonly RbacRule[],
) {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames;
  return apiGroups.flatMap((group) =>
    resources.flatMap((whole) =>
      names.flatMap((name) => {
        const [resource = "", subresource = ""] = whole.split("/");
        const requestOf = (verb: string) => ({ verb, group, resource, subresource, namespace: undefined, name });
        const missing = verbs.filter((verb) => !own.some((rule) => ruleAllowsRequest(rule, requestOf(verb))));
        return missing.length > 0 ? [formatRule(group, whole, name, missing)] : [];
      })
    )
  );
}

/** Formats an RBAC rule as the API server prints it in error messages: in Go's notation for structs. */
function formatRule(group: string, resource: string, name: string | undefined, verbs: readonly string[]): string {
  const list = (texts: readonly string[]) => `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
  const named = name === undefined ? "" : `, ResourceNames:${list([name])}`;
  return `{APIGroups:${list([group])}, Resources:${list([resource])}${named}, Verbs:${list(verbs)}}`;
}
