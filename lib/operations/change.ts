/** A change that an operation makes to an object, as data. A preview sends a dry run; the operation applies it. */
import type { ExpectedObject } from "#lib/moodle/expected-objects.ts";
import { type KubeObject, type ObjectRef, objectRefOf, type PatchOperation } from "#lib/drivers/cluster/cluster.ts";

export type ObjectChange = ObjectPatch | ObjectPut | ObjectRemoval | PvcGrowth | ImpossibleChange;

/** 41 */
export interface ObjectPatch {
  readonly ref: ObjectRef;
  readonly patch: (current: KubeObject) => readonly PatchOperation[];
}

/** Creates the object if it is missing, and updates an existing one, unless only its presence matters. */
export interface ObjectPut extends Omit<ExpectedObject, "object"> {
  readonly ref: ObjectRef;
  readonly put: KubeObject;
  /** Why a missing object is not recreated. If set, the operation then changes nothing. */
  readonly missingReason?: string;
  /** Set if another object has the name until the change is made. A dry run would be refused. */
  readonly skipDryRun?: true;
}

/** 47 */
export interface ObjectRemoval {
  readonly ref: ObjectRef;
  readonly remove: true;
}

/** Grows a smaller PersistentVolumeClaim to this size. Has no dry run: it would fail before the quota is raised. */
export interface PvcGrowth {
  readonly ref: ObjectRef;
  readonly grow: string;
}

/** A change that is not possible, with the reason. */
interface ImpossibleChange {
  readonly ref: ObjectRef;
  readonly missingReason: string;
}

/** Returns a patch that sets a field. */
export function setField(ref: ObjectRef, path: string, value: string | number | boolean): ObjectPatch {
  return { ref, patch: () => [{ op: "add", path, value }] };
}

export function putObject(object: KubeObject): ObjectPut {
  return { ref: objectRefOf(object), put: object, applied: object, comparison: "full" };
}

export function createPvcGrowth(claim: string, size: string): PvcGrowth {
  return { ref: { apiVersion: "v1", kind: "PersistentVolumeClaim", name: claim }, grow: size };
}
