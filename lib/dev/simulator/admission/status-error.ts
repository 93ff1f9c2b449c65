/** Creates the API server's error responses and their causes, in the real server's words. */
import { type ApiKind, qualified, resource } from "#lib/dev/simulator/store/kinds.ts";
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** An error response: the HTTP status, the `Status` body and extra headers. */
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

export function notFound(kind: ApiKind, name: string): Refusal {
  return new Refusal(404, "NotFound", `${resource(kind)} "${name}" not found`, detailsOf(kind, name));
}

export function alreadyExists(kind: ApiKind, name: string): Refusal {
  return new Refusal(409, "AlreadyExists", `${resource(kind)} "${name}" already exists`, detailsOf(kind, name));
}

export function conflict(kind: ApiKind, name: string, why: string): Refusal {
  const message = `Operation cannot be fulfilled on ${resource(kind)} "${name}": ${why}`;
  return new Refusal(409, "Conflict", message, detailsOf(kind, name));
}

export const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";

export function forbidden(kind: ApiKind, name: string, why: string, causes?: readonly Cause[]): Refusal {
  const details = { ...detailsOf(kind, name), ...(causes ? { causes } : {}) };
  return new Refusal(403, "Forbidden", `${resource(kind)} "${name}" is forbidden: ${why}`, details);
}

/** Returns a 422 error with one cause for each invalid field. The message lists all of them. */
export function invalid(kind: ApiKind, name: string, causes: readonly Cause[]): Refusal {
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

export function detailsOf(kind: ApiKind, name: string): Json {
  return { name, ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.plural };
}

/** Returns all causes in order. Skips false, empty and missing values. */
export function all(...found: readonly (Cause | readonly Cause[] | false | "" | 0 | null | undefined)[]): Cause[] {
  return found.flatMap((each) => each || []);
}

export function wrongValue(field: string, value: Json, why: string): Cause {
  return cause(
    "Invalid",
    field,
    `Invalid value: ${typeof value === "string" ? JSON.stringify(value) : goValue(value)}: ${why}`,
  );
}

/** Returns a cause in the form of a CRD's own rules: without a value, or with the value as Go prints it. */
export function invalidAs(field: string, said: string): Cause {
  return cause("Invalid", field, `Invalid value: ${said}`);
}

export function required(field: string, why = ""): Cause {
  return cause("Required", field, why === "" ? "Required value" : `Required value: ${why}`);
}

export function forbiddenField(field: string, why: string): Cause {
  return cause("Forbidden", field, `Forbidden: ${why}`);
}

export function unsupported(field: string, value: Json, known: readonly string[]): Cause {
  const choices = known.map((choice) => JSON.stringify(choice)).join(", ");
  return cause("NotSupported", field, `Unsupported value: ${JSON.stringify(value)}: supported values: ${choices}`);
}

export function tooLong(field: string, most: number): Cause {
  return cause("TooLong", field, `Too long: may not be more than ${most} bytes`);
}

export function duplicate(field: string, value: Json): Cause {
  return cause("Duplicate", field, `Duplicate value: ${JSON.stringify(value)}`);
}

export function missingCause(field: string, value: string): Cause {
  return cause("NotFound", field, `Not found: ${JSON.stringify(value)}`);
}

/** Returns one cause for each reason in `whys`. */
export function wrong(field: string, value: Json, whys: readonly string[]): Cause[] {
  return whys.map((why) => wrongValue(field, value, why));
}

export function outside(field: string, value: number, least: number, most: number): Cause[] {
  return all(
    (value < least || value > most) && wrongValue(field, value, `must be between ${least} and ${most}, inclusive`),
  );
}

/** Returns every item whose key occurred earlier in the list, with its index. */
export function repeated<T>(items: readonly T[], keyOf: (item: T) => string | undefined): { item: T; at: number }[] {
  const keys = items.map(keyOf);
  return items.map((item, at) => ({ item, at })).filter(({ at }) => keys[at] && keys.indexOf(keys[at]) < at);
}

function cause(what: string, field: string, message: string): Cause {
  return { reason: `FieldValue${what}`, message, field };
}

/** Formats a value as Go prints it: a map of strings with its type, any other value as JSON. */
function goValue(value: Json): string {
  const texts = isRecord(value) && Object.values(value).every((inner) => typeof inner === "string");
  if (!texts) return JSON.stringify(value) ?? "null";
  const entries = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(value[name])}`);
  return `map[string]string{${entries.join(", ")}}`;
}
