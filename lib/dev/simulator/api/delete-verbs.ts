/** Performs API requests that delete objects. */
import { parseJsonBody } from "#lib/dev/simulator/api/body.ts";
import { parseListSelectors, toListItem } from "#lib/dev/simulator/api/list.ts";
import { enforceAdmissionPolicies } from "#lib/dev/simulator/access/policies.ts";
import type { ApiRoute } from "#lib/dev/simulator/api/route.ts";
import { deleteObject, parseDeleteOptions } from "#lib/dev/simulator/admission/deletion.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { createStatusDetails, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import {
  type ApiVerbRequest,
  type ApiVerbResponse,
  findRequestedObject,
  okResponse,
} from "#lib/dev/simulator/api/verb-request.ts";

/** The kinds for which a deletion returns the deleted object instead of a `Status`. */
const RETURNED_KINDS = new Set(
  "PersistentVolume PersistentVolumeClaim Pod ResourceQuota Service ServiceAccount".split(" "),
);

const ORPHANED_PODS_WARNING =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or " +
  "set propagationPolicy=Orphan to suppress this warning";

export function deleteRequestedObject(
  world: Simulation,
  { route, user, query, text, warn }: ApiVerbRequest,
): ApiVerbResponse {
  const body = text === "" ? null : parseJsonBody(text, "DeleteOptions", false);
  const options = parseDeleteOptions(query, body);
  const live = findRequestedObject(world, route);
  enforceAdmissionPolicies(world, { user, operation: "DELETE", object: null, oldObject: live });
  const { object, gone } = deleteObject(world, live, options);
  const policy = body ? body.propagationPolicy ?? null : query.get("propagationPolicy");
  if (route.kind.kind === "Job" && policy === null) warn(ORPHANED_PODS_WARNING);
  return okResponse(gone && !RETURNED_KINDS.has(route.kind.kind) ? success(route, object) : object);
}

export function deleteRequestedObjects(
  world: Simulation,
  { route: { kind, namespace }, query }: ApiVerbRequest,
): ApiVerbResponse {
  if (kind.kind === "Namespace" || kind.namespaced && namespace === undefined) throw StatusError.verbNotAllowed();
  const all = world.store.list(kind.kind, namespace).filter(parseListSelectors(kind, query));
  for (const object of all) deleteObject(world, object, parseDeleteOptions(query, null));
  const metadata = { resourceVersion: String(world.store.version()) };
  const items = all.map((object) => toListItem(kind, object));
  return okResponse({ kind: `${kind.kind}List`, apiVersion: kind.apiVersion, metadata, items });
}

function success(route: ApiRoute, object: StoredObject): Json {
  const { kind } = route;
  const details = { ...createStatusDetails(kind, object.metadata.name), uid: object.metadata.uid };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}
