/** Reads the parts of an API request that several verbs need. */
import type { ServerResponse } from "node:http";
import type { FieldValidation } from "#lib/dev/simulator/api/options.ts";
import type { SimulatedUser } from "#lib/dev/simulator/access/rbac.ts";
import type { ApiRoute } from "#lib/dev/simulator/api/route.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import type { WriteOptions } from "#lib/dev/simulator/admission/writes.ts";

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

/** A response's status and body, or undefined if the verb streams its own response. */
export type ApiVerbResponse = { readonly status: number; readonly body: Json } | undefined;

export function findRequestedObject(world: Simulation, route: ApiRoute): StoredObject {
  const live = world.store.get(route.kind.kind, route.namespace, route.name!);
  if (!live) throw StatusError.notFound(route.kind, route.name!);
  return live;
}

export function writeOptionsOf(call: ApiVerbRequest): WriteOptions {
  const { subresource } = call.route;
  const isSupported = subresource === "status"
    ? call.route.kind.status
    : subresource === "scale" || subresource === "finalize";
  if (subresource !== undefined && !isSupported) throw StatusError.resourceNotFound();
  return {
    manager: fieldManagerOf(call),
    dryRun: call.query.getAll("dryRun").includes("All"),
    warn: call.warn,
    user: call.user,
    ...(subresource === "status" ? { subresource } : {}),
  };
}

export function fieldManagerOf(call: ApiVerbRequest): string {
  return call.query.get("fieldManager") || call.agent;
}

export function fieldValidationOf(query: URLSearchParams): FieldValidation {
  return (query.get("fieldValidation") || "Warn") as FieldValidation; // validateWriteOptions has checked the value
}

export function requireMatchingName(body: Json, { name, namespace }: ApiRoute): void {
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

export function okResponse(body: Json): ApiVerbResponse {
  return { status: 200, body };
}
