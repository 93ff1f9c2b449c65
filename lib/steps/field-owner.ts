/**
 * Makes server-side apply the owner of the fields of an object that was created by a POST, as client-go's `csaupgrade`
 * does. Otherwise, server-side apply would never remove a field that a later blueprint omits. Fields that patches
 * change, such as `replicas`, keep their owner.
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
 * Returns the patch that makes server-side apply the owner of the fields. The patch is empty if the object was already
 * applied, or if another program created it.
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
 * Returns the entry without the fence annotation (claim number): no manifest contains it, so an apply would remove it.
 */
function appliedOf(entry: Entry): Entry {
  const { "f:metadata": metadata, ...fields } = entry.fieldsV1 ?? {};
  const { [`f:${FENCE_METADATA_KEY}`]: _, ...annotations } = metadata?.["f:annotations"] ?? {};
  const fieldsV1 = { ...fields, "f:metadata": { ...metadata, "f:annotations": annotations } };
  return { ...entry, manager: FIELD_MANAGER, operation: "Apply", fieldsV1 };
}
