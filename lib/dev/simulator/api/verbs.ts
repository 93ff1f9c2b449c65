/** Performs API requests: applies the HTTP method to the resource that the URL names. */
import type { ServerResponse } from "node:http";
import { applyServerSide } from "#lib/dev/simulator/admission/apply.ts";
import {
  omitEmptyFields,
  parseAppliedBody,
  parseJsonBody,
  parseObjectBody,
  parsePatchBody,
} from "#lib/dev/simulator/api/body.ts";
import {
  type FieldValidation,
  requireJsonAccepted,
  requireJsonOrYaml,
  validatePatchOptions,
  validateWriteOptions,
} from "#lib/dev/simulator/api/options.ts";
import { listObjects, parseListSelectors, toListItem } from "#lib/dev/simulator/api/list.ts";
import { sendPodLog, streamObjectChanges } from "#lib/dev/simulator/api/streams.ts";
import { performAccessReview, requirePermission } from "#lib/dev/simulator/api/reviews.ts";
import { enforceAdmissionPolicies } from "#lib/dev/simulator/access/policies.ts";
import type { SimulatedUser } from "#lib/dev/simulator/access/rbac.ts";
import type { ApiRoute } from "#lib/dev/simulator/api/route.ts";
import { applyJsonPatch, applyMergePatch, patchScale, readScale } from "#lib/dev/simulator/api/patch.ts";
import { deleteObject, parseDeleteOptions } from "#lib/dev/simulator/admission/deletion.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { cause, createStatusDetails, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { pruneToSchema } from "#lib/dev/simulator/admission/schema/fields.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { createObject, replaceObject, type WriteOptions } from "#lib/dev/simulator/admission/writes.ts";

export interface ApiVerbRequest {
  readonly method: string;
  readonly route: ApiRoute;
  readonly user: SimulatedUser;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly accept: string | undefined;
  readonly text: string;
  /** The first word of the user agent, which is the default field manager for writes. */
  readonly agent: string;
  readonly warn: (text: string) => void;
  readonly response: ServerResponse;
}

/** The kinds for which a deletion returns the deleted object instead of a `Status`. */
const RETURNED_KINDS = new Set(
  "PersistentVolume PersistentVolumeClaim Pod ResourceQuota Service ServiceAccount".split(" "),
);
const ORPHANED_PODS_WARNING =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or " +
  "set propagationPolicy=Orphan to suppress this warning";

/** A response's status and body, or undefined if the verb streams its own response. */
export type ApiVerbResponse = { readonly status: number; readonly body: Json } | undefined;

export function performApiRequest(world: Simulation, call: ApiVerbRequest): ApiVerbResponse {
  const { method, route, query } = call;
  if (route.subresource !== "log") requireJsonAccepted(call.accept);
  requirePermission(world, call.user, method, route, query);
  if (method === "GET") return route.name === undefined ? readMany(world, call) : readOne(world, call);
  if (method === "POST" && route.name === undefined) return create(world, call);
  if (method === "PUT" && route.name !== undefined) return put(world, call);
  if (method === "PATCH" && route.name !== undefined) return patch(world, call);
  if (method === "DELETE") return route.name === undefined ? removeMany(world, call) : remove(world, call);
  throw StatusError.verbNotAllowed();
}

function remove(world: Simulation, { route, user, query, text, warn }: ApiVerbRequest): ApiVerbResponse {
  const body = text === "" ? null : parseJsonBody(text, "DeleteOptions", false);
  const options = parseDeleteOptions(query, body);
  const live = find(world, route);
  enforceAdmissionPolicies(world, { user, operation: "DELETE", object: null, oldObject: live });
  const { object, gone } = deleteObject(world, live, options);
  const policy = body ? body.propagationPolicy ?? null : query.get("propagationPolicy");
  if (route.kind.kind === "Job" && policy === null) warn(ORPHANED_PODS_WARNING);
  return ok(gone && !RETURNED_KINDS.has(route.kind.kind) ? success(route, object) : object);
}

function removeMany(world: Simulation, { route: { kind, namespace }, query }: ApiVerbRequest): ApiVerbResponse {
  if (kind.kind === "Namespace" || kind.namespaced && namespace === undefined) throw StatusError.verbNotAllowed();
  const all = world.store.list(kind.kind, namespace).filter(parseListSelectors(kind, query));
  for (const object of all) deleteObject(world, object, parseDeleteOptions(query, null));
  const metadata = { resourceVersion: String(world.store.version()) };
  const items = all.map((object) => toListItem(kind, object));
  return ok({ kind: `${kind.kind}List`, apiVersion: kind.apiVersion, metadata, items });
}

function readMany(world: Simulation, { route, query, accept, response }: ApiVerbRequest): ApiVerbResponse {
  if (query.get("watch") !== "1" && query.get("watch") !== "true") {
    return ok(listObjects(world, route.kind, route.namespace, query, accept));
  }
  return void streamObjectChanges(world, route.kind, route.namespace, query, response);
}

function readOne(world: Simulation, { route, query, response }: ApiVerbRequest): ApiVerbResponse {
  if (route.subresource === "status" && !route.kind.status) throw StatusError.resourceNotFound();
  const live = find(world, route);
  if (route.subresource === "log" && route.kind.kind === "Pod") return void sendPodLog(world, live, query, response);
  if (route.subresource === "scale" && route.kind.scale) return ok(readScale(live));
  if (route.subresource !== undefined && route.subresource !== "status") throw StatusError.resourceNotFound();
  return ok(live);
}

