/**
 * Performs server-side apply: merges the fields that a manager applies into the stored object.
 *
 * A field that the manager no longer applies is removed, unless another manager also owns it. If another manager owns a
 * field with a different value, the request fails with a conflict, unless it is forced. Keyed lists are merged item by
 * item. Most other lists are replaced as a whole.
 */
import { type StatusCause, StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import {
  createManagedFieldsEntry,
  FIELD_PATH_SEPARATOR,
  type FieldManager,
  formatFieldPath,
  formatListItemKey,
  getFieldType,
  isManagedFieldsEntryFor,
  listOwnableFields,
  omitEmptyManagedFields,
  parseFieldPaths,
  removeFieldPaths,
} from "#lib/dev/simulator/admission/managed-fields.ts";
import {
  isRecord,
  isSameJson,
  type Json,
  type ManagedFields,
  type StoredObject,
} from "#lib/dev/simulator/store/object.ts";
import type { FieldType } from "#lib/dev/simulator/admission/schema/fields.ts";

export interface AppliedObject {
  /** The merged object, before default values are set. `managed` contains its new managedFields. */
  readonly object: Json;
  readonly managed: ManagedFields[] | undefined;
}

export function applyServerSide(
  live: StoredObject | null,
  config: Json,
  type: FieldType,
  manager: string,
  options: { readonly force: boolean; readonly time: string },
): AppliedObject {
  const writer: FieldManager = { manager, operation: "Apply", subresource: undefined };
  const mine = new Set(listOwnableFields(config, type).keys());
  if (!live) {
    return {
      object: config,
      managed: omitEmptyManagedFields([createManagedFieldsEntry(writer, config.apiVersion, mine, options.time)]),
    };
  }

  const old = listOwnableFields(live, type);
  const entries = live.metadata.managedFields ?? managedBeforeFirstApply(live, old);
  const others = entries.filter((entry) => !isManagedFieldsEntryFor(entry, writer));
  const last = entries.find((entry) => isManagedFieldsEntryFor(entry, writer));
  const merged = merge(live, config, type);
  const changed = new Set(
    [...listOwnableFields(merged, type)].filter(([path, value]) => old.get(path) !== value).map(([p]) => p),
  );
  if (!options.force) rejectConflicts(others, changed);

  const shared = new Set(others.flatMap((entry) => [...parseFieldPaths(entry.fieldsV1)]));
  const removedPaths = [...last ? parseFieldPaths(last.fieldsV1) : []].filter((path) =>
    !mine.has(path) && !shared.has(path)
  );
  const object = removedPaths.reduce((at, path) => removePath(at, type, path.split(FIELD_PATH_SEPARATOR)), merged);
  const own = last && isSameJson(parseFieldPaths(last.fieldsV1).size, mine.size) &&
      [...mine].every((p) => parseFieldPaths(last.fieldsV1).has(p))
    ? last
    : createManagedFieldsEntry(writer, config.apiVersion, mine, options.time);
  const losses = new Set([...changed, ...removedPaths]);
  return {
    object,
    managed: omitEmptyManagedFields([own, ...others.map((entry) => removeFieldPaths(entry, losses))].sort(byTime)),
  };
}

/** Returns managedFields for an object that has none: the manager `before-first-apply` then owns all fields. */
function managedBeforeFirstApply(live: StoredObject, fields: Map<string, string>): ManagedFields[] {
  const writer: FieldManager = { manager: "before-first-apply", operation: "Update", subresource: undefined };
  return [createManagedFieldsEntry(writer, live.apiVersion, fields.keys(), live.metadata.creationTimestamp)];
}

function rejectConflicts(others: readonly ManagedFields[], changed: ReadonlySet<string>): void {
  const conflicts = others.flatMap((entry) => {
    const who = JSON.stringify(entry.manager) +
      (entry.subresource === undefined ? "" : ` with subresource ${JSON.stringify(entry.subresource)}`) +
      (entry.operation === "Apply" ? "" : ` using ${entry.apiVersion}`);
    return [...parseFieldPaths(entry.fieldsV1)].filter((path) => changed.has(path)).map((path) => ({
      who,
      path: formatFieldPath(path),
    }));
  });
  if (conflicts.length === 0) return;
  const causes: StatusCause[] = conflicts.map(({ who, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${who}`,
    field: path,
  }));
  const owners = [...new Set(conflicts.map(({ who }) => who))].sort().map((who) => {
    const paths = conflicts.filter((conflict) => conflict.who === who).map((conflict) => conflict.path);
    return conflicts.length === 1
      ? `conflict with ${who}: ${paths[0]}`
      : `conflicts with ${who}:\n${paths.map((path) => `- ${path}`).join("\n")}`;
  });
  const count = `${conflicts.length} conflict${conflicts.length === 1 ? "" : "s"}`;
  throw new StatusError(409, "Conflict", `Apply failed with ${count}: ${owners.join("\n")}`, { causes });
}

function merge(live: Json, config: Json, type: FieldType): Json {
  if (type.form === "list" && Array.isArray(live) && Array.isArray(config)) {
    if (type.set) return [...config, ...live.filter((item) => !config.includes(item))];
    if (type.keys.length === 0) return config;
    const rest = new Map(live.map((item) => [formatListItemKey(item, type.keys), item]));
    const merged = config.map((item) => {
      const key = formatListItemKey(item, type.keys), present = rest.get(key);
      rest.delete(key);
      return present === undefined ? item : merge(present, item, type.of);
    });
    return [...merged, ...rest.values()];
  }
  const inside = type.form === "any" || "atomic" in type && !type.atomic;
  if (!inside || !isRecord(live) || !isRecord(config)) return config;
  const merged: Json = { ...live };
  for (const [name, value] of Object.entries(config)) {
    merged[name] = name in live ? merge(live[name], value, getFieldType(type, name)) : value;
  }
  return merged;
}

/** Removes the field at the path, along with any maps and lists that become empty. Returns the new value. */
function removePath(value: Json, type: FieldType, path: readonly string[]): Json {
  const [step = "", ...rest] = path;
  if (step.startsWith("f:")) {
    const name = step.slice(2);
    if (!isRecord(value) || !(name in value)) return value;
    const { [name]: inner, ...others } = value;
    if (rest.length === 0) return others;
    const left = removePath(inner, getFieldType(type, name), rest);
    const empty = left !== inner && typeof left === "object" && Object.keys(left).length === 0;
    return empty ? others : { ...value, [name]: left };
  }
  if (!Array.isArray(value) || type.form !== "list") return value;
  const is = (item: Json) => step === (type.set ? "v:" + JSON.stringify(item) : formatListItemKey(item, type.keys));
  if (rest.length === 0) return value.filter((item) => !is(item));
  return value.map((item) => is(item) ? removePath(item, type.of, rest) : item);
}

function byTime(a: ManagedFields, b: ManagedFields): number {
  return a.operation === b.operation
    ? (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)
    : a.operation === "Apply"
    ? -1
    : 1;
}
