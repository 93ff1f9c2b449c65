/** Parses request bodies into objects of the kind in the URL. Unknown fields are rejected or cause a warning. */
import { type ApiKind } from "#lib/dev/simulator/store/kinds.ts";
import { keyOfItem } from "#lib/dev/simulator/admission/managed-fields.ts";
import type { Validation } from "#lib/dev/simulator/api/options.ts";
import { isRecord, type Json } from "#lib/dev/simulator/store/object.ts";
import { badRequest, Refusal, wrongValue } from "#lib/dev/simulator/admission/status-error.ts";
import { QUANTITY_RULE, readQuantity } from "#lib/dev/simulator/admission/quantity.ts";
import { refuseUndecoded } from "#lib/dev/simulator/admission/rules/data.ts";
import { type FieldSchema, fitField, type Misfit, type Type } from "#lib/dev/simulator/admission/schema/fields.ts";
import { parse as parseYaml } from "yaml";

/** Parses JSON, or YAML if `yaml` is set. Throws 400 if the text is invalid. */
export function readJson(text: string, wanted: string, yaml: boolean): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (yaml) return readYaml(text);
    throw unrecognised(wanted, whyUnreadable(text, error as Error), text === "" ? "<empty>" : text);
  }
}

/** Parses the body of a patch: a list if `operations` is set, otherwise an object. Throws 400 if it is invalid. */
export function readPatch(text: string, operations: boolean): Json {
  let change: Json;
  try {
    change = JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${whyUnreadable(text, error as Error)}`);
  }
  const wanted = operations ? "[]handlers.jsonPatchOp" : "map[string]interface {}";
  if (operations ? !Array.isArray(change) : !isRecord(change)) {
    throw badRequest(`error decoding patch: json: cannot unmarshal ${goType(change)} into Go value of type ${wanted}`);
  }
  if (operations && change.length > OPERATIONS_MOST) {
    const why = `The allowed maximum operations in a JSON patch is ${OPERATIONS_MOST}, got ${change.length}`;
    throw new Refusal(413, "RequestEntityTooLarge", `Request entity too large: ${why}`);
  }
  return change;
}

const OPERATIONS_MOST = 10_000;
const GO_HEAD =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function unrecognised(wanted: string, why: string, shown: string): Refusal {
  return badRequest(
    `the object provided is unrecognized (must be of type ${wanted}): couldn't get version/kind; ` +
      `json parse error: ${why} (${shown})`,
  );
}

function whyUnreadable(text: string, error: Error): string {
  return text.trim() === "" || isCutOff(text) ? "unexpected end of JSON input" : error.message;
}

/**
 * Returns the object that a create or update sends, without nulls and empty maps. Throws 400 if its kind or a field is
 * invalid.
 */
export function readObject(
  body: Json,
  kind: ApiKind,
  schema: FieldSchema,
  how: Validation,
  warn: (text: string) => void,
  patched = false,
): Json {
  if (body === null) return {};
  if (!isRecord(body)) {
    const hex = Buffer.from(JSON.stringify(body)).toString("hex");
    throw unrecognised(kind.kind, `json: cannot unmarshal ${goType(body)} into Go value of type ${GO_HEAD}`, hex);
  }
  const [apiVersion, name] = [body.apiVersion ?? kind.apiVersion, body.kind ?? kind.kind];
  if (apiVersion !== kind.apiVersion || name !== kind.kind) {
    const from = `${kind.version}.${name}`,
      to = `${kind.group === "" ? "core" : kind.group.split(".")[0]}.${kind.kind}`;
    throw badRequest(
      `${name} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ` +
        `converting (${from}) to (${to}): unknown conversion`,
    );
  }
  const type = schema.of(kind.kind);
  const { value, misfits } = fitField(body, type);
  refuseUndecoded(kind.kind, body);
  const handled = `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}`;
  const refuse = (why: string) => patched ? unpatchable(body, why) : badRequest(`${handled}: ${why}`);
  const wrong = misfits.find((misfit) => misfit.expected !== undefined);
  if (wrong) {
    const field = `${kind.kind}${wrong.path.replace(/\[[^\]]*\]/g, "")}`;
    const [found, wanted] = [goType(wrong.value), goExpected(wrong.expected!)];
    throw refuse(`json: cannot unmarshal ${found} into Go struct field ${field} of type ${wanted}`);
  }
  if (!kind.custom && hasBadQuantity(value, type)) throw refuse(QUANTITY_RULE);
  const unknown = misfits.map((misfit) => `unknown field ${JSON.stringify(misfit.path.slice(1))}`);
  if (unknown.length > 0 && how === "Strict") {
    throw refuse(`strict decoding error: ${unknown.join(", ")}`);
  }
  if (how === "Warn") { for (const text of unknown) warn(text); }
  return normalise(value, type, kind);
}