function readBody(world: Simulation, call: ApiVerbRequest, options: "CreateOptions" | "UpdateOptions"): Json {
  const { route: { kind }, query, contentType, text, warn } = call;
  requireJsonOrYaml(contentType);
  validateWriteOptions(options, query);
  const body = parseJsonBody(text, kind.kind, contentType.includes("yaml"));
  return parseObjectBody(body, kind, world.schema, validationOf(query), warn);
}

function create(world: Simulation, call: ApiVerbRequest): ApiVerbResponse {
  const { kind, namespace } = call.route;
  if (kind.namespaced && namespace === undefined) throw StatusError.verbNotAllowed();
  const body = readBody(world, call, "CreateOptions");
  const review = performAccessReview(world, call.user, kind, body, managerOf(call));
  return { status: 201, body: review ?? createObject(world, kind, namespace, body, optionsOf(call)) };
}

function put(world: Simulation, call: ApiVerbRequest): ApiVerbResponse {
  const { route } = call, body = readBody(world, call, "UpdateOptions");
  requireMatchingName(body, route);
  const live = find(world, route);
  if (route.kind.custom && !body.metadata.resourceVersion) {
    const missing = cause.invalidFormatted("metadata.resourceVersion", "0x0: must be specified for an update");
    throw StatusError.invalid(route.kind, route.name!, [missing]);
  }
  return ok(replaceObject(world, live, body, optionsOf(call)));
}

function patch(world: Simulation, call: ApiVerbRequest): ApiVerbResponse {
  const type = call.contentType.split(";")[0]!.trim();
  if (type === "application/apply-patch+yaml") return apply(world, call);
  if (type !== "application/json-patch+json" && type !== "application/merge-patch+json") {
    throw new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  }
  const { route } = call;
  validatePatchOptions(call.query, false);
  const change = parsePatchBody(call.text, type.startsWith("application/json-patch"));
  const live = find(world, route);
  const patched = (object: Json): Json =>
    type.startsWith("application/json-patch") ? applyJsonPatch(object, change) : applyMergePatch(object, change);
  if (route.subresource === "scale" && route.kind.scale) {
    return ok(patchScale(world, live, patched(readScale(live)), optionsOf(call)));
  }
  const body = parseObjectBody(patched(live), route.kind, world.schema, validationOf(call.query), call.warn, true);
  requireMatchingName(body, route);
  if (body.metadata.uid !== undefined && body.metadata.uid !== live.metadata.uid) {
    throw StatusError.invalid(route.kind, route.name!, [
      cause.invalid("metadata.uid", body.metadata.uid, "field is immutable"),
    ]);
  }
  return ok(replaceObject(world, live, body, optionsOf(call)));
}

function apply(world: Simulation, call: ApiVerbRequest): ApiVerbResponse {
  const { route, query } = call;
  validatePatchOptions(query, true);
  const manager = query.get("fieldManager")!;
  const config = parseAppliedBody(
    parseJsonBody(call.text, route.kind.kind, true),
    route.kind,
    world.schema,
    route.namespace,
  );
  requireMatchingName(config, route);
  const live = world.store.get(route.kind.kind, route.namespace, route.name!) ?? null;
  const type = world.schema.of(route.kind.kind);
  const options = { force: query.get("force") === "true", time: world.timers.stamp() };
  const { object, managed } = applyServerSide(live, config, type, manager, options);
  const write: WriteOptions = { ...optionsOf(call), manager, applied: true, managed };
  if (!live) {
    if (config.metadata?.uid) {
      const why =
        `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`;
      throw StatusError.conflict(route.kind, route.name!, why);
    }
    return { status: 201, body: createObject(world, route.kind, route.namespace, object, write) };
  }
  const fitting = omitEmptyFields(pruneToSchema(object, type).value, type, route.kind);
  return ok(replaceObject(world, live, fitting, write));
}

function find(world: Simulation, route: ApiRoute): StoredObject {
  const live = world.store.get(route.kind.kind, route.namespace, route.name!);
  if (!live) throw StatusError.notFound(route.kind, route.name!);
  return live;
}

function optionsOf(call: ApiVerbRequest): WriteOptions {
  const { subresource } = call.route;
  const isSupported = subresource === "status"
    ? call.route.kind.status
    : subresource === "scale" || subresource === "finalize";
  if (subresource !== undefined && !isSupported) throw StatusError.resourceNotFound();
  return {
    manager: managerOf(call),
    dryRun: call.query.getAll("dryRun").includes("All"),
    warn: call.warn,
    user: call.user,
    ...(subresource === "status" ? { subresource } : {}),
  };
}

function managerOf(call: ApiVerbRequest): string {
  return call.query.get("fieldManager") || call.agent;
}

function validationOf(query: URLSearchParams): FieldValidation {
  return (query.get("fieldValidation") || "Warn") as FieldValidation; // validateWriteOptions has checked the value
}

function requireMatchingName(body: Json, { name, namespace }: ApiRoute): void {
  const bodyName = body.metadata?.name;
  if (!bodyName) {
    throw StatusError.badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (bodyName !== name) {
    throw StatusError.badRequest(`the name of the object (${bodyName}) does not match the name on the URL (${name})`);
  }
  if (body.metadata?.namespace !== undefined && body.metadata.namespace !== namespace) {
    throw StatusError.badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
}

function success(route: ApiRoute, object: StoredObject): Json {
  const { kind } = route;
  const details = { ...createStatusDetails(kind, object.metadata.name), uid: object.metadata.uid };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}

function ok(body: Json): ApiVerbResponse {
  return { status: 200, body };
}
