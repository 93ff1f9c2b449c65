/** Provides functions that create objects, change their status and finalizers, and find owners and dependents. */
import type { Json, OwnerReference, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";
import { changeObject, createObject } from "#lib/dev/simulator/admission/writes.ts";

/** The field manager that most built-in controllers use. */
export const CONTROLLER_FIELD_MANAGER = "kube-controller-manager";

export function createManagedObject(world: SimulatorContext, manager: string, body: Json): StoredObject {
  return createObject(world, world.kinds.named(body.kind), body.metadata.namespace, body, { manager });
}

/** Changes an object's status. Returns the updated object; undefined if the object was removed. */
export function changeObjectStatus(
  world: SimulatorContext,
  object: StoredObject,
  manager: string,
  change: (status: Json, live: StoredObject) => Json,
): StoredObject | undefined {
  return changeObject(world, object, manager, (live) => ({ ...live, status: change(live.status ?? {}, live) }));
}

export function setAnnotations(
  world: SimulatorContext,
  object: StoredObject,
  manager: string,
  annotations: Readonly<Record<string, string>>,
): StoredObject | undefined {
  return changeObject(world, object, manager, (live) => {
    const { metadata } = live;
    return { ...live, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
  });
}

/** Removes finalizers from an object. If it is being deleted, removing the last finalizer removes the object. */
export function removeFinalizers(
  world: SimulatorContext,
  object: StoredObject,
  manager: string,
  names: readonly string[],
): void {
  changeObject(world, object, manager, (live) => {
    const finalizers = live.metadata.finalizers?.filter((name) => !names.includes(name)) ?? [];
    return { ...live, metadata: { ...live.metadata, finalizers } };
  });
}

/** Returns the object's owners with the given kind. */
export function listOwners(world: SimulatorContext, kind: string, { metadata }: StoredObject): StoredObject[] {
  return (metadata.ownerReferences ?? []).filter((owner) => owner.kind === kind).flatMap((owner) => {
    const object = world.store.get(kind, metadata.namespace, owner.name);
    return object?.metadata.uid === owner.uid && object.apiVersion === owner.apiVersion ? [object] : [];
  });
}

export function listOwnedObjects(world: SimulatorContext, kind: string, { metadata }: StoredObject): StoredObject[] {
  return world.store.list(kind, metadata.namespace)
    .filter((object) => object.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
}

/** Returns an owner reference to this object, for the dependents that it controls. */
export function createOwnerReference({ apiVersion, kind, metadata: { name, uid } }: StoredObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** A condition without its transition time. */
export interface ConditionWithoutTime {
  readonly type: string;
  readonly status: string;
  readonly [field: string]: Json;
}

export interface ObjectCondition extends ConditionWithoutTime {
  readonly lastTransitionTime: string;
}

export function findCondition(object: StoredObject, type: string): ObjectCondition | undefined {
  return object.status?.conditions?.find((each: ObjectCondition) => each.type === type);
}

export function isConditionTrue(object: StoredObject, type: string): boolean {
  return findCondition(object, type)?.status === "True";
}

/** Returns the conditions with `wanted` added or replaced. A condition with an unchanged status keeps its timestamp. */
export function mergeConditions(
  present: readonly ObjectCondition[] | undefined,
  at: string,
  ...wanted: readonly ConditionWithoutTime[]
): ObjectCondition[] {
  const conditions = [...present ?? []];
  for (const condition of wanted) {
    const i = conditions.findIndex((each) => each.type === condition.type);
    const since = conditions[i]?.status === condition.status ? conditions[i]!.lastTransitionTime : at;
    conditions.splice(i < 0 ? conditions.length : i, 1, { ...condition, lastTransitionTime: since });
  }
  return conditions;
}
