/** Simulates the garbage collector: deletes or orphans an owner's dependents, as the propagation policy requires. */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { CONTROLLER_FIELD_MANAGER, listOwners, removeFinalizers } from "#lib/dev/simulator/controllers/objects.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

/** Returns one controller per namespaced kind, because an owner can be of any kind. */
export function garbageCollectorControllers(world: SimulatorContext): Controller[] {
  return world.kinds.all.filter((kind) => kind.namespaced && kind.kind !== "Event").map(({ kind }) => ({
    kind,
    also: ({ type, object }) =>
      type === "DELETED"
        ? listOwners(world, kind, object).filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        : [],
    removed(owner) {
      for (const each of listDependents(world, owner)) deleteObject(world, each, { propagation: "Background" });
    },
    reconcile(object) {
      if (isOrphan(world, object)) deleteObject(world, object, { propagation: "Background" });
    },
    end: (object) => collectDependents(world, object),
  }));
}

function collectDependents(world: SimulatorContext, object: StoredObject): void {
  const { finalizers = [], uid } = object.metadata;
  if (finalizers.includes("foregroundDeletion")) {
    for (const each of listDependents(world, object)) {
      if (each.metadata.deletionTimestamp === undefined) deleteObject(world, each, { propagation: "Foreground" });
    }
    if (listDependents(world, object).length === 0) {
      removeFinalizers(world, object, CONTROLLER_FIELD_MANAGER, ["foregroundDeletion"]);
    }
  } else if (finalizers.includes("orphan")) {
    for (const each of listDependents(world, object)) {
      changeObject(world, each, CONTROLLER_FIELD_MANAGER, (live) => {
        const { ownerReferences = [], ...metadata } = live.metadata;
        const others = ownerReferences.filter((owner) => owner.uid !== uid);
        return { ...live, metadata: others.length > 0 ? { ...metadata, ownerReferences: others } : metadata };
      });
    }
    removeFinalizers(world, object, CONTROLLER_FIELD_MANAGER, ["orphan"]);
  }
}

/** Returns the objects that have this object as their only owner. */
function listDependents(world: SimulatorContext, { metadata: { namespace, uid } }: StoredObject): StoredObject[] {
  return world.store.contents(namespace!).filter(({ metadata: { ownerReferences: owners } }) =>
    owners?.length === 1 && owners[0]!.uid === uid
  );
}

function isOrphan(
  world: SimulatorContext,
  { metadata: { namespace, ownerReferences: owners = [] } }: StoredObject,
): boolean {
  return owners.length > 0 && owners.every((owner) => {
    const kind = world.kinds.of(owner);
    if (!kind) return false; // an unknown kind does not make the object an orphan
    const found = world.store.get(owner.kind, kind.namespaced ? namespace : undefined, owner.name);
    return found?.metadata.uid !== owner.uid;
  });
}
