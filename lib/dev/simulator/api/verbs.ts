/** Performs each HTTP method on the resource that the URL names. */
import type { ServerResponse } from "node:http";
import { applyTo } from "#lib/dev/simulator/admission/apply.ts";
import { normalise, readApplied, readJson, readObject, readPatch } from "#lib/dev/simulator/api/body.ts";
import {
  refuseOptions,
  refusePatchOptions,
  refuseUnacceptable,
  refuseUnreadable,
  type Validation,
} from "#lib/dev/simulator/api/options.ts";
import { itemOf, listObjects, readSelection } from "#lib/dev/simulator/api/list.ts";
import { sendLog } from "#lib/dev/simulator/api/log.ts";
import { answerReview, refuseForbidden } from "#lib/dev/simulator/api/reviews.ts";
import { refusePolicies } from "#lib/dev/simulator/access/policies.ts";
import type { SimulatedUser } from "#lib/dev/simulator/access/users.ts";
import type { ApiRoute } from "#lib/dev/simulator/api/route.ts";
import { patchScale, readScale } from "#lib/dev/simulator/api/scale.ts";
import { watchObjects } from "#lib/dev/simulator/api/watch.ts";
import { deleteObject, readDeleteOptions } from "#lib/dev/simulator/admission/deletion.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { jsonPatch, mergePatch } from "#lib/dev/simulator/api/patch.ts";
import {
  badRequest,
  conflict,
  detailsOf,
  invalid,
  invalidAs,
  notFound,
  Refusal,
  wrongValue,
} from "#lib/dev/simulator/admission/status-error.ts";
import { fitField } from "#lib/dev/simulator/admission/schema/fields.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { createObject, replaceObject, type WriteOptions } from "#lib/dev/simulator/admission/writes.ts";

export interface VerbCall {
  readonly method: string;
  readonly route: ApiRoute;
  readonly user: SimulatedUser;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly accept: string | undefined;
  readonly text: string;
  /** The first word of the user agent. It is the manager of a write without a field manager. */
  readonly agent: string;
  readonly warn: (text: string) => void;
  readonly response: ServerResponse;
}

/** Kinds whose deletion returns the deleted object instead of a Status. */
const SHOWN = new Set("PersistentVolume PersistentVolumeClaim Pod ResourceQuota Service ServiceAccount".split(" "));
const ORPHANS =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or " +
  "set propagationPolicy=Orphan to suppress this warning";

/** The status and body of a response, or undefined if the verb streams its own response. */
export type VerbAnswer = { readonly status: number; readonly body: Json } | undefined;

export function performVerb(world: World, asked: VerbCall): VerbAnswer {
  const { method, route, query } = asked;
  if (route.subresource !== "log") refuseUnacceptable(asked.accept);
  refuseForbidden(world, asked.user, method, route, query);
  if (method === "GET") return route.name === undefined ? readMany(world, asked) : readOne(world, asked);
  if (method === "POST" && route.name === undefined) return create(world, asked);
  if (method === "PUT" && route.name !== undefined) return put(world, asked);
  if (method === "PATCH" && route.name !== undefined) return patch(world, asked);
  if (method === "DELETE") return route.name === undefined ? removeMany(world, asked) : remove(world, asked);
  throw notAllowed();
}

function remove(world: World, { route, user, query, text, warn }: VerbCall): VerbAnswer {
  const body = text === "" ? null : readJson(text, "DeleteOptions", false);
  const options = readDeleteOptions(query, body);
  const live = find(world, route);
  refusePolicies(world, { user, operation: "DELETE", object: null, oldObject: live });
  const { object, gone } = deleteObject(world, live, options);
  const policy = body ? body.propagationPolicy ?? null : query.get("propagationPolicy");
  if (route.kind.kind === "Job" && policy === null) warn(ORPHANS);
  return ok(gone && !SHOWN.has(route.kind.kind) ? success(route, object) : object);
}

function removeMany(world: World, { route: { kind, namespace }, query }: VerbCall): VerbAnswer {
  if (kind.kind === "Namespace" || kind.namespaced && namespace === undefined) throw notAllowed();
  const all = world.store.list(kind.kind, namespace).filter(readSelection(kind, query));
  for (const object of all) deleteObject(world, object, readDeleteOptions(query, null));
  const metadata = { resourceVersion: String(world.store.version()) };
  const items = all.map((object) => itemOf(kind, object));
  return ok({ kind: `${kind.kind}List`, apiVersion: kind.apiVersion, metadata, items });
}

function readMany(world: World, { route, query, accept, response }: VerbCall): VerbAnswer {
  if (query.get("watch") !== "1" && query.get("watch") !== "true") {
    return ok(listObjects(world, route.kind, route.namespace, query, accept));
  }
  return void watchObjects(world, route.kind, route.namespace, query, response);
}

function readOne(world: World, { route, query, response }: VerbCall): VerbAnswer {
  if (route.subresource === "status" && !route.kind.status) throw notHere();
  const live = find(world, route);
  if (route.subresource === "log" && route.kind.kind === "Pod") return void sendLog(world, live, query, response);
  if (route.subresource === "scale" && route.kind.scale) return ok(readScale(live));
  if (route.subresource !== undefined && route.subresource !== "status") throw notHere();
  return ok(live);
}

