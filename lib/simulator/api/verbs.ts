/** Verbs: what each method does to what a URL names. */
import type { ServerResponse } from "node:http";
import { applyTo } from "#lib/simulator/apply.ts";
import { normalise, readApplied, readJson, readObject, type Validation } from "#lib/simulator/api/body.ts";
import { itemOf, listObjects, readSelection } from "#lib/simulator/api/list.ts";
import { sendLog } from "#lib/simulator/api/log.ts";
import type { Route } from "#lib/simulator/api/route.ts";
import { patchScale, readScale } from "#lib/simulator/api/scale.ts";
import { watchObjects } from "#lib/simulator/api/watch.ts";
import { deleteObject, readDeleteOptions } from "#lib/simulator/deletion.ts";
import { type Json, type KubeObject, timestamp } from "#lib/simulator/object.ts";
import { jsonPatch, mergePatch } from "#lib/simulator/patch.ts";
import { badRequest, conflict, invalid, notFound, Refusal, required } from "#lib/simulator/refusal.ts";
import { fit } from "#lib/simulator/schema/fields.ts";
import type { World } from "#lib/simulator/world.ts";
import { createObject, replaceObject, type WriteOptions } from "#lib/simulator/writes.ts";

export interface Asked {
  readonly method: string;
  readonly route: Route;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly text: string;
  /** The first word of the user agent: who a write without a field manager is by. */
  readonly agent: string;
  readonly warn: (text: string) => void;
  readonly response: ServerResponse;
}

/** Status and body, or undefined where the verb answers by itself, piece by piece. */
export type Answer = { readonly status: number; readonly body: Json } | undefined;

