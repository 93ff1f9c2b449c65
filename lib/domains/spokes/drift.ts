/** Defines a spoke's drift: the differences between the spoke's objects in the cluster and the applied manifests. */
import * as v from "valibot";
import { isDeepStrictEqual } from "node:util";

const DriftedObject = v.object({
  /** The object's kind and name, for example `Deployment/moodle`. */
  object: v.string(),
  what: v.picklist(["changed", "missing"]),
  /** The fields that differ, such as `spec.template.spec.containers[moodle].image`. Empty if the object is missing. */
  fields: v.array(v.string()),
});
export type DriftedObject = v.InferOutput<typeof DriftedObject>;

export const Drift = v.object({
  objects: v.array(DriftedObject),
  /** The blueprint revision (version of the manifest templates) of the site, and the current one. Null if equal. */
  revision: v.nullable(v.object({ from: v.string(), to: v.string() })),
  /** The components of add-ons that the catalog does not list. Absent if there are none. */
  addons: v.optional(v.array(v.string())),
});
export type Drift = v.InferOutput<typeof Drift>;

/** The maximum number of fields to list for one object. */
const MAX_FIELDS = 50;

/** Returns a spoke's drift, or null if nothing differs. Sorts the objects, so that equal drift has equal text. */
export function buildDrift(
  objects: readonly DriftedObject[],
  revision: Drift["revision"],
  addons: readonly string[] = [],
): Drift | null {
  if (objects.length === 0 && revision === null && addons.length === 0) return null;
  const sorted = objects.map((each) => ({ ...each, fields: [...new Set(each.fields)].sort().slice(0, MAX_FIELDS) }));
  const drift = { objects: sorted.sort((a, b) => a.object < b.object ? -1 : 1), revision };
  return addons.length === 0 ? drift : { ...drift, addons: addons.toSorted() };
}

/** Whether the action `reapply` would change something. It changes no add-ons. */
export function isCorrectable({ objects, revision }: Pick<Drift, "objects" | "revision">): boolean {
  return objects.length > 0 || revision !== null;
}

export function isSameDrift(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a ?? null, b ?? null);
}
