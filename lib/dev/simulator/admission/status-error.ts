/** Creates error responses and lists their causes, with the same messages as the API server. */
import {
  type ApiKind,
  formatKindName,
  formatResourceName,
  isRecord,
  type Json,
} from "#lib/dev/simulator/store/object.ts";

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

  static badRequest(message: string): StatusError {
    return new StatusError(400, "BadRequest", message);
  }

  static notFound(kind: ApiKind, name: string): StatusError {
    const message = `${formatResourceName(kind)} "${name}" not found`;
    return new StatusError(404, "NotFound", message, createStatusDetails(kind, name));
  }

  static conflict(kind: ApiKind, name: string, why: string): StatusError {
    const message = `Operation cannot be fulfilled on ${formatResourceName(kind)} "${name}": ${why}`;
    return new StatusError(409, "Conflict", message, createStatusDetails(kind, name));
  }

  static forbidden(kind: ApiKind, name: string, why: string, causes?: readonly StatusCause[]): StatusError {
    const details = { ...createStatusDetails(kind, name), causes };
    return new StatusError(403, "Forbidden", `${formatResourceName(kind)} "${name}" is forbidden: ${why}`, details);
  }

  static verbNotAllowed(): StatusError {
    const message = "the server does not allow this method on the requested resource";
    return new StatusError(405, "MethodNotAllowed", message, {});
  }

  static resourceNotFound(): StatusError {
    return new StatusError(404, "NotFound", "the server could not find the requested resource", {});
  }

  /** Returns a 422 error with one cause per invalid field. Its message lists all causes. */
  static invalid(kind: ApiKind, name: string, causes: readonly StatusCause[]): StatusError {
    const message = `${formatKindName(kind)} "${name}" is invalid: ${formatStatusCauses(causes)}`;
    return new StatusError(422, "Invalid", message, { ...createStatusDetails(kind, name, kind.kind), causes });
  }

  body(): Json {
    const { status: code, message, reason, details } = this;
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      details,
      code,
    };
  }
}

export const OBJECT_MODIFIED_MESSAGE =
  "the object has been modified; please apply your changes to the latest version and try again";

export function formatStatusCauses(causes: readonly StatusCause[]): string {
  const text = causes.map((cause) => `${cause.field}: ${cause.message}`);
  return text.length === 1 ? text[0]! : `[${text.join(", ")}]`;
}

export function createStatusDetails({ group, plural }: ApiKind, name: string | undefined, kind = plural): Json {
  return { name: name || undefined, group: group || undefined, kind };
}

/** Collects all causes into one list, in order. Skips arguments that are false, empty or missing. */
export function collectCauses(
  ...found: readonly (StatusCause | readonly StatusCause[] | false | "" | 0 | null | undefined)[]
): StatusCause[] {
  return found.flatMap((each) => each || []);
}

/** Functions that create the cause of an error, with the name of the invalid field. */
export const cause = {
  invalid(field: string, value: Json, why: string): StatusCause {
    const formatted = typeof value === "string" ? JSON.stringify(value) : goValue(value);
    return create("Invalid", field, `Invalid value: ${formatted}: ${why}`);
  },
  /** Returns the cause for an invalid value. `text` is the value with the reason, formatted by the caller. */
  invalidFormatted: (field: string, text: string) => create("Invalid", field, `Invalid value: ${text}`),
  /** Returns one cause per message in `whys`, all for the same field and value. */
  invalidAll: (field: string, value: Json, whys: readonly string[]) =>
    whys.map((why) => cause.invalid(field, value, why)),
  required: (field: string, why = "") => create("Required", field, `Required value${why === "" ? "" : `: ${why}`}`),
  forbidden: (field: string, why: string) => create("Forbidden", field, `Forbidden: ${why}`),
  unsupported(field: string, value: Json, supported: readonly string[]): StatusCause {
    const choices = supported.map((choice) => JSON.stringify(choice)).join(", ");
    return create("NotSupported", field, `Unsupported value: ${JSON.stringify(value)}: supported values: ${choices}`);
  },
  tooLong: (field: string, most: number) => create("TooLong", field, `Too long: may not be more than ${most} bytes`),
  duplicate: (field: string, value: Json) => create("Duplicate", field, `Duplicate value: ${JSON.stringify(value)}`),
  notFound: (field: string, value: string) => create("NotFound", field, `Not found: ${JSON.stringify(value)}`),
};

export function checkNumberRange(field: string, value: number, least: number, most: number): StatusCause[] {
  return collectCauses(
    (value < least || value > most) && cause.invalid(field, value, `must be between ${least} and ${most}, inclusive`),
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

function create(what: string, field: string, message: string): StatusCause {
  return { reason: `FieldValue${what}`, message, field };
}

/** Formats a value for a message: a map of strings as Go prints it, any other value as JSON. */
function goValue(value: Json): string {
  const texts = isRecord(value) && Object.values(value).every((inner) => typeof inner === "string");
  if (!texts) return JSON.stringify(value) ?? "null";
  const entries = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(value[name])}`);
  return `map[string]string{${entries.join(", ")}}`;
}
