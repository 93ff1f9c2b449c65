/**
 * Records in `metadata.managedFields` which field manager, such as `kubectl`, owns each field of an object.
 *
 * A field path consists of steps joined by NUL characters, for example `f:spec`, `f:containers`, `k:{"name":"m"}`,
 * `f:image`. Each item in a keyed list has its own path. An atomic value has a single path, whatever it contains.
 */
import { isRecord, type Json, type ManagedFields, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { FieldType } from "#lib/dev/simulator/admission/schema/fields.ts";

/** Field values as JSON text, keyed by field path. */
export type FieldValuesByPath = Map<string, string>;

export const FIELD_PATH_SEPARATOR = "\0";

const SERVER_OWNED = new Set(
  "name namespace uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds managedFields selfLink"
    .split(" "),
);

export interface FieldManager {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly subresource: string | undefined;
}

/** Returns all fields in an object that a manager can own. */
export function listOwnableFields(object: Json, type: FieldType): FieldValuesByPath {
  const fields: FieldValuesByPath = new Map();
  const { apiVersion: _, kind: __, metadata, ...rest } = object;
  const owned = Object.entries(metadata ?? {}).filter(([name]) => !SERVER_OWNED.has(name));
  collectFields(owned.length > 0 ? { ...rest, metadata: Object.fromEntries(owned) } : rest, type, "", fields);
  return fields;
}

/** Returns the path step for an item in a keyed list, such as `k:{"name":"m"}`. A port's protocol defaults to TCP. */
export function formatListItemKey(item: Json, keys: readonly string[]): string {
  const named = [...keys].sort().map((key) => [key, item?.[key] ?? (key === "protocol" ? "TCP" : undefined)]);
  return "k:" + JSON.stringify(Object.fromEntries(named));
}

/** Returns the object's managedFields after `writer` has changed the object from `before` to `after`. */
export function trackFieldUpdate(
  before: StoredObject | null,
  after: StoredObject,
  type: FieldType,
  writer: FieldManager,
  time: string,
): ManagedFields[] | undefined {
  const entries = after.metadata.managedFields ?? before?.metadata.managedFields; // a patch may set managedFields
  if (before && !entries) return undefined; // only an apply starts to track an object's fields
  const old = before ? listOwnableFields(before, type) : new Map<string, string>();
  const present = listOwnableFields(after, type);
  const changed = [...present].filter(([path, value]) => old.get(path) !== value).map(([path]) => path);
  const lost = [...old.keys()].filter((path) => !present.has(path));
  if (changed.length === 0 && lost.length === 0) return entries;
  const dropped = new Set([...changed, ...lost]);
  const others = (entries ?? []).filter((entry) => !isManagedFieldsEntryFor(entry, writer));
  const ownEntry = (entries ?? []).find((entry) => isManagedFieldsEntryFor(entry, writer));
  const own = new Set(ownEntry ? parseFieldPaths(ownEntry.fieldsV1) : []);
  for (const path of lost) own.delete(path);
  for (const path of changed) own.add(path);
  const unchanged = ownEntry && changed.length === 0 &&
    lost.every((path) => !parseFieldPaths(ownEntry.fieldsV1).has(path));
  return omitEmptyManagedFields([
    ...others.map((entry) => removeFieldPaths(entry, dropped)),
    unchanged ? ownEntry : createManagedFieldsEntry(writer, after.apiVersion, own, time),
  ]);
}

export function isManagedFieldsEntryFor(entry: ManagedFields, writer: FieldManager): boolean {
  return entry.manager === writer.manager && entry.operation === writer.operation &&
    entry.subresource === writer.subresource;
}

export function createManagedFieldsEntry(
  writer: FieldManager,
  apiVersion: string,
  paths: Iterable<string>,
  time: string,
): ManagedFields {
  const { manager, operation, subresource } = writer;
  const fieldsV1 = renderFieldPaths(paths);
  return {
    manager,
    operation,
    apiVersion,
    time,
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource === undefined ? {} : { subresource }),
  };
}

export function removeFieldPaths(entry: ManagedFields, paths: ReadonlySet<string>): ManagedFields {
  const owned = parseFieldPaths(entry.fieldsV1);
  const remaining = [...owned].filter((path) => !paths.has(path));
  return remaining.length === owned.size ? entry : { ...entry, fieldsV1: renderFieldPaths(remaining) };
}

/** Returns the entries that own at least one field; undefined if there are no such entries. */
export function omitEmptyManagedFields(entries: readonly ManagedFields[]): ManagedFields[] | undefined {
  const owning = entries.filter((entry) => Object.keys(entry.fieldsV1).length > 0);
  return owning.length > 0 ? owning : undefined;
}

export function parseFieldPaths(fieldsV1: Json): Set<string> {
  const paths = new Set<string>();
  const visit = (node: Json, path: string): void => {
    const inner = Object.keys(node).filter((name) => name !== ".");
    if (path !== "" && (inner.length === 0 || "." in node)) paths.add(path);
    for (const name of inner) visit(node[name], path === "" ? name : path + FIELD_PATH_SEPARATOR + name);
  };
  visit(fieldsV1, "");
  return paths;
}

export function renderFieldPaths(paths: Iterable<string>): Json {
  const root: Json = {};
  const ends: Json[] = [];
  for (const path of paths) {
    let node = root;
    for (const step of path.split(FIELD_PATH_SEPARATOR)) node = node[step] ??= {};
    ends.push(node);
  }
  for (const node of ends) if (Object.keys(node).length > 0) node["."] = {};
  return root;
}

/** Formats a path for messages, for example `.spec.template.spec.containers[name="m"].image`. */
export function formatFieldPath(path: string): string {
  return path.split(FIELD_PATH_SEPARATOR).map((step) => {
    if (step.startsWith("f:")) return "." + step.slice(2);
    if (step.startsWith("v:")) return `[=${step.slice(2)}]`;
    const keys = Object.entries(JSON.parse(step.slice(2)));
    return `[${keys.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(",")}]`;
  }).join("");
}

function collectFields(value: Json, type: FieldType, path: string, fields: FieldValuesByPath): void {
  const at = (step: string): string => path === "" ? step : path + FIELD_PATH_SEPARATOR + step;
  if (type.form === "list" && Array.isArray(value) && (type.keys.length > 0 || type.set)) {
    for (const item of value) {
      const step = at(type.set ? "v:" + JSON.stringify(item) : formatListItemKey(item, type.keys));
      fields.set(step, "");
      if (!type.set) collectFields(item, type.of, step, fields);
    }
    return;
  }
  const inside = isRecord(value) && (type.form === "any" || "atomic" in type && !type.atomic);
  if (!inside || Object.keys(value).length === 0) {
    if (path !== "") fields.set(path, stableJson(value));
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    collectFields(inner, getFieldType(type, name), at("f:" + name), fields);
  }
}

export function getFieldType(type: FieldType, name: string): FieldType {
  if (type.form === "map") return type.of;
  if (type.form === "struct") return type.fields.get(name) ?? type.fields.get("*") ?? { form: "any" };
  return { form: "any" };
}

function stableJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  return JSON.stringify(
    value,
    (_, inner) => isRecord(inner) ? Object.fromEntries(Object.entries(inner).sort()) : inner,
  );
}
