/** Refusals: what the API server answers when it does not do what was asked, with the wording of the real one. */
import { type Kind, qualified, resource } from "#lib/dev/simulator/kinds.ts";
import type { Json } from "#lib/dev/simulator/object.ts";

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** An answer that is an error: its HTTP status, the `Status` body, and headers that belong to it. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string | undefined;
  readonly details: Json;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, reason: string | undefined, message: string, details?: Json, headers = {}) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.reason = reason;
    this.details = details;
    this.headers = headers;
  }

  body(): Json {
    const { status: code, message, reason, details } = this;
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, "BadRequest", message);
}

export function notFound(kind: Kind, name: string): Refusal {
  return new Refusal(404, "NotFound", `${resource(kind)} "${name}" not found`, detailsOf(kind, name));
}

export function alreadyExists(kind: Kind, name: string): Refusal {
  return new Refusal(409, "AlreadyExists", `${resource(kind)} "${name}" already exists`, detailsOf(kind, name));
}

export function conflict(kind: Kind, name: string, why: string): Refusal {
  const message = `Operation cannot be fulfilled on ${resource(kind)} "${name}": ${why}`;
  return new Refusal(409, "Conflict", message, detailsOf(kind, name));
}

export const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";

export function forbidden(kind: Kind, name: string, why: string, causes?: readonly Cause[]): Refusal {
  const details = { ...detailsOf(kind, name), ...(causes ? { causes } : {}) };
  return new Refusal(403, "Forbidden", `${resource(kind)} "${name}" is forbidden: ${why}`, details);
}

/** 422: one cause a wrong field, all of them in one message. */
export function invalid(kind: Kind, name: string, causes: readonly Cause[]): Refusal {
  const details = {
    ...(name === "" ? {} : { name }),
    ...(kind.group === "" ? {} : { group: kind.group }),
    kind: kind.kind,
    causes,
  };
  return new Refusal(422, "Invalid", `${qualified(kind)} "${name}" is invalid: ${listCauses(causes)}`, details);
}

export function listCauses(causes: readonly Cause[]): string {
  const said = causes.map((cause) => `${cause.field}: ${cause.message}`);
  return said.length === 1 ? said[0]! : `[${said.join(", ")}]`;
}

function detailsOf(kind: Kind, name: string): Json {
  return { name, ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.plural };
}
