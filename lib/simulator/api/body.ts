/** Request bodies: from bytes to an object of the kind that the URL names, with unknown fields refused or warned of. */
import { type Kind } from "#lib/simulator/kinds.ts";
import { keyOfItem } from "#lib/simulator/managed.ts";
import { isRecord, type Json } from "#lib/simulator/object.ts";
import { badRequest, Refusal } from "#lib/simulator/refusal.ts";
import { fit, type Misfit, type Schema, type Type } from "#lib/simulator/schema/fields.ts";
import { parse as parseYaml } from "yaml";

export type Validation = "Ignore" | "Warn" | "Strict";

/** Any JSON, or YAML where the type says so; 400 for what cannot be read. */
export function readJson(text: string, wanted: string, yaml: boolean): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (yaml) return readYaml(text);
    const why = text.trim().length > 0 && isCutOff(text) ? "unexpected end of JSON input" : (error as Error).message;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${wanted}): couldn't get version/kind; ` +
        `json parse error: ${why} (${text})`,
    );
  }
}

/** The object that a create or update sends: of this kind, its nulls and empty maps gone. */
export function readObject(
  body: Json,
  kind: Kind,
  schema: Schema,
  how: Validation,
  warn: (text: string) => void,
): Json {
  if (!isRecord(body)) throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind})`);
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
  const { value, misfits } = fit(body, type);
  const handled = `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}`;
  const wrong = misfits.find((misfit) => misfit.expected !== undefined);
  if (wrong) {
    const field = `${kind.kind}${wrong.path.replace(/\[[^\]]*\]/g, "")}`;
    const [found, wanted] = [goType(wrong.value), goExpected(wrong.expected!)];
    throw badRequest(`${handled}: json: cannot unmarshal ${found} into Go struct field ${field} of type ${wanted}`);
  }
  const unknown = misfits.map((misfit) => `unknown field ${JSON.stringify(misfit.path.slice(1))}`);
  if (unknown.length > 0 && how === "Strict") {
    throw badRequest(`${handled}: strict decoding error: ${unknown.join(", ")}`);
  }
  if (how === "Warn") { for (const text of unknown) warn(text); }
  return normalise(value, type, kind);
}

/** The object that an apply sends: what does not fit its schema is an error, never left out. */
export function readApplied(body: Json, kind: Kind, schema: Schema, namespace: string | undefined): Json {
  if (!isRecord(body)) throw badRequest("error decoding YAML: expected a map");
  if (body.apiVersion === undefined || body.kind === undefined) {
    throw badRequest("Object 'Kind' is missing in apply patch: apiVersion and kind must be set");
  }
  if (body.apiVersion !== kind.apiVersion || body.kind !== kind.kind) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${body.apiVersion}, expected: ${kind.apiVersion}`,
    );
  }
  if (body.metadata?.managedFields) throw badRequest("metadata.managedFields must be nil");
  const type = schema.of(kind.kind);
  const { value, misfits } = fit(body, type, "keyed");
  const typed = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  const who = namespace === undefined ? body.metadata?.name : `${namespace}/${body.metadata?.name}`;
  const errors = [...misfits.map(sayMisfit), ...duplicates(value, type, "")];
  if (errors.length > 0) {
    const said = errors.length === 1 ? errors[0] : `errors:\n${errors.map((error) => `  ${error}`).join("\n")}`;
    throw new Refusal(500, undefined, `failed to create typed patch object (${who}; ${typed}): ${said}`);
  }
  return normalise(value, type, kind);
}

/** Without the empty maps and lists that a built-in kind's encoding leaves out. */
export function normalise(value: Json, type: Type, kind: Kind): Json {
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
  if (Array.isArray(value) && type.form === "list") {
    const seen = new Set<string>();
    return value.flatMap((item) => {
      if (type.keys.length === 0) return duplicates(item, type.of, path);
      const key = keyOfItem(item, type.keys);
      const shown = Object.entries(JSON.parse(key.slice(2))).map(([name, of]) => `${name}=${JSON.stringify(of)}`);
      const twice = seen.has(key) ? [`${path}: duplicate entries for key [${shown.join(",")}]`] : [];
      seen.add(key);
      return [...twice, ...duplicates(item, type.of, `${path}[${shown.join(",")}]`)];
    });
  }
  if (!isRecord(value) || (type.form !== "struct" && type.form !== "map")) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const of = type.form === "map" ? type.of : type.fields.get(name);
    return of ? duplicates(inner, of, `${path}.${name}`) : [];
  });
}

function sayMisfit({ path, expected, value }: Misfit): string {
  if (expected === undefined) return `${path}: field not declared in schema`;
  return `${path}: expected ${expected}, got &value.valueUnstructured{Value:${goLiteral(value)}}`;
}

function goLiteral(value: Json): string {
  return typeof value === "object"
    ? JSON.stringify(value)
    : typeof value === "string"
    ? JSON.stringify(value)
    : String(value);
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
