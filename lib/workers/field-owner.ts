/**
 * Makes server-side apply the owner of a newly created object's fields, like client-go's `csaupgrade`. Otherwise,
 * server-side apply would never remove a field that a later blueprint omits.
 * Fields that patches change, such as `replicas`, keep their owner.
 */
import { FENCE_METADATA_KEY } from "#lib/moodle/names.ts";
import type { KubeObject, PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import { CREATE_FIELD_MANAGER, FIELD_MANAGER } from "#lib/drivers/cluster/objects.ts";

interface Entry {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly subresource?: string;
  readonly fieldsV1?: { readonly "f:metadata"?: { readonly "f:annotations"?: Readonly<Record<string, unknown>> } };
}

/**
 * Returns the patch that changes the owner of the fields. Returns an empty patch if the object was already applied or
 * was created by another program.
 */
export function createFieldOwnerPatch({ metadata }: KubeObject): PatchOperation[] {
  const { managedFields = [] } = metadata as { managedFields?: Entry[] };
  const applied = managedFields.some(({ manager, operation }) => manager === FIELD_MANAGER && operation === "Apply");
  if (applied || !managedFields.some(isOwnedByCreation)) return [];
  const value = managedFields.map((entry) => isOwnedByCreation(entry) ? appliedOf(entry) : entry);
  return [{ op: "replace", path: "/metadata/managedFields", value }];
}

function isOwnedByCreation({ manager, subresource }: Entry): boolean {
  return manager === CREATE_FIELD_MANAGER && !subresource;
}

/**
 * Returns the entry without the fence annotation. No manifest contains this annotation, so an apply would remove it.
 */
function appliedOf(entry: Entry): Entry {
  const { "f:metadata": metadata, ...fields } = entry.fieldsV1 ?? {};
  const { [`f:${FENCE_METADATA_KEY}`]: _, ...annotations } = metadata?.["f:annotations"] ?? {};
  const fieldsV1 = { ...fields, "f:metadata": { ...metadata, "f:annotations": annotations } };
  return { ...entry, manager: FIELD_MANAGER, operation: "Apply", fieldsV1 };
}
