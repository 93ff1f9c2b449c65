/** Defines the drift of a spoke, as it is shown in the API and stored in the row. */
import * as v from "valibot";
import { isDeepStrictEqual } from "node:util";

const DriftedObject = v.object({
  /** The object, for example `Deployment/moodle`. */
  object: v.string(),
  what: v.picklist(["changed", "missing"]),
  /** The fields that differ, for example `spec.template.spec.containers[moodle].image`. Empty for a missing object. */
  fields: v.array(v.string()),
});
export type DriftedObject = v.InferOutput<typeof DriftedObject>;

export const Drift = v.object({
  objects: v.array(DriftedObject),
  /** The blueprint revision of the site and the current one; null if they are the same. */
  revision: v.nullable(v.object({ from: v.string(), to: v.string() })),
});
export type Drift = v.InferOutput<typeof Drift>;

/** Maximum fields that are listed for an object. */
const MAX_FIELDS = 50;

/** Creates the drift, with sorted objects so that equal drift is stored as equal text. Null without differences. */
export function buildDrift(objects: readonly DriftedObject[], revision: Drift["revision"]): Drift | null {
  if (objects.length === 0 && revision === null) return null;
  const sorted = objects.map((each) => ({ ...each, fields: [...new Set(each.fields)].sort().slice(0, MAX_FIELDS) }));
  return { objects: sorted.sort((a, b) => a.object < b.object ? -1 : 1), revision };
}

export function equalDrift(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a ?? null, b ?? null);
}
