/** Simulates the controllers of namespaces and ResourceQuotas, and the garbage collector. */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  CONTROLLER_FIELD_MANAGER,
  createManagedObject,
  listOwners,
  mergeConditions,
  removeFinalizers,
} from "#lib/dev/simulator/controllers/objects.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import { isSameJson, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { formatQuotaUsage, sumQuotaUsage } from "#lib/dev/simulator/admission/quota.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

const CHECK_INTERVAL = 250; // ms between checks of the remaining objects; changes also trigger a check

export function namespaceController(world: Simulation): Controller {
  return {
    kind: "Namespace",
    also({ type, object }) {
      const space = type === "DELETED" && world.store.get("Namespace", undefined, object.metadata.namespace ?? "");
      return space && space.status?.phase === "Terminating" ? [space] : [];
    },
    reconcile: ({ metadata }) => createNamespaceDefaults(world, metadata.name),
    end(space, memory) {
      const { name } = space.metadata, wait = memory.left(space, world.delays.namespace);
      if (wait > 0) return wait;
      const contents = world.store.contents(name), pods = contents.filter(({ kind }) => kind === "Pod");
      for (const object of pods.length > 0 ? pods : contents) {
        if (object.metadata.deletionTimestamp === undefined) {
          deleteObject(world, object, { propagation: "Background" });
        }
      }
      const left = pods.length > 0 ? [] : world.store.contents(name);
      const isStuck = world.faults.find("stuck-namespace", undefined, name) !== null;
      if (pods.length === 0 && left.length === 0 && !isStuck) return void world.store.remove(space);
      const stated = [...NO_FAILURES, ...remainingConditions(world, left, isStuck)];
      changeObjectStatus(world, space, CONTROLLER_FIELD_MANAGER, (status) => ({
        ...status,
        conditions: mergeConditions(status.conditions, world.timers.stamp(), ...stated),
      }));
      return CHECK_INTERVAL;
    },
  };
}

function createNamespaceDefaults(world: Simulation, namespace: string): void {
  if (!world.store.get("ServiceAccount", namespace, "default")) {
    createManagedObject(world, CONTROLLER_FIELD_MANAGER, {
      kind: "ServiceAccount",
      metadata: { name: "default", namespace },
    });
  }
  const name = "kube-root-ca.crt";
  if (!world.store.get("ConfigMap", namespace, name)) {
    createManagedObject(world, CONTROLLER_FIELD_MANAGER, {
      kind: "ConfigMap",
      metadata: { name, namespace },
      data: { "ca.crt": "simulated\n" },
    });
  }
}

const falseCondition = (type: string, reason: string, message: string) => ({ type, status: "False", reason, message });
const NO_FAILURES = [
  falseCondition("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
  falseCondition(
    "NamespaceDeletionGroupVersionParsingFailure",
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ),
  falseCondition(
    "NamespaceDeletionContentFailure",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ),
];

function remainingConditions(world: Simulation, left: readonly StoredObject[], isStuck: boolean) {
  const kinds = left.map((object) => world.kinds.of(object)!).map(({ plural, group }) => `${plural}.${group}`);
  const finalizers = left.flatMap(({ metadata }) => metadata.finalizers ?? []);
  if (isStuck) {
    kinds.push("configmaps.");
    finalizers.push("simulator/stuck");
  }
  return [
    kinds.length === 0
      ? falseCondition("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed")
      : {
        type: "NamespaceContentRemaining",
        status: "True",
        reason: "SomeResourcesRemain",
        message: `Some resources are remaining: ${formatCounts(kinds, "has")}`,
      },
    finalizers.length === 0
      ? falseCondition(
        "NamespaceFinalizersRemaining",
        "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
      )
      : {
        type: "NamespaceFinalizersRemaining",
        status: "True",
        reason: "SomeFinalizersRemain",
        message: `Some content in the namespace has finalizers remaining: ${formatCounts(finalizers, "in")}`,
      },
  ];
}

/** Formats how often each name occurs, as Kubernetes words it, for example `pods. has 2 resource instances`. */
function formatCounts(names: readonly string[], words: string): string {
  const counts = Map.groupBy(names, (name) => name);
  return [...counts].sort().map(([name, all]) => `${name} ${words} ${all.length} resource instances`).join(", ");
}

/** Simulates the ResourceQuota controller: writes limits and usage to the status. A new limit applies after a delay. */
export function resourceQuotaController(world: Simulation): Controller {
  const kind = "ResourceQuota";
  return {
    kind,
    also: ({ object: { kind: other, metadata } }) =>
      metadata.namespace === undefined || other === "Event" || other === kind
        ? []
        : world.store.list(kind, metadata.namespace),
    reconcile(quota, memory) {
      const { status, spec, metadata } = quota, desired = spec?.hard ?? {};
      const late = status?.hard !== undefined && !isSameJson(desired, status.hard);
      const wait = late ? memory.left(quota, world.delays.quota) : 0;
      if (!late) memory.reset(quota);
      const hard = wait > 0 ? status.hard : desired;
      const used = formatQuotaUsage(sumQuotaUsage(world.kinds, hard, world.store.contents(metadata.namespace!)));
      changeObjectStatus(world, quota, CONTROLLER_FIELD_MANAGER, () => ({ hard, used }));
      return wait > 0 ? wait : undefined;
    },
  };
}

/** Returns one controller per namespaced kind, because an owner can be of any kind. */
export function garbageCollectorControllers(world: Simulation): Controller[] {
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

function collectDependents(world: Simulation, object: StoredObject): void {
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
function listDependents(world: Simulation, { metadata: { namespace, uid } }: StoredObject): StoredObject[] {
  return world.store.contents(namespace!).filter(({ metadata: { ownerReferences: owners } }) =>
    owners?.length === 1 && owners[0]!.uid === uid
  );
}

function isOrphan(world: Simulation, { metadata: { namespace, ownerReferences: owners = [] } }: StoredObject): boolean {
  return owners.length > 0 && owners.every((owner) => {
    const kind = world.kinds.of(owner);
    if (!kind) return false; // an unknown kind does not make the object an orphan
    const found = world.store.get(owner.kind, kind.namespaced ? namespace : undefined, owner.name);
    return found?.metadata.uid !== owner.uid;
  });
}
