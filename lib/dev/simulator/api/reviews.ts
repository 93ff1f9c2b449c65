/**
 * Permissions: everybody may do everything but what the fault `forbid` takes away. What an access review says no to is
 * refused when it is tried, in the words of the real thing.
 */
import type { ApiRoute } from "#lib/dev/simulator/api/route.ts";
import type { Faults } from "#lib/dev/simulator/faults.ts";
import type { ApiKind } from "#lib/dev/simulator/store/kinds.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { Refusal } from "#lib/dev/simulator/admission/refusal.ts";
import type { World } from "#lib/dev/simulator/world.ts";

/** Who everybody is here. */
const USER = "simulated";
const VERBS: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };

/** What somebody asks about themselves: nothing is stored. Null for any other kind. */
export function answerReview(world: World, kind: ApiKind, review: Json, manager: string): Json | null {
  if (kind.kind === "SelfSubjectReview") return { ...review, status: { userInfo: { username: USER } } };
  if (kind.kind !== "SelfSubjectAccessReview") return null;
  const { verb = "", group = "", resource = "", subresource = "" } = review.spec?.resourceAttributes ?? {};
  const entry = {
    manager,
    operation: "Update",
    apiVersion: kind.apiVersion,
    time: world.timers.stamp(),
    fieldsType: "FieldsV1",
  };
  const metadata = { creationTimestamp: null, managedFields: [entry] };
  const allowed = !isForbidden(world.faults, verb, nameOf(group, resource, subresource));
  return { ...review, apiVersion: kind.apiVersion, kind: kind.kind, metadata, status: { allowed } };
}

/** Throws 403 for what the caller may not do. */
export function refuseForbidden(world: World, method: string, route: ApiRoute, query: URLSearchParams): void {
  const verb = verbOf(method, route, query);
  const { group, plural } = route.kind;
  const whole = nameOf(group, plural, route.subresource ?? "");
  // An apply that makes its object is a creation, too.
  const creates = query.has("fieldManager") && method === "PATCH" &&
    world.store.get(route.kind.kind, route.namespace, route.name!) === undefined;
  const refused = [verb, ...(creates ? ["create"] : [])].find((each) => isForbidden(world.faults, each, whole));
  if (refused === undefined) return;
  const named = `${group === "" ? plural : `${plural}.${group}`}${route.name ? ` "${route.name}"` : ""}`;
  const shown = route.subresource ? `${plural}/${route.subresource}` : plural;
  const where = route.namespace === undefined ? "at the cluster scope" : `in the namespace "${route.namespace}"`;
  const why = `User "${USER}" cannot ${refused} resource "${shown}" in API group "${group}" ${where}`;
  const details = { ...(route.name ? { name: route.name } : {}), ...(group === "" ? {} : { group }), kind: plural };
  throw new Refusal(403, "Forbidden", `${named} is forbidden: ${why}`, details);
}

function isForbidden(faults: Faults, verb: string, resource: string): boolean {
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

/** For example `pods`, `pods/log`, `jobs.batch`: how rules and messages name a resource. */
function nameOf(group: string, plural: string, subresource: string): string {
  return plural + (group === "" ? "" : `.${group}`) + (subresource === "" ? "" : `/${subresource}`);
}
