/**
 * Who owns the fields of an object that we made by a POST.
 *
 * The API server notes them as an update's. An apply takes away what an earlier apply had and it has not, but nothing that
 * an update owns: a field that the blueprint drops later would stand for ever. So the note is made an apply's before the
 * first one, as client-go's `csaupgrade` does it.
 */
import { FENCE } from "#lib/blueprint/names.ts";
import type { KubeObject, PatchOperation } from "#lib/cluster/cluster.ts";

const MANAGER = "wheelwright";

interface Entry {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly subresource?: string;
  readonly fieldsV1?: { readonly "f:metadata"?: { readonly "f:annotations"?: Readonly<Record<string, unknown>> } };
}

/** Nothing where an apply of ours was there before: what an update owns besides it is what our patches have changed. */
export function ownByApply({ metadata }: KubeObject): PatchOperation[] {
  const { managedFields = [] } = metadata as { managedFields?: Entry[] };
  const ours = managedFields.filter(({ manager, subresource }) => manager === MANAGER && !subresource);
  if (ours.length === 0 || ours.some(({ operation }) => operation === "Apply")) return [];
  const value = managedFields.map((entry) => ours.includes(entry) ? appliedOf(entry) : entry);
  return [{ op: "replace", path: "/metadata/managedFields", value }];
}

/** The fence is left out: no apply has it, and the next one would take it away. */
function appliedOf(entry: Entry): Entry {
  const { "f:metadata": metadata, ...fields } = entry.fieldsV1 ?? {};
  const { [`f:${FENCE}`]: _, ...annotations } = metadata?.["f:annotations"] ?? {};
  const fieldsV1 = { ...fields, "f:metadata": { ...metadata, "f:annotations": annotations } };
  return { ...entry, operation: "Apply", fieldsV1 };
}
