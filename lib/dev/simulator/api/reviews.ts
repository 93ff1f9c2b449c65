/** Checks permissions and performs access reviews. The fault `forbid` denies permissions even if RBAC is off. */
import {
  type AccessDecision,
  type AccessRequest,
  checkAccess,
  type SimulatedUser,
} from "#lib/dev/simulator/access/rbac.ts";
import type { ApiRoute } from "#lib/dev/simulator/api/route.ts";
import type { FaultRegistry } from "#lib/dev/simulator/faults.ts";
import type { ApiKind, Json } from "#lib/dev/simulator/store/object.ts";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const VERBS: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };

/** Performs a SelfSubjectReview or SelfSubjectAccessReview without storing it. Returns null for any other kind. */
export function performAccessReview(
  world: Simulation,
  user: SimulatedUser,
  kind: ApiKind,
  review: Json,
  manager: string,
): Json | null {
  if (kind.kind === "SelfSubjectReview") {
    const { name: username, groups } = user;
    return { ...review, status: { userInfo: world.authorization ? { username, groups } : { username } } };
  }
  if (kind.kind !== "SelfSubjectAccessReview") return null;
  const attributes = review.spec?.resourceAttributes ?? {};
  const { verb = "", group = "", resource = "", subresource = "", namespace, name } = attributes;
  const entry = {
    manager,
    operation: "Update",
    apiVersion: kind.apiVersion,
    time: world.timers.stamp(),
    fieldsType: "FieldsV1",
  };
  const metadata = { creationTimestamp: null, managedFields: [entry] };
  const request = { verb, group, resource, subresource, namespace: namespace || undefined, name };
  const allowed = checkPermission(world, user, request).allowed;
  return { ...review, apiVersion: kind.apiVersion, kind: kind.kind, metadata, status: { allowed } };
}

/** Throws a 403 error if the user lacks the permission that the request needs. */
export function requirePermission(
  world: Simulation,
  user: SimulatedUser,
  method: string,
  route: ApiRoute,
  query: URLSearchParams,
): void {
  const verb = verbOf(method, route, query), { group, plural } = route.kind;
  // A server-side apply that creates an object also needs permission for the verb `create`.
  const creates = query.has("fieldManager") && method === "PATCH" &&
    world.store.get(route.kind.kind, route.namespace, route.name!) === undefined;
  for (const each of [verb, ...(creates ? ["create"] : [])]) {
    const request = {
      verb: each,
      group,
      resource: plural,
      subresource: route.subresource ?? "",
      namespace: route.kind.kind === "Namespace" ? route.name : route.namespace,
      name: route.name ?? nameIn(query),
    };
    const { allowed, roles, bindingError } = checkPermission(world, user, request);
    if (!allowed) throw permissionError(user, request, bindingError);
    const [role, ...others] = roles;
    if (role && others.length === 0) world.grants.add(`${role}: ${each} ${nameOf(group, plural, request.subresource)}`);
  }
}

function permissionError(user: SimulatedUser, request: AccessRequest, bindingError: string): StatusError {
  const { verb, group, resource: plural, subresource, namespace, name } = request;
  const named = `${group === "" ? plural : `${plural}.${group}`}${name ? ` ${JSON.stringify(name)}` : ""}`;
  const resourceName = subresource ? `${plural}/${subresource}` : plural;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const why =
    `User "${user.name}" cannot ${verb} resource "${resourceName}" in API group "${group}" ${where}${bindingError}`;
  const details = { name: name || undefined, group: group || undefined, kind: plural };
  return new StatusError(403, "Forbidden", `${named} is forbidden: ${why}`, details);
}

function checkPermission(world: Simulation, user: SimulatedUser, request: AccessRequest): AccessDecision {
  const { verb, group, resource, subresource } = request;
  if (isForbidden(world.faults, verb, nameOf(group, resource, subresource))) {
    return { allowed: false, roles: [], bindingError: "" };
  }
  return checkAccess(world, user, request);
}

function isForbidden(faults: FaultRegistry, verb: string, resource: string): boolean {
  return faults.list().some(({ breakage }) =>
    breakage.type === "forbid" && [verb, "*"].includes(breakage.verb) && breakage.resource === resource
  );
}

function verbOf(method: string, route: ApiRoute, query: URLSearchParams): string {
  if (method === "DELETE") return route.name === undefined ? "deletecollection" : "delete";
  if (method !== "GET") return VERBS[method] ?? method.toLowerCase();
  if (route.name !== undefined) return "get";
  return ["1", "true"].includes(query.get("watch") ?? "") ? "watch" : "list";
}

/** Returns the name if a list request selects a single object by name. RBAC then checks permissions for that object. */
function nameIn(query: URLSearchParams): string | undefined {
  return /^metadata\.name=([^,]+)$/.exec(query.get("fieldSelector") ?? "")?.[1];
}

/** Returns a resource's name as in RBAC rules and messages, for example `pods`, `pods/log` or `jobs.batch`. */
function nameOf(group: string, plural: string, subresource: string): string {
  return plural + (group === "" ? "" : `.${group}`) + (subresource === "" ? "" : `/${subresource}`);
}
