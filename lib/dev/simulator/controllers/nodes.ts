/**
 * Simulates the node controller: marks a node with a silent kubelet as not ready and taints it. Its pods become not
 * ready.
 *
 * A deleted pod on such a node stays forever, because only its kubelet could report its end. A real cluster also evicts
 * the other pods after five minutes; this is not simulated.
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
      if (!lost) return; // the kubelet itself marks its pods as ready again
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

/** Whether a `lost-node` fault makes the node unreachable. */
export function isLost(world: World, node: string): boolean {
  return world.faults.of("lost-node", undefined, node) !== null;
}
