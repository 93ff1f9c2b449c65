/** The garbage collector: dependents go with their owner, before it, or are let go, as the deletion asked for. */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { deleteObject } from "#lib/dev/simulator/deletion.ts";
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import type { KubeObject } from "#lib/dev/simulator/object.ts";
import type { Change } from "#lib/dev/simulator/store.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/writes.ts";

const MANAGER = "kube-controller-manager";

/** One controller for every kind: owners may be of any. */
export function garbageControllers(world: World): Controller[] {
  return world.kinds.all.filter((kind) => kind.namespaced && kind.kind !== "Event").map((kind) => ({
    kind,
    also: (change: Change) => change.type === "DELETED" ? waitingOwners(world, kind, change.object) : [],
    gone: (owner) => {
      for (const dependent of dependents(world, owner)) {
        deleteObject(world, dependent.kind, dependent.object, { propagation: "Background" });
      }
    },
    reconcile: (object) => collect(world, kind, object),
  }));
}

function collect(world: World, kind: Kind, object: KubeObject): void {
  const finalizers = object.metadata.finalizers ?? [];
  if (object.metadata.deletionTimestamp === undefined) {
    if (isOrphan(world, object)) deleteObject(world, kind, object, { propagation: "Background" });
    return;
  }
  if (finalizers.includes("foregroundDeletion")) {
    const blocking = dependents(world, object);
    for (const dependent of blocking) {
      if (dependent.object.metadata.deletionTimestamp === undefined) {
        deleteObject(world, dependent.kind, dependent.object, { propagation: "Foreground" });
      }
    }
    if (dependents(world, object).length === 0) letGo(world, kind, object, "foregroundDeletion");
  } else if (finalizers.includes("orphan")) {
    for (const dependent of dependents(world, object)) {
      changeObject(world, dependent.kind, dependent.object, MANAGER, (live) => {
        const ownerReferences = live.metadata.ownerReferences!.filter((owner) => owner.uid !== object.metadata.uid);
        const { ownerReferences: _, ...rest } = live.metadata;
        return { ...live, metadata: ownerReferences.length > 0 ? { ...rest, ownerReferences } : rest };
      });
    }
    letGo(world, kind, object, "orphan");
  }
}

function letGo(world: World, kind: Kind, object: KubeObject, finalizer: string): void {
  changeObject(world, kind, object, MANAGER, (live) => {
    const finalizers = live.metadata.finalizers?.filter((name) => name !== finalizer) ?? [];
    return { ...live, metadata: { ...live.metadata, finalizers } };
  });
}

/** What names this object as its owner and has no other. */
function dependents(world: World, owner: KubeObject): { kind: Kind; object: KubeObject }[] {
  return world.store.contents(owner.metadata.namespace ?? "").filter(({ object }) => {
    const owners = object.metadata.ownerReferences;
    return owners?.some((each) => each.uid === owner.metadata.uid) && owners.length === 1;
  });
}

function waitingOwners(world: World, kind: Kind, gone: KubeObject): KubeObject[] {
  return (gone.metadata.ownerReferences ?? []).flatMap((owner) => {
    if (owner.kind !== kind.kind || owner.apiVersion !== kind.apiVersion) return [];
    const object = world.store.get(kind, gone.metadata.namespace, owner.name);
    return object?.metadata.uid === owner.uid && object.metadata.deletionTimestamp !== undefined ? [object] : [];
  });
}

function isOrphan(world: World, object: KubeObject): boolean {
  const owners = object.metadata.ownerReferences ?? [];
  return owners.length > 0 && owners.every((owner) => {
    const kind = world.kinds.of(owner.apiVersion, owner.kind);
    if (!kind) return false; // of a kind unknown here: its maker knows better
    const found = world.store.get(kind, kind.namespaced ? object.metadata.namespace : undefined, owner.name);
    return found?.metadata.uid !== owner.uid;
  });
}
