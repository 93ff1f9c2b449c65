/**
 * Who owns the fields of an object that we made by a POST.
 *
 * The API server notes them as an update's. An apply takes away what an earlier apply had and it has not, but nothing that
 * an update owns: a field that the blueprint drops later would stand for ever. So the note is made an apply's before the
 * first one, as client-go's `csaupgrade` does it. It has a name of its own until then, so that what our patches change
 * meanwhile (a number of replicas, a pause) is not taken for the blueprint's, and away by that apply.
 */
import { FENCE } from "#lib/moodle/names.ts";
import type { KubeObject, PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import { CREATE_FIELD_MANAGER, FIELD_MANAGER } from "#lib/drivers/cluster/objects.ts";

interface Entry {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly subresource?: string;
  readonly fieldsV1?: { readonly "f:metadata"?: { readonly "f:annotations"?: Readonly<Record<string, unknown>> } };
}

/** Nothing where an apply of ours was there before, or somebody else made it. */
export function ownByApply({ metadata }: KubeObject): PatchOperation[] {
  const { managedFields = [] } = metadata as { managedFields?: Entry[] };
  const applied = managedFields.some(({ manager, operation }) => manager === FIELD_MANAGER && operation === "Apply");
  if (applied || !managedFields.some(isMakers)) return [];
  const value = managedFields.map((entry) => isMakers(entry) ? appliedOf(entry) : entry);
  return [{ op: "replace", path: "/metadata/managedFields", value }];
}

function isMakers({ manager, subresource }: Entry): boolean {
  return manager === CREATE_FIELD_MANAGER && !subresource;
}

/** The fence is left out: no apply has it, and the next one would take it away. */
function appliedOf(entry: Entry): Entry {
  const { "f:metadata": metadata, ...fields } = entry.fieldsV1 ?? {};
  const { [`f:${FENCE}`]: _, ...annotations } = metadata?.["f:annotations"] ?? {};
  const fieldsV1 = { ...fields, "f:metadata": { ...metadata, "f:annotations": annotations } };
  return { ...entry, manager: FIELD_MANAGER, operation: "Apply", fieldsV1 };
}
