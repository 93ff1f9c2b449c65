/** In what a spoke differs from what it was made from, as the API shows it and the row keeps it. */
import * as v from "valibot";
import { isDeepStrictEqual } from "node:util";

const DriftedObject = v.object({
  /** `Deployment/moodle`. */
  object: v.string(),
  what: v.picklist(["changed", "missing"]),
  /** `spec.template.spec.containers[moodle].image`; none of what is missing. */
  fields: v.array(v.string()),
});
export type DriftedObject = v.InferOutput<typeof DriftedObject>;

export const Drift = v.object({
  objects: v.array(DriftedObject),
  /** The blueprint's revision that it was made from, and the present one; null where they are the same. */
  revision: v.nullable(v.object({ from: v.string(), to: v.string() })),
});
export type Drift = v.InferOutput<typeof Drift>;

/** Fields that are named of one object at most. */
const MAX_FIELDS = 50;

/** Null where none exists. In one order, so that the same drift is the same text. */
export function createDrift(objects: readonly DriftedObject[], revision: Drift["revision"]): Drift | null {
  if (objects.length === 0 && revision === null) return null;
  const sorted = objects.map((each) => ({ ...each, fields: [...new Set(each.fields)].sort().slice(0, MAX_FIELDS) }));
  return { objects: sorted.sort((a, b) => a.object < b.object ? -1 : 1), revision };
}

export function equalDrift(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a ?? null, b ?? null);
}
