/** Parses request bodies into objects of the kind that the URL names. Rejects unknown fields or warns about them. */
import { parse as parseYaml } from "yaml";
import { type ApiKind, isRecord, type Json } from "#lib/dev/simulator/store/object.ts";
import { formatListItemKey } from "#lib/dev/simulator/admission/managed-fields.ts";
import type { FieldValidation } from "#lib/dev/simulator/api/options.ts";
import { cause, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { parseMilliQuantity, QUANTITY_FORMAT_MESSAGE } from "#lib/dev/simulator/admission/quota.ts";
import { requireBase64 } from "#lib/dev/simulator/admission/rules/data.ts";
import {
  type FieldSchema,
  type FieldType,
  pruneToSchema,
  type SchemaViolation,
} from "#lib/dev/simulator/admission/schema/fields.ts";

/** Parses JSON and, if `yaml` is set, also YAML. Throws a 400 error if the text is invalid. */
export function parseJsonBody(text: string, expectedType: string, yaml: boolean): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (yaml) return parseYamlBody(text);
    throw unrecognizedError(expectedType, describeParseError(text, error as Error), text === "" ? "<empty>" : text);
  }
}

/** Parses the body of a patch: a list if `operations` is set, otherwise an object. Throws 400 if it is invalid. */
export function parsePatchBody(text: string, operations: boolean): Json {
  let change: Json;
  try {
    change = JSON.parse(text);
  } catch (error) {
    throw StatusError.badRequest(`error decoding patch: ${describeParseError(text, error as Error)}`);
  }
  const expectedType = operations ? "[]handlers.jsonPatchOp" : "map[string]interface {}";
  if (operations ? !Array.isArray(change) : !isRecord(change)) {
    throw StatusError.badRequest(
      `error decoding patch: json: cannot unmarshal ${goType(change)} into Go value of type ${expectedType}`,
    );
  }
  if (operations && change.length > MAX_PATCH_OPERATIONS) {
    const why = `The allowed maximum operations in a JSON patch is ${MAX_PATCH_OPERATIONS}, got ${change.length}`;
    throw new StatusError(413, "RequestEntityTooLarge", `Request entity too large: ${why}`);
  }
  return change;
}

const MAX_PATCH_OPERATIONS = 10_000;
const GO_HEAD =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function unrecognizedError(expectedType: string, why: string, formattedKey: string): StatusError {
  return StatusError.badRequest(
    `the object provided is unrecognized (must be of type ${expectedType}): couldn't get version/kind; ` +
      `json parse error: ${why} (${formattedKey})`,
  );
}

function describeParseError(text: string, error: Error): string {
  return text.trim() === "" || isCutOff(text) ? "unexpected end of JSON input" : error.message;
}

/** Returns the object in a create or update request. Throws a 400 error if the object's kind or a field is invalid. */
export function parseObjectBody(
  body: Json,
  kind: ApiKind,
  schema: FieldSchema,
  validation: FieldValidation,
  warn: (text: string) => void,
  patched = false,
): Json {
  if (body === null) return {};
  if (!isRecord(body)) {
    const hex = Buffer.from(JSON.stringify(body)).toString("hex");
    throw unrecognizedError(kind.kind, `json: cannot unmarshal ${goType(body)} into Go value of type ${GO_HEAD}`, hex);
  }
  const [apiVersion, name] = [body.apiVersion ?? kind.apiVersion, body.kind ?? kind.kind];
  if (apiVersion !== kind.apiVersion || name !== kind.kind) {
    const from = `${kind.version}.${name}`,
      to = `${kind.group === "" ? "core" : kind.group.split(".")[0]}.${kind.kind}`;
    throw StatusError.badRequest(
      `${name} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ` +
        `converting (${from}) to (${to}): unknown conversion`,
    );
  }
  const type = schema.of(kind.kind);
  const { value, misfits: violations } = pruneToSchema(body, type);
  requireBase64(kind.kind, body);
  const handled = `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}`;
  const refuse = (why: string) => patched ? invalidPatchError(body, why) : StatusError.badRequest(`${handled}: ${why}`);
  const wrong = violations.find((misfit) => misfit.expected !== undefined);
  if (wrong) {
    const field = `${kind.kind}${wrong.path.replace(/\[[^\]]*\]/g, "")}`;
    const [found, expectedType] = [goType(wrong.value), goExpected(wrong.expected!)];
    throw refuse(`json: cannot unmarshal ${found} into Go struct field ${field} of type ${expectedType}`);
  }
  if (!kind.custom && hasBadQuantity(value, type)) throw refuse(QUANTITY_FORMAT_MESSAGE);
  const unknown = violations.map((misfit) => `unknown field ${JSON.stringify(misfit.path.slice(1))}`);
  if (unknown.length > 0 && validation === "Strict") {
    throw refuse(`strict decoding error: ${unknown.join(", ")}`);
  }
  if (validation === "Warn") { for (const text of unknown) warn(text); }
  return omitEmptyFields(value, type, kind);
}

