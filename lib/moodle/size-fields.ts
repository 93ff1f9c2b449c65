/**
 * Finds the fields in a spoke's objects that depend on its size, and builds the JSON Patch that sets them. To find the
 * fields, the objects are rendered twice with different amounts. A resize sets only these fields, so it does not revert
 * manual changes to other fields.
 */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { isYamlMap } from "#lib/moodle/render.ts";
import {
  ClusterError,
  type KubeObject,
  type ObjectRef,
  type PatchOperation,
  toObjectRef,
} from "#lib/drivers/cluster/cluster.ts";

/** A step in a field's path: a field name, or a list item with its index and, if possible, its name or type. */
type Step = string | { readonly at: number; readonly key?: "name" | "type"; readonly is?: unknown };

export interface SizeDependentField {
  readonly path: readonly Step[];
  readonly value: unknown;
}

export interface SizeDependentObject {
  readonly ref: ObjectRef;
  readonly fields: readonly SizeDependentField[];
}

/** Returns the objects that depend on the spoke's size, each with the size-dependent fields and their values. */
export function findSizeDependentFields(
  inputs: SpokeInputs,
  render: (inputs: SpokeInputs) => readonly KubeObject[],
): readonly SizeDependentObject[] {
  // Uses the same database disk size in both renderings, because the StatefulSet's PVC template is immutable.
  const fixed = { ...inputs, madeDatabaseDisk: inputs.madeDatabaseDisk ?? inputs.resources.disks.database };
  const others = render({ ...fixed, resources: changeAmounts(inputs.resources) });
  return render(fixed).map((object, i) => {
    return { ref: toObjectRef(object), fields: diffFields([], object, others[i]) };
  }).filter(({ fields }) => fields.length > 0);
}

function changeAmounts<T>(value: T): T {
  if (isYamlMap(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, changeAmounts(item)])) as T;
  }
  return (typeof value === "number" ? value + 1 : `other than ${value}`) as T;
}

function diffFields(path: readonly Step[], one: unknown, other: unknown): SizeDependentField[] {
  if (one === other) return [];
  if (isYamlMap(one) && isYamlMap(other)) {
    return Object.entries(one).flatMap(([name, value]) => diffFields([...path, name], value, other[name]));
  }
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.flatMap((item, at) => diffFields([...path, stepTo(one, at)], item, other[at]));
  }
  return [{ path, value: one }];
}

/**
 * Returns the path step for a list item. Prefers the item's name or type, because the cluster may insert other items.
 */
function stepTo(list: readonly unknown[], at: number): Step {
  const key = (["name", "type"] as const).find((name) => {
    const names = list.map((item) => isYamlMap(item) ? item[name] : undefined);
    return names.every((each) => typeof each === "string") && new Set(names).size === names.length;
  });
  return key === undefined ? { at } : { at, key, is: (list[at] as Record<string, unknown>)[key] };
}

/** Returns the value of the field at a path; undefined if the object does not have this field. */
export function readSizeDependentField(object: unknown, path: readonly Step[]): unknown {
  return path.reduce<unknown>((node, step) => {
    if (typeof step === "string") return isYamlMap(node) ? node[step] : undefined;
    return Array.isArray(node) ? node[indexOfItem(node, step)] : undefined;
  }, object);
}

/** Returns the JSON Patch that sets the given fields. Throws a permanent ClusterError if `object` lacks a list item. */
export function buildSizePatch(object: KubeObject, fields: readonly SizeDependentField[]): PatchOperation[] {
  const draft = structuredClone(object), operations: PatchOperation[] = [];
  for (const { path, value } of fields) operations.push(...setField(draft, path, value));
  return operations;
}

/** Returns the patch operations that set one field, and applies the same change to `draft`. */
function setField(draft: KubeObject, path: readonly Step[], value: unknown): PatchOperation[] {
  const tests: PatchOperation[] = [];
  let node: Record<string | number, unknown> = draft, pointer = "";
  for (const [i, step] of path.entries()) {
    const key = typeof step === "string" ? step : indexOfItem(node, step);
    if (key === -1) throw missingItemError(draft, step);
    pointer += `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (typeof step !== "string" && step.key) {
      tests.push({ op: "test", path: `${pointer}/${step.key}`, value: step.is });
    }
    if (i === path.length - 1 || node[key] === undefined || node[key] === null) {
      const rest = path.slice(i + 1), item = rest.find((each) => typeof each !== "string");
      if (item !== undefined) throw missingItemError(draft, item);
      const fieldValue = rest.reduceRight<unknown>((inner, name) => ({ [name as string]: inner }), value);
      node[key] = fieldValue;
      return [...tests, { op: "add", path: pointer, value: structuredClone(fieldValue) }];
    }
    node = node[key] as typeof node;
  }
  return [];
}

function indexOfItem(list: unknown, { at, key, is }: Exclude<Step, string>): number {
  if (!Array.isArray(list)) return -1;
  if (key !== undefined) return list.findIndex((item) => isYamlMap(item) && item[key] === is);
  return at < list.length ? at : -1;
}

function missingItemError({ kind, metadata: { name } }: KubeObject, step: Step): ClusterError {
  const itemName = typeof step === "string" || step.is === undefined ? "an item" : `${step.is}`;
  const message = `The ${kind} ${name} lacks ${itemName}, which has fields that depend on the size`;
  return new ClusterError("Drifted", message, {
    transient: false,
    blame: "operator",
    hint: "Reapply the blueprint. Then resize the spoke.",
  });
}
