/** Performs API requests: applies the HTTP method to the resource that the URL names. */
import { applyServerSide } from "#lib/dev/simulator/admission/apply.ts";
import {
  omitEmptyFields,
  parseAppliedBody,
  parseJsonBody,
  parseObjectBody,
  parsePatchBody,
} from "#lib/dev/simulator/api/body.ts";
import {
  requireJsonAccepted,
  requireJsonOrYaml,
  validatePatchOptions,
  validateWriteOptions,
} from "#lib/dev/simulator/api/options.ts";
import { listObjects } from "#lib/dev/simulator/api/list.ts";
import { sendPodLog, streamObjectChanges } from "#lib/dev/simulator/api/streams.ts";
import { performAccessReview, requirePermission } from "#lib/dev/simulator/api/reviews.ts";
import { applyJsonPatch, applyMergePatch, patchScale, readScale } from "#lib/dev/simulator/api/patch.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { cause, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { pruneToSchema } from "#lib/dev/simulator/admission/schema/fields.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { createObject, replaceObject, type WriteOptions } from "#lib/dev/simulator/admission/writes.ts";
import {
  type ApiVerbRequest,
  type ApiVerbResponse,
  fieldManagerOf,
  fieldValidationOf,
  findRequestedObject,
  okResponse,
  requireMatchingName,
  writeOptionsOf,
} from "#lib/dev/simulator/api/verb-request.ts";
import { deleteRequestedObject, deleteRequestedObjects } from "#lib/dev/simulator/api/delete-verbs.ts";

export function performApiRequest(world: Simulation, call: ApiVerbRequest): ApiVerbResponse {
  const { method, route, query } = call;
  if (route.subresource !== "log") requireJsonAccepted(call.accept);
  requirePermission(world, call.user, method, route, query);
  if (method === "GET") return route.name === undefined ? readMany(world, call) : readOne(world, call);
  if (method === "POST" && route.name === undefined) return create(world, call);
  if (method === "PUT" && route.name !== undefined) return put(world, call);
  if (method === "PATCH" && route.name !== undefined) return patch(world, call);
  if (method === "DELETE") {
    return route.name === undefined ? deleteRequestedObjects(world, call) : deleteRequestedObject(world, call);
  }
  throw StatusError.verbNotAllowed();
}

function readMany(world: Simulation, { route, query, accept, response }: ApiVerbRequest): ApiVerbResponse {
  if (query.get("watch") !== "1" && query.get("watch") !== "true") {
    return okResponse(listObjects(world, route.kind, route.namespace, query, accept));
  }
  return void streamObjectChanges(world, route.kind, route.namespace, query, response);
}

function readOne(world: Simulation, { route, query, response }: ApiVerbRequest): ApiVerbResponse {
  if (route.subresource === "status" && !route.kind.status) throw StatusError.resourceNotFound();
  const live = findRequestedObject(world, route);
  if (route.subresource === "log" && route.kind.kind === "Pod") return void sendPodLog(world, live, query, response);
  if (route.subresource === "scale" && route.kind.scale) return okResponse(readScale(live));
  if (route.subresource !== undefined && route.subresource !== "status") throw StatusError.resourceNotFound();
  return okResponse(live);
}

function readBody(world: Simulation, call: ApiVerbRequest, options: "CreateOptions" | "UpdateOptions"): Json {
  const { route: { kind }, query, contentType, text, warn } = call;
  requireJsonOrYaml(contentType);
  validateWriteOptions(options, query);
  const body = parseJsonBody(text, kind.kind, contentType.includes("yaml"));
  return parseObjectBody(body, kind, world.schema, fieldValidationOf(query), warn);
}

function create(world: Simulation, call: ApiVerbRequest): ApiVerbResponse {
  const { kind, namespace } = call.route;
  if (kind.namespaced && namespace === undefined) throw StatusError.verbNotAllowed();
  const body = readBody(world, call, "CreateOptions");
  const review = performAccessReview(world, call.user, kind, body, fieldManagerOf(call));
  return { status: 201, body: review ?? createObject(world, kind, namespace, body, writeOptionsOf(call)) };
}

function put(world: Simulation, call: ApiVerbRequest): ApiVerbResponse {
  const { route } = call, body = readBody(world, call, "UpdateOptions");
  requireMatchingName(body, route);
  const live = findRequestedObject(world, route);
  if (route.kind.custom && !body.metadata.resourceVersion) {
    const missing = cause.invalidFormatted("metadata.resourceVersion", "0x0: must be specified for an update");
    throw StatusError.invalid(route.kind, route.name!, [missing]);
  }
  return okResponse(replaceObject(world, live, body, writeOptionsOf(call)));
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
  const live = findRequestedObject(world, route);
  const patched = (object: Json): Json =>
    type.startsWith("application/json-patch") ? applyJsonPatch(object, change) : applyMergePatch(object, change);
  if (route.subresource === "scale" && route.kind.scale) {
    return okResponse(patchScale(world, live, patched(readScale(live)), writeOptionsOf(call)));
  }
  const body = parseObjectBody(patched(live), route.kind, world.schema, fieldValidationOf(call.query), call.warn, true);
  requireMatchingName(body, route);
  if (body.metadata.uid !== undefined && body.metadata.uid !== live.metadata.uid) {
    throw StatusError.invalid(route.kind, route.name!, [
      cause.invalid("metadata.uid", body.metadata.uid, "field is immutable"),
    ]);
  }
  return okResponse(replaceObject(world, live, body, writeOptionsOf(call)));
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
  const write: WriteOptions = { ...writeOptionsOf(call), manager, applied: true, managed };
  if (!live) {
    if (config.metadata?.uid) {
      const why =
        `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`;
      throw StatusError.conflict(route.kind, route.name!, why);
    }
    return { status: 201, body: createObject(world, route.kind, route.namespace, object, write) };
  }
  const fitting = omitEmptyFields(pruneToSchema(object, type).value, type, route.kind);
  return okResponse(replaceObject(world, live, fitting, write));
}