export function perform(world: World, asked: Asked): Answer {
  const { method, route, query } = asked;
  if (method === "GET") return route.name === undefined ? readMany(world, asked) : readOne(world, asked);
  if (method === "POST" && route.name === undefined) return create(world, asked);
  if (method === "PUT" && route.name !== undefined) return put(world, asked);
  if (method === "PATCH" && route.name !== undefined) return patch(world, asked);
  if (method === "DELETE" && route.name !== undefined) {
    const body = asked.text === "" ? {} : readJson(asked.text, "DeleteOptions", false);
    const live = find(world, route);
    const { object, gone } = deleteObject(world, route.kind, live, readDeleteOptions(query, body));
    if (route.kind.kind === "Job" && !query.has("propagationPolicy") && body.propagationPolicy === undefined) {
      asked.warn(
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or " +
          "set propagationPolicy=Orphan to suppress this warning",
      );
    }
    return ok(gone ? success(route, object) : object);
  }
  if (method === "DELETE") {
    const selected = readSelection(query);
    const all = world.store.list(route.kind, route.namespace).filter(selected);
    for (const object of all) deleteObject(world, route.kind, object, readDeleteOptions(query, {}));
    return ok({
      kind: `${route.kind.kind}List`,
      apiVersion: route.kind.apiVersion,
      metadata: { resourceVersion: String(world.store.version()) },
      items: all.map((object) => itemOf(route.kind, object)),
    });
  }
  throw new Refusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

function readMany(world: World, { route, query, response }: Asked): Answer {
  if (query.get("watch") !== "1" && query.get("watch") !== "true") {
    return ok(listObjects(world, route.kind, route.namespace, query));
  }
  return void watchObjects(world, route.kind, route.namespace, query, response);
}

function readOne(world: World, { route, query, response }: Asked): Answer {
  const live = find(world, route);
  if (route.subresource === "log" && route.kind.kind === "Pod") return void sendLog(world, live, query, response);
  if (route.subresource === "scale" && route.kind.scale) return ok(readScale(live));
  if (route.subresource !== undefined && route.subresource !== "status") throw notHere();
  return ok(live);
}

function create(world: World, asked: Asked): Answer {
  const { route, query } = asked;
  if (route.kind.namespaced && route.namespace === undefined) {
    throw new Refusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
  }
  const json = readJson(asked.text, route.kind.kind, asked.contentType.includes("yaml"));
  const body = readObject(json, route.kind, world.schema, validationOf(query), asked.warn);
  if (route.kind.kind === "SelfSubjectAccessReview") {
    const time = timestamp(world.timers.now());
    const entry = {
      manager: managerOf(asked),
      operation: "Update",
      apiVersion: route.kind.apiVersion,
      time,
      fieldsType: "FieldsV1",
    };
    const metadata = { creationTimestamp: null, managedFields: [entry] };
    return {
      status: 201,
      body: { ...body, apiVersion: route.kind.apiVersion, kind: route.kind.kind, metadata, status: { allowed: true } },
    };
  }
  return { status: 201, body: createObject(world, route.kind, route.namespace, body, optionsOf(asked)) };
}

function put(world: World, asked: Asked): Answer {
  const { route, query } = asked;
  const json = readJson(asked.text, route.kind.kind, asked.contentType.includes("yaml"));
  const body = readObject(json, route.kind, world.schema, validationOf(query), asked.warn);
  refuseOtherName(body, route);
  const live = find(world, route);
  if (route.kind.custom && !body.metadata.resourceVersion) {
    throw invalid(route.kind, route.name!, [{
      reason: "FieldValueInvalid",
      message: "Invalid value: 0x0: must be specified for an update",
      field: "metadata.resourceVersion",
    }]);
  }
  return ok(replaceObject(world, route.kind, live, body, optionsOf(asked)));
}

function patch(world: World, asked: Asked): Answer {
  const type = asked.contentType.split(";")[0]!.trim();
  if (type === "application/apply-patch+yaml") return apply(world, asked);
  if (type !== "application/json-patch+json" && type !== "application/merge-patch+json") {
    throw new Refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  }
  const { route } = asked;
  const live = find(world, route);
  const change = readJson(asked.text, route.kind.kind, false);
  const patched = (object: Json): Json =>
    type.startsWith("application/json-patch") ? jsonPatch(object, change) : mergePatch(object, change);
  if (route.subresource === "scale" && route.kind.scale) {
    return ok(patchScale(world, route.kind, live, patched(readScale(live)), optionsOf(asked)));
  }
  const body = readObject(patched(live), route.kind, world.schema, validationOf(asked.query), asked.warn);
  return ok(replaceObject(world, route.kind, live, body, optionsOf(asked)));
}

function apply(world: World, asked: Asked): Answer {
  const { route, query } = asked;
  const manager = query.get("fieldManager");
  if (!manager) {
    const causes = [required("fieldManager", "is required for apply patch")];
    const message = `PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch`;
    throw new Refusal(422, "Invalid", message, { group: "meta.k8s.io", kind: "PatchOptions", causes });
  }
  const config = readApplied(readJson(asked.text, route.kind.kind, true), route.kind, world.schema, route.namespace);
  refuseOtherName(config, route);
  const live = world.store.get(route.kind, route.namespace, route.name!) ?? null;
  const type = world.schema.of(route.kind.kind);
  const options = { force: query.get("force") === "true", time: timestamp(world.timers.now()) };
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
  const fitting = normalise(fit(object, type).value, type, route.kind);
  return ok(replaceObject(world, route.kind, live, fitting, write));
}

function find(world: World, route: Route): KubeObject {
  const live = world.store.get(route.kind, route.namespace, route.name!);
  if (!live) throw notFound(route.kind, route.name!);
  return live;
}

function optionsOf(asked: Asked): WriteOptions {
  const { subresource } = asked.route;
  if (subresource !== undefined && subresource !== "status" && subresource !== "scale" && subresource !== "finalize") {
    throw notHere();
  }
  return {
    manager: managerOf(asked),
    dryRun: asked.query.getAll("dryRun").includes("All"),
    warn: asked.warn,
    ...(subresource === "status" ? { subresource } : {}),
  };
}

function managerOf(asked: Asked): string {
  return asked.query.get("fieldManager") || asked.agent;
}

function validationOf(query: URLSearchParams): Validation {
  const asked = query.get("fieldValidation") ?? "Warn";
  if (asked !== "Ignore" && asked !== "Warn" && asked !== "Strict") {
    throw badRequest(`fieldValidation: Unsupported value: "${asked}"`);
  }
  return asked;
}

function refuseOtherName(body: Json, { name, namespace }: Route): void {
  const given = body.metadata?.name;
  if (given !== undefined && given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  if (body.metadata?.namespace !== undefined && body.metadata.namespace !== namespace) {
    throw badRequest(
      `the namespace of the provided object does not match the namespace sent on the request`,
    );
  }
}

function success(route: Route, object: KubeObject): Json {
  const { kind } = route;
  const details = {
    name: object.metadata.name,
    ...(kind.group === "" ? {} : { group: kind.group }),
    kind: kind.plural,
    uid: object.metadata.uid,
  };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}

function ok(body: Json): Answer {
  return { status: 200, body };
}

function notHere(): Refusal {
  return new Refusal(404, "NotFound", "the server could not find the requested resource", {});
}
