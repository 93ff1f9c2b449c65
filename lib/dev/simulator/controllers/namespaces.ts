/**
 * Simulates the namespace and ResourceQuota controllers.
 *
 * A new namespace gets a service account. A namespace that is being deleted is emptied, pods first, and then removed.
 * Its conditions report no problem while pods stop. After that they list the remaining objects and finalizers, as in a
 * real cluster. A ResourceQuota's status shows what the namespace uses.
 */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { changeStatus, CONTROLLERS, make, withConditions } from "#lib/dev/simulator/controllers/objects.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import { same, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { usage, writeCost } from "#lib/dev/simulator/admission/quota.ts";
import type { World } from "#lib/dev/simulator/world.ts";

const LOOK = 250; // ms between checks of the remaining objects; changes also trigger a check

export function namespaceController(world: World): Controller {
  return {
    kind: "Namespace",
    also({ type, object }) {
      const space = type === "DELETED" && world.store.get("Namespace", undefined, object.metadata.namespace ?? "");
      return space && space.status?.phase === "Terminating" ? [space] : [];
    },
    reconcile: ({ metadata }) => furnish(world, metadata.name),
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
      const held = world.faults.of("stuck-namespace", undefined, name) !== null;
      if (pods.length === 0 && left.length === 0 && !held) return void world.store.remove(space);
      const stated = [...FINE, ...remaining(world, left, held)];
      changeStatus(world, space, CONTROLLERS, (status) => ({
        ...status,
        conditions: withConditions(status.conditions, world.timers.stamp(), ...stated),
      }));
      return LOOK;
    },
  };
}

function furnish(world: World, namespace: string): void {
  if (!world.store.get("ServiceAccount", namespace, "default")) {
    make(world, CONTROLLERS, { kind: "ServiceAccount", metadata: { name: "default", namespace } });
  }
  const name = "kube-root-ca.crt";
  if (!world.store.get("ConfigMap", namespace, name)) {
    make(world, CONTROLLERS, { kind: "ConfigMap", metadata: { name, namespace }, data: { "ca.crt": "simulated\n" } });
  }
}

const fine = (type: string, reason: string, message: string) => ({ type, status: "False", reason, message });
const FINE = [
  fine("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
  fine(
    "NamespaceDeletionGroupVersionParsingFailure",
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ),
  fine(
    "NamespaceDeletionContentFailure",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ),
];

function remaining(world: World, left: readonly StoredObject[], held: boolean) {
  const kinds = left.map((object) => world.kinds.of(object)!).map(({ plural, group }) => `${plural}.${group}`);
  const finalizers = left.flatMap(({ metadata }) => metadata.finalizers ?? []);
  if (held) {
    kinds.push("configmaps.");
    finalizers.push("simulator/stuck");
  }
  return [
    kinds.length === 0 ? fine("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed") : {
      type: "NamespaceContentRemaining",
      status: "True",
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${tally(kinds, "has")}`,
    },
    finalizers.length === 0
      ? fine("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished")
      : {
        type: "NamespaceFinalizersRemaining",
        status: "True",
        reason: "SomeFinalizersRemain",
        message: `Some content in the namespace has finalizers remaining: ${tally(finalizers, "in")}`,
      },
  ];
}

/** Returns each name with its count as text, for example `pods. has 2 resource instances`. */
function tally(names: readonly string[], words: string): string {
  const counts = Map.groupBy(names, (name) => name);
  return [...counts].sort().map(([name, all]) => `${name} ${words} ${all.length} resource instances`).join(", ");
}

/** Writes limits and usage to the quota's status. A changed limit appears there after a delay. */
export function quotaController(world: World): Controller {
  const kind = "ResourceQuota";
  return {
    kind,
    also: ({ object: { kind: other, metadata } }) =>
      metadata.namespace === undefined || other === "Event" || other === kind
        ? []
        : world.store.list(kind, metadata.namespace),
    reconcile(quota, memory) {
      const { status, spec, metadata } = quota, wanted = spec?.hard ?? {};
      const late = status?.hard !== undefined && !same(wanted, status.hard);
      const wait = late ? memory.left(quota, world.delays.quota) : 0;
      if (!late) memory.reset(quota);
      const hard = wait > 0 ? status.hard : wanted;
      const used = writeCost(usage(world.kinds, hard, world.store.contents(metadata.namespace!)));
      changeStatus(world, quota, CONTROLLERS, () => ({ hard, used }));
      return wait > 0 ? wait : undefined;
    },
  };
}
