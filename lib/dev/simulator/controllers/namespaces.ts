/**
 * Namespaces: given a service account when they begin; when they end, emptied, pods first, and gone once nothing is left.
 *
 * While pods still stop, the conditions say that all is well, as the real one's do; only after that do they name what
 * remains and whose finalizers hold it.
 */
import { type Controller, withConditions } from "#lib/dev/simulator/controllers/controller.ts";
import { deleteObject } from "#lib/dev/simulator/deletion.ts";
import { type Kind, resource } from "#lib/dev/simulator/kinds.ts";
import { type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject, createObject } from "#lib/dev/simulator/writes.ts";

const MANAGER = "kube-controller-manager";
const HESITATION = 4; // a part of the delay passes before anything is deleted, as the real one waits some seconds
const LOOK = 250; // ms between looks at what remains, beside the looks that changes bring

export function namespaceController(world: World): Controller {
  const kind = world.kinds.of("v1", "Namespace")!;
  const due = new Map<string, number>();
  return {
    kind,
    gone: (space) => void due.delete(space.metadata.uid),
    also(change) {
      if (change.type !== "DELETED" || change.object.metadata.namespace === undefined) return [];
      const space = world.store.get(kind, undefined, change.object.metadata.namespace);
      return space && space.status?.phase === "Terminating" ? [space] : [];
    },
    reconcile(space) {
      if (space.status?.phase !== "Terminating") return begin(world, space.metadata.name);
      const at = due.get(space.metadata.uid) ?? world.timers.now() + world.delayMs / HESITATION;
      due.set(space.metadata.uid, at);
      if (world.timers.now() < at) return at - world.timers.now();
      const contents = world.store.contents(space.metadata.name);
      const pods = contents.filter((each) => each.kind.kind === "Pod");
      const now = pods.length > 0 ? pods : contents;
      for (const { kind, object } of now) {
        if (object.metadata.deletionTimestamp === undefined) {
          deleteObject(world, kind, object, { propagation: "Background" });
        }
      }
      const left = pods.length > 0 ? [] : world.store.contents(space.metadata.name);
      const held = world.faults.of("stuck-namespace", undefined, space.metadata.name) !== null;
      if (pods.length === 0 && left.length === 0 && !held) return void world.store.remove(kind, space);
      changeObject(world, kind, space, MANAGER, (live) => ({ ...live, status: statusOf(world, live, left, held) }));
      return LOOK;
    },
  };
}

function begin(world: World, namespace: string): void {
  const account = world.kinds.of("v1", "ServiceAccount")!, config = world.kinds.of("v1", "ConfigMap")!;
  const options = { manager: MANAGER };
  if (!world.store.get(account, namespace, "default")) {
    createObject(world, account, namespace, { metadata: { name: "default" } }, options);
  }
  if (!world.store.get(config, namespace, "kube-root-ca.crt")) {
    const body = { metadata: { name: "kube-root-ca.crt" }, data: { "ca.crt": "simulated\n" } };
    createObject(world, config, namespace, body, options);
  }
}

function statusOf(
  world: World,
  space: KubeObject,
  left: readonly { kind: Kind; object: KubeObject }[],
  held: boolean,
): unknown {
  const kinds = tally(left.map(({ kind }) => kind.group === "" ? `${kind.plural}.` : resource(kind)));
  const finalizers = tally(left.flatMap(({ object }) => object.metadata.finalizers ?? []));
  if (held) {
    kinds.set("configmaps.", (kinds.get("configmaps.") ?? 0) + 1);
    finalizers.set("simulator/stuck", 1);
  }
  const list = (counts: Map<string, number>, words: string) =>
    [...counts].sort().map(([name, count]) => `${name} ${words} ${count} resource instances`).join(", ");
  const fine = (type: string, reason: string, message: string) => ({ type, status: "False", reason, message });
  const conditions = withConditions(
    space.status?.conditions,
    timestamp(world.timers.now()),
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
    kinds.size === 0 ? fine("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed") : {
      type: "NamespaceContentRemaining",
      status: "True",
      reason: "SomeResourcesRemain",
      message: `Some resources are remaining: ${list(kinds, "has")}`,
    },
    finalizers.size === 0
      ? fine("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished")
      : {
        type: "NamespaceFinalizersRemaining",
        status: "True",
        reason: "SomeFinalizersRemain",
        message: `Some content in the namespace has finalizers remaining: ${list(finalizers, "in")}`,
      },
  );
  return { ...space.status, conditions };
}

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