function readBody(world: World, asked: VerbCall, options: "CreateOptions" | "UpdateOptions"): Json {
  const { route: { kind }, query, contentType, text, warn } = asked;
  refuseUnreadable(contentType);
  refuseOptions(options, query);
  return readObject(
    readJson(text, kind.kind, contentType.includes("yaml")),
    kind,
    world.schema,
    validationOf(query),
    warn,
  );
}

function create(world: World, asked: VerbCall): VerbAnswer {
  const { kind, namespace } = asked.route;
  if (kind.namespaced && namespace === undefined) throw notAllowed();
  const body = readBody(world, asked, "CreateOptions");
  const review = answerReview(world, asked.user, kind, body, managerOf(asked));
  return { status: 201, body: review ?? createObject(world, kind, namespace, body, optionsOf(asked)) };
}

function put(world: World, asked: VerbCall): VerbAnswer {
  const { route } = asked, body = readBody(world, asked, "UpdateOptions");
  refuseOtherName(body, route);
  const live = find(world, route);
  if (route.kind.custom && !body.metadata.resourceVersion) {
    const cause = invalidAs("metadata.resourceVersion", "0x0: must be specified for an update");
    throw invalid(route.kind, route.name!, [cause]);
  }
  return ok(replaceObject(world, live, body, optionsOf(asked)));
}

function patch(world: World, asked: VerbCall): VerbAnswer {
  const type = asked.contentType.split(";")[0]!.trim();
  if (type === "application/apply-patch+yaml") return apply(world, asked);
  if (type !== "application/json-patch+json" && type !== "application/merge-patch+json") {
    throw new Refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  }
  const { route } = asked;
  refusePatchOptions(asked.query, false);
  const change = readPatch(asked.text, type.startsWith("application/json-patch"));
  const live = find(world, route);
  const patched = (object: Json): Json =>
    type.startsWith("application/json-patch") ? jsonPatch(object, change) : mergePatch(object, change);
  if (route.subresource === "scale" && route.kind.scale) {
    return ok(patchScale(world, live, patched(readScale(live)), optionsOf(asked)));
  }
  const body = readObject(patched(live), route.kind, world.schema, validationOf(asked.query), asked.warn, true);
  refuseOtherName(body, route);
  if (body.metadata.uid !== undefined && body.metadata.uid !== live.metadata.uid) {
    throw invalid(route.kind, route.name!, [wrongValue("metadata.uid", body.metadata.uid, "field is immutable")]);
  }
  return ok(replaceObject(world, live, body, optionsOf(asked)));
}

function apply(world: World, asked: VerbCall): VerbAnswer {
  const { route, query } = asked;
  refusePatchOptions(query, true);
  const manager = query.get("fieldManager")!;
  const config = readApplied(readJson(asked.text, route.kind.kind, true), route.kind, world.schema, route.namespace);
  refuseOtherName(config, route);
  const live = world.store.get(route.kind.kind, route.namespace, route.name!) ?? null;
  const type = world.schema.of(route.kind.kind);
  const options = { force: query.get("force") === "true", time: world.timers.stamp() };
  const { object, managed } = applyTo(live, config, type, manager, options);
  const write: WriteOptions = { ...optionsOf(asked), manager, applied: true, managed };
  if (!live) {
    if (config.metadata?.uid) {
      const why =
        `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`;
      throw conflict(route.kind, route.name!, why);
    }
    return { status: 201, body: createObject(world, route.kind, route.namespace, object, write) };
  }
  const fitting = normalise(fitField(object, type).value, type, route.kind);
  return ok(replaceObject(world, live, fitting, write));
}

function find(world: World, route: ApiRoute): StoredObject {
  const live = world.store.get(route.kind.kind, route.namespace, route.name!);
  if (!live) throw notFound(route.kind, route.name!);
  return live;
}

function optionsOf(asked: VerbCall): WriteOptions {
  const { subresource } = asked.route;
  const known = subresource === "status"
    ? asked.route.kind.status
    : subresource === "scale" || subresource === "finalize";
  if (subresource !== undefined && !known) throw notHere();
  return {
    manager: managerOf(asked),
    dryRun: asked.query.getAll("dryRun").includes("All"),
    warn: asked.warn,
    user: asked.user,
    ...(subresource === "status" ? { subresource } : {}),
  };
}

function managerOf(asked: VerbCall): string {
  return asked.query.get("fieldManager") || asked.agent;
}

function validationOf(query: URLSearchParams): Validation {
  return (query.get("fieldValidation") || "Warn") as Validation; // already checked
}

function refuseOtherName(body: Json, { name, namespace }: ApiRoute): void {
  const given = body.metadata?.name;
  if (!given) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  if (body.metadata?.namespace !== undefined && body.metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

function success(route: ApiRoute, object: StoredObject): Json {
  const { kind } = route;
  const details = { ...detailsOf(kind, object.metadata.name), uid: object.metadata.uid };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}

function ok(body: Json): VerbAnswer {
  return { status: 200, body };
}

function notAllowed(): Refusal {
  const message = "the server does not allow this method on the requested resource";
  return new Refusal(405, "MethodNotAllowed", message, {});
}

export function notHere(): Refusal {
  return new Refusal(404, "NotFound", "the server could not find the requested resource", {});
}