/** Returns the object that an apply sends. Throws if a field does not fit the schema; no field is dropped. */
export function readApplied(body: Json, kind: ApiKind, schema: FieldSchema, namespace: string | undefined): Json {
  if (!isRecord(body)) {
    const why = `json: cannot unmarshal ${goType(body)} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  if (body.apiVersion !== kind.apiVersion || body.kind !== kind.kind) {
    throw badRequest(`invalid object type: ${goKind(body)}`);
  }
  if (body.metadata?.managedFields) throw badRequest("metadata.managedFields must be nil");
  const type = schema.of(kind.kind);
  const { value, misfits } = fitField(body, type, "keyed");
  const typed = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  // The error names the namespace in the body, which is empty if the body sets none.
  const { name, namespace: own = "" } = body.metadata ?? {};
  const who = namespace === undefined ? name : `${own}/${name}`;
  const errors = [...misfits.map(sayMisfit), ...duplicates(value, type, "")];
  if (errors.length > 0) {
    const said = errors.length === 1 ? errors[0] : `errors:\n${errors.map((error) => `  ${error}`).join("\n")}`;
    throw new Refusal(500, undefined, `failed to create typed patch object (${who}; ${typed}): ${said}`);
  }
  return normalise(value, type, kind);
}

/** Returns the value without empty maps and lists. The encoding of built-in kinds omits them. */
export function normalise(value: Json, type: Type, kind: ApiKind): Json {
  if (kind.custom) return value;
  if (Array.isArray(value) && type.form === "list") return value.map((item) => normalise(item, type.of, kind));
  if (!isRecord(value) || (type.form !== "struct" && type.form !== "map")) return value;
  const kept: Record<string, Json> = {};
  for (const [name, inner] of Object.entries(value)) {
    const of = type.form === "map" ? type.of : type.fields.get(name) ?? type.fields.get("*");
    if (of === undefined || inner === null || inner === undefined) continue;
    const left = normalise(inner, of, kind);
    const empty = (of.form === "map" || of.form === "list") && Object.keys(left ?? {}).length === 0;
    if (!empty) kept[name] = left;
  }
  return kept;
}

function duplicates(value: Json, type: Type, path: string): string[] {
  const seen = new Set<string>();
  return innerOf(value, type).flatMap(([name, inner, of]) => {
    if (name !== null) return duplicates(inner, of, `${path}.${name}`);
    if (type.form !== "list" || type.keys.length === 0) return duplicates(inner, of, path);
    const key = keyOfItem(inner, type.keys);
    const shown = Object.entries(JSON.parse(key.slice(2))).map(([name, of]) => `${name}=${JSON.stringify(of)}`);
    const twice = seen.has(key) ? [`${path}: duplicate entries for key [${shown.join(",")}]`] : [];
    seen.add(key);
    return [...twice, ...duplicates(inner, of, `${path}[${shown.join(",")}]`)];
  });
}

/** Returns the children of a value with their types: unnamed list items, or named fields. */
function innerOf(value: Json, type: Type): [name: string | null, inner: Json, of: Type][] {
  if (type.form === "list") return Array.isArray(value) ? value.map((item) => [null, item, type.of]) : [];
  if (!isRecord(value) || (type.form !== "struct" && type.form !== "map")) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const of = type.form === "map" ? type.of : type.fields.get(name);
    return of ? [[name, inner, of]] : [];
  });
}

function sayMisfit({ path, expected, value }: Misfit): string {
  if (expected === undefined) return `${path}: field not declared in schema`;
  return `${path}: expected ${expected}, got &value.valueUnstructured{Value:${JSON.stringify(value)}}`;
}

/** Returns the kind as Go prints it, for example `/v1, Kind=Secret`. */
function goKind({ apiVersion = "", kind = "" }: Json): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/**
 * Returns the 422 error for a patch whose result is invalid. Like the real server's, it shows the complete object and
 * an empty name.
 */
function unpatchable(body: Json, why: string): Refusal {
  const cause = wrongValue("patch", JSON.stringify(body), why);
  return new Refusal(422, "Invalid", ` "" is invalid: patch: ${cause.message}`, { causes: [cause] });
}

function hasBadQuantity(value: Json, type: Type): boolean {
  if (type.form === "quantity") return typeof value === "string" && readQuantity(value) === null;
  return innerOf(value, type).some(([, inner, of]) => hasBadQuantity(inner, of));
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

function readYaml(text: string): Json {
  try {
    return parseYaml(text);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`);
  }
}