/** Returns the object in an apply request. Throws if a field does not fit the schema, instead of dropping the field. */
export function parseAppliedBody(body: Json, kind: ApiKind, schema: FieldSchema, namespace: string | undefined): Json {
  if (!isRecord(body)) {
    const why = `json: cannot unmarshal ${goType(body)} into Go value of type map[string]interface {}`;
    throw StatusError.badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  if (body.apiVersion !== kind.apiVersion || body.kind !== kind.kind) {
    throw StatusError.badRequest(`invalid object type: ${goKind(body)}`);
  }
  if (body.metadata?.managedFields) throw StatusError.badRequest("metadata.managedFields must be nil");
  const type = schema.of(kind.kind);
  const { value, misfits: violations } = pruneToSchema(body, type, "keyed");
  const typed = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  // The error message contains the namespace from the body, or an empty string if the body sets no namespace.
  const { name, namespace: own = "" } = body.metadata ?? {};
  const who = namespace === undefined ? name : `${own}/${name}`;
  const errors = [...violations.map(describeViolation), ...findDuplicateItems(value, type, "")];
  if (errors.length > 0) {
    const list = errors.length === 1 ? errors[0] : `errors:\n${errors.map((error) => `  ${error}`).join("\n")}`;
    throw new StatusError(500, undefined, `failed to create typed patch object (${who}; ${typed}): ${list}`);
  }
  return omitEmptyFields(value, type, kind);
}

/** Removes empty maps and lists, because the API server omits them when it encodes objects of built-in kinds. */
export function omitEmptyFields(value: Json, type: FieldType, kind: ApiKind): Json {
  if (kind.custom) return value;
  if (Array.isArray(value) && type.form === "list") return value.map((item) => omitEmptyFields(item, type.of, kind));
  if (!isRecord(value) || (type.form !== "struct" && type.form !== "map")) return value;
  const result: Record<string, Json> = {};
  for (const [name, inner] of Object.entries(value)) {
    const of = type.form === "map" ? type.of : type.fields.get(name) ?? type.fields.get("*");
    if (of === undefined || inner === null || inner === undefined) continue;
    const left = omitEmptyFields(inner, of, kind);
    const empty = (of.form === "map" || of.form === "list") && Object.keys(left ?? {}).length === 0;
    if (!empty) result[name] = left;
  }
  return result;
}

function findDuplicateItems(value: Json, type: FieldType, path: string): string[] {
  const keys = new Set<string>();
  return childrenOf(value, type).flatMap(([name, inner, of]) => {
    if (name !== null) return findDuplicateItems(inner, of, `${path}.${name}`);
    if (type.form !== "list" || type.keys.length === 0) return findDuplicateItems(inner, of, path);
    const key = formatListItemKey(inner, type.keys);
    const formattedKey = Object.entries(JSON.parse(key.slice(2))).map(([name, of]) => `${name}=${JSON.stringify(of)}`);
    const twice = keys.has(key) ? [`${path}: duplicate entries for key [${formattedKey.join(",")}]`] : [];
    keys.add(key);
    return [...twice, ...findDuplicateItems(inner, of, `${path}[${formattedKey.join(",")}]`)];
  });
}

/** Returns the items or fields inside a value, with their types. The name is null for list items. */
function childrenOf(value: Json, type: FieldType): [name: string | null, inner: Json, of: FieldType][] {
  if (type.form === "list") return Array.isArray(value) ? value.map((item) => [null, item, type.of]) : [];
  if (!isRecord(value) || (type.form !== "struct" && type.form !== "map")) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const of = type.form === "map" ? type.of : type.fields.get(name);
    return of ? [[name, inner, of]] : [];
  });
}

function describeViolation({ path, expected, value }: SchemaViolation): string {
  if (expected === undefined) return `${path}: field not declared in schema`;
  return `${path}: expected ${expected}, got &value.valueUnstructured{Value:${JSON.stringify(value)}}`;
}

/** Returns the kind as Go prints it, for example `/v1, Kind=Secret`. */
function goKind({ apiVersion = "", kind = "" }: Json): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** Returns the 422 error for a patch whose result is invalid. Like a real server's error, it contains the object. */
function invalidPatchError(body: Json, why: string): StatusError {
  const invalid = cause.invalid("patch", JSON.stringify(body), why);
  return new StatusError(422, "Invalid", ` "" is invalid: patch: ${invalid.message}`, { causes: [invalid] });
}

function hasBadQuantity(value: Json, type: FieldType): boolean {
  if (type.form === "quantity") return typeof value === "string" && parseMilliQuantity(value) === null;
  return childrenOf(value, type).some(([, inner, of]) => hasBadQuantity(inner, of));
}

function goType(value: Json): string {
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value === "boolean" ? "bool" : typeof value;
}

function goExpected(expected: string): string {
  return expected.startsWith("numeric") ? "int64" : expected === "boolean" ? "bool" : expected;
}

function isCutOff(text: string): boolean {
  return (text.match(/[{[]/g) ?? []).length > (text.match(/[}\]]/g) ?? []).length || /[:,]\s*$/.test(text);
}

function parseYamlBody(text: string): Json {
  try {
    return parseYaml(text);
  } catch (error) {
    throw StatusError.badRequest(`error decoding YAML: ${(error as Error).message}`);
  }
}
