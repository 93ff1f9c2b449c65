/** ReplicaSets: as many pods as are wanted, those on their way out not counted. */
import type { World } from "#lib/dev/simulator/world.ts";
import { deleteObject } from "#lib/dev/simulator/deletion.ts";
import { say } from "#lib/dev/simulator/events.ts";
import { changeObject } from "#lib/dev/simulator/writes.ts";
import { type Controller, ownedBy, ownersOf } from "#lib/dev/simulator/controllers/controller.ts";
import { countReady } from "#lib/dev/simulator/controllers/deployments.ts";
import { makePod, makingBackoff } from "#lib/dev/simulator/controllers/pod-maker.ts";
import { isOver } from "#lib/dev/simulator/controllers/pod-status.ts";

const BY = "replicaset-controller";

export function replicaSetController(world: World): Controller {
  const kind = world.kinds.of("apps/v1", "ReplicaSet")!, pods = world.kinds.of("v1", "Pod")!;
  const failures = new Map<string, number>();
  return {
    kind,
    also: (change) => change.kind === pods ? ownersOf(world, kind, change) : [],
    gone: (set) => void failures.delete(set.metadata.uid),
    reconcile(set) {
      if (set.metadata.deletionTimestamp !== undefined) return;
      const wanted = set.spec.replicas as number, uid = set.metadata.uid;
      const living = () =>
        ownedBy(world, pods, set).filter((pod) => pod.metadata.deletionTimestamp === undefined && !isOver(pod));
      let failed = false;
      for (let missing = wanted - living().length; missing > 0 && !failed; missing--) {
        failed = !makePod(world, { owner: set, template: set.spec.template, by: BY });
      }
      for (const pod of living().slice(wanted)) {
        deleteObject(world, pods, pod, {});
        say(world, set, {
          type: "Normal",
          reason: "SuccessfulDelete",
          message: `Deleted pod: ${pod.metadata.name}`,
          by: BY,
        });
      }
      failures.set(uid, failed ? (failures.get(uid) ?? 0) + 1 : 0);
      const present = living(), ready = countReady(present);
      changeObject(world, kind, set, "kube-controller-manager", (live) => ({
        ...live,
        status: {
          replicas: present.length,
          fullyLabeledReplicas: present.length,
          ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
          observedGeneration: live.metadata.generation,
        },
      }));
      return failed ? makingBackoff(failures.get(uid)!) : undefined;
    },
  };
}
