/**
 * Prevents privilege escalation, as Kubernetes RBAC does. A user who does not have all of a role's permissions can
 * write the role only with the verb `escalate` on it, and can bind it only with the verb `bind` on it.
 */
import {
  type AccessRequest,
  checkAccess,
  listUserRules,
  type RbacRule,
  ruleAllowsRequest,
} from "#lib/dev/simulator/access/rules.ts";
import { CLUSTER_ADMIN_GROUP, type SimulatedUser } from "#lib/dev/simulator/access/users.ts";
import { forbiddenError, notFoundError } from "#lib/dev/simulator/admission/status-error.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

const RBAC = "rbac.authorization.k8s.io";
const ROLES = new Set(["Role", "ClusterRole"]), BINDINGS = new Set(["RoleBinding", "ClusterRoleBinding"]);

/** Throws a 403 error if a role or role binding would grant permissions that the user writing it does not have. */
export function rejectPrivilegeEscalation(world: SimulatorContext, user: SimulatedUser, object: StoredObject): void {
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
  if (!role) throw notFoundError(world.kinds.named(roleName.kind), roleName.name);
  const own = listUserRules(world, user, namespace).rules;
  const missingPermissions = ((role["rules"] ?? []) as RbacRule[]).flatMap((rule) => findMissingPermissions(rule, own));
  if (missingPermissions.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(" ");
  const reason = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not ` +
    `currently held:\n${missingPermissions.join("\n")}`;
  throw forbiddenError(world.kinds.of(object)!, name, reason);
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
