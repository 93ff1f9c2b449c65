/** What every object's metadata must be, beyond its names and labels: annotations, finalizers, owners. */
import type { Json, KubeObject } from "#lib/dev/simulator/object.ts";
import type { Cause } from "#lib/dev/simulator/refusal.ts";
import { all, forbiddenField, tooLong, wrong, wrongValue } from "#lib/dev/simulator/rules/causes.ts";
import { badLabelKey } from "#lib/dev/simulator/rules/names.ts";

const ANNOTATIONS_MOST = 256 * 1024;
const STANDARD = new Set(["foregroundDeletion", "kubernetes", "orphan"]);

export function badMetadata({ metadata }: KubeObject): Cause[] {
  const { annotations = {}, finalizers = [], ownerReferences = [] } = metadata;
  const size = Object.entries(annotations).reduce(
    (sum, [k, v]) => sum + Buffer.byteLength(k) + Buffer.byteLength(v),
    0,
  );
  const field = "metadata.ownerReferences";
  const [first, second] = ownerReferences.filter((owner) => owner.controller === true);
  return all(
    size > ANNOTATIONS_MOST && tooLong("metadata.annotations", ANNOTATIONS_MOST),
    ownerReferences.flatMap((owner: Json) =>
      ["apiVersion", "kind", "name", "uid"].filter((name) => !owner[name]).map((name) => {
        const what = name === "apiVersion" ? "version must" : "must";
        return wrongValue(`${field}.${name}`, owner[name] ?? "", `${what} not be empty`);
      })
    ),
    second && wrongValue(
      field,
      ownerReferences,
      'Only one reference can have Controller set to true. Found "true" in references for ' +
        `${first!.kind}/${first!.name} and ${second.kind}/${second.name}`,
    ),
    finalizers.flatMap(badFinalizer),
  );
}

function badFinalizer(name: string, i: number): Cause[] {
  const causes = wrong("metadata.finalizers", name, badLabelKey(name));
  if (causes.length > 0 || name.includes("/") || STANDARD.has(name)) return causes;
  const why = "name is neither a standard finalizer name nor is it fully qualified";
  return [wrongValue(`metadata.finalizers[${i}]`, name, why)];
}

/** What goes may lose finalizers and gain none. */
export function newFinalizers(live: KubeObject, next: Json): Cause[] {
  if (live.metadata.deletionTimestamp === undefined) return [];
  const gained = (next.metadata?.finalizers ?? []).filter((name: string) => !live.metadata.finalizers?.includes(name));
  if (gained.length === 0) return [];
  const shown = `[]string{${gained.map((name: string) => JSON.stringify(name)).join(", ")}}`;
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
  return [forbiddenField("metadata.finalizers", why)];
}
