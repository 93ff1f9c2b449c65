/** Describes, as data, how an operation changes a Kubernetes object. A preview sends the same change as a dry run. */
import type { ExpectedObject } from "#lib/moodle/expected-objects.ts";
import { type KubeObject, type ObjectRef, type PatchOperation, toObjectRef } from "#lib/drivers/cluster/cluster.ts";

export type ObjectChange = ObjectPatch | ObjectPut | ObjectRemoval | PvcGrowth | ImpossibleChange;

export interface ObjectPatch {
  readonly ref: ObjectRef;
  readonly patch: (current: KubeObject) => readonly PatchOperation[];
}

/** A change that creates or updates an object. With `comparison` "presence", an existing object is not updated. */
export interface ObjectPut extends Omit<ExpectedObject, "object"> {
  readonly ref: ObjectRef;
  readonly put: KubeObject;
  /** The reason why a missing object cannot be recreated. If set, the operation does not change the object. */
  readonly missingReason?: string;
  /** Set if the preview must skip the dry run of this change, because another object still uses the same name. */
  readonly skipDryRun?: true;
}

export interface ObjectRemoval {
  readonly ref: ObjectRef;
  readonly remove: true;
}

/** A change that enlarges a PVC to the size `grow`. The preview skips this change: a dry run would exceed the quota. */
export interface PvcGrowth {
  readonly ref: ObjectRef;
  readonly grow: string;
}

/** A change that an operation cannot make, with the reason. */
interface ImpossibleChange {
  readonly ref: ObjectRef;
  readonly missingReason: string;
}

/** Builds a patch that sets one field of a Kubernetes object. */
export function buildFieldPatch(ref: ObjectRef, path: string, value: string | number | boolean): ObjectPatch {
  return { ref, patch: () => [{ op: "add", path, value }] };
}

export function buildObjectPut(object: KubeObject): ObjectPut {
  return { ref: toObjectRef(object), put: object, applied: object, comparison: "full" };
}

export function createPvcGrowth(claim: string, size: string): PvcGrowth {
  return { ref: { apiVersion: "v1", kind: "PersistentVolumeClaim", name: claim }, grow: size };
}
