/** Creates error responses and lists their causes, with the same messages as the API server. */
import { type ApiKind, formatKindName, formatResourceName } from "#lib/dev/simulator/store/kinds.ts";
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";

export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** An error response: the HTTP status, the body (a `Status` object) and extra headers. */
export class StatusError extends Error {
  readonly status: number;
  readonly reason: string | undefined;
  readonly details: Json;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, reason: string | undefined, message: string, details?: Json, headers = {}) {
    super(message);
    this.name = "StatusError";
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

export function badRequestError(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

export function notFoundError(kind: ApiKind, name: string): StatusError {
  return new StatusError(
    404,
    "NotFound",
    `${formatResourceName(kind)} "${name}" not found`,
    createStatusDetails(kind, name),
  );
}

export function alreadyExistsError(kind: ApiKind, name: string): StatusError {
  return new StatusError(
    409,
    "AlreadyExists",
    `${formatResourceName(kind)} "${name}" already exists`,
    createStatusDetails(kind, name),
  );
}

export function conflictError(kind: ApiKind, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${formatResourceName(kind)} "${name}": ${why}`;
  return new StatusError(409, "Conflict", message, createStatusDetails(kind, name));
}

export const OBJECT_MODIFIED_MESSAGE =
  "the object has been modified; please apply your changes to the latest version and try again";

export function forbiddenError(kind: ApiKind, name: string, why: string, causes?: readonly StatusCause[]): StatusError {
  const details = { ...createStatusDetails(kind, name), ...(causes ? { causes } : {}) };
  return new StatusError(403, "Forbidden", `${formatResourceName(kind)} "${name}" is forbidden: ${why}`, details);
}

export function verbNotAllowedError(): StatusError {
  const message = "the server does not allow this method on the requested resource";
  return new StatusError(405, "MethodNotAllowed", message, {});
}

export function resourceNotFoundError(): StatusError {
  return new StatusError(404, "NotFound", "the server could not find the requested resource", {});
}

/** Returns a 422 error with one cause per invalid field. Its message lists all causes. */
export function invalidObjectError(kind: ApiKind, name: string, causes: readonly StatusCause[]): StatusError {
  const details = {
    ...(name === "" ? {} : { name }),
    ...(kind.group === "" ? {} : { group: kind.group }),
    kind: kind.kind,
    causes,
  };
  return new StatusError(
    422,
    "Invalid",
    `${formatKindName(kind)} "${name}" is invalid: ${formatStatusCauses(causes)}`,
    details,
  );
}

export function formatStatusCauses(causes: readonly StatusCause[]): string {
  const text = causes.map((cause) => `${cause.field}: ${cause.message}`);
  return text.length === 1 ? text[0]! : `[${text.join(", ")}]`;
}

export function createStatusDetails(kind: ApiKind, name: string): Json {
  return { name, ...(kind.group === "" ? {} : { group: kind.group }), kind: kind.plural };
}

/** Collects all causes into one list, in order. Skips arguments that are false, empty or missing. */
export function collectCauses(
  ...found: readonly (StatusCause | readonly StatusCause[] | false | "" | 0 | null | undefined)[]
): StatusCause[] {
  return found.flatMap((each) => each || []);
}

export function invalidValue(field: string, value: Json, why: string): StatusCause {
  return cause(
    "Invalid",
    field,
    `Invalid value: ${typeof value === "string" ? JSON.stringify(value) : goValue(value)}: ${why}`,
  );
}

/** Returns the cause for an invalid value. `text` is the value with the reason, formatted by the caller. */
export function invalidFormattedValue(field: string, text: string): StatusCause {
  return cause("Invalid", field, `Invalid value: ${text}`);
}

export function requiredValue(field: string, why = ""): StatusCause {
  return cause("Required", field, why === "" ? "Required value" : `Required value: ${why}`);
}

export function forbiddenField(field: string, why: string): StatusCause {
  return cause("Forbidden", field, `Forbidden: ${why}`);
}

export function unsupportedValue(field: string, value: Json, supported: readonly string[]): StatusCause {
  const choices = supported.map((choice) => JSON.stringify(choice)).join(", ");
  return cause("NotSupported", field, `Unsupported value: ${JSON.stringify(value)}: supported values: ${choices}`);
}

export function tooLongValue(field: string, most: number): StatusCause {
  return cause("TooLong", field, `Too long: may not be more than ${most} bytes`);
}

export function duplicateValue(field: string, value: Json): StatusCause {
  return cause("Duplicate", field, `Duplicate value: ${JSON.stringify(value)}`);
}

export function notFoundValue(field: string, value: string): StatusCause {
  return cause("NotFound", field, `Not found: ${JSON.stringify(value)}`);
}

/** Returns one cause per message in `whys`, all for the same field and value. */
export function invalidValues(field: string, value: Json, whys: readonly string[]): StatusCause[] {
  return whys.map((why) => invalidValue(field, value, why));
}

export function checkNumberRange(field: string, value: number, least: number, most: number): StatusCause[] {
  return collectCauses(
    (value < least || value > most) && invalidValue(field, value, `must be between ${least} and ${most}, inclusive`),
  );
}

/** Returns the items whose key also occurs earlier in the list, with their indexes. */
export function findDuplicates<T>(
  items: readonly T[],
  keyOf: (item: T) => string | undefined,
): { item: T; at: number }[] {
  const keys = items.map(keyOf);
  return items.map((item, at) => ({ item, at })).filter(({ at }) => keys[at] && keys.indexOf(keys[at]) < at);
}

function cause(what: string, field: string, message: string): StatusCause {
  return { reason: `FieldValue${what}`, message, field };
}

/** Formats a value for a message: a map of strings as Go prints it, any other value as JSON. */
function goValue(value: Json): string {
  const texts = isRecord(value) && Object.values(value).every((inner) => typeof inner === "string");
  if (!texts) return JSON.stringify(value) ?? "null";
  const entries = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(value[name])}`);
  return `map[string]string{${entries.join(", ")}}`;
}
