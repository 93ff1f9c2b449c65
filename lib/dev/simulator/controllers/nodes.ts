/**
 * The node controller: a node whose kubelet is silent is not ready and tainted, and so is every pod on it not ready.
 *
 * A pod that is deleted there stays for ever, for only its kubelet could say that it has ended. Evicting the others, which
 * takes a real cluster five minutes, is left out.
 */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { changeStatus, conditionOf, CONTROLLERS, withConditions } from "#lib/dev/simulator/controllers/objects.ts";
import { isPodOver } from "#lib/dev/simulator/controllers/pod-status.ts";
import { say } from "#lib/dev/simulator/controllers/events.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

export const UNREACHABLE = "node.kubernetes.io/unreachable";

const READY = { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" };
const SILENT = {
  type: "Ready",
  status: "Unknown",
  reason: "NodeStatusUnknown",
  message: "Kubelet stopped posting node status.",
};

export function nodeController(world: World): Controller {
  return {
    kind: "Node",
    reconcile(node) {
      const { name } = node.metadata, lost = isLost(world, name), at = world.timers.stamp();
      changeObject(world, node, CONTROLLERS, (live) => {
        const others = (live.spec?.taints ?? []).filter(({ key }: Json) => key !== UNREACHABLE);
        const own = lost ? ["NoSchedule", "NoExecute"].map((effect) => ({ key: UNREACHABLE, effect })) : [];
        const conditions = withConditions(live.status.conditions, at, lost ? SILENT : READY);
        const spec = { ...live.spec, taints: [...others, ...own] };
        return { ...live, spec, status: { ...live.status, conditions } };
      });
      if (!lost) return; // the kubelet itself says of its pods that they are ready again
      for (const pod of world.store.list("Pod").filter((each) => each.spec.nodeName === name && !isPodOver(each))) {
        const ready = conditionOf(pod, "Ready");
        if (ready?.status !== "True") continue;
        say(world, pod, { by: "node-controller", warning: "NodeNotReady", message: "Node is not ready" });
        changeStatus(world, pod, CONTROLLERS, (status) => ({
          ...status,
          conditions: withConditions(status.conditions, at, { ...ready, status: "False" }),
        }));
      }
    },
  };
}

/** Whether nothing is heard of the node, and nothing is done there. */
export function isLost(world: World, node: string): boolean {
  return world.faults.of("lost-node", undefined, node) !== null;
}
