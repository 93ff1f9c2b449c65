/**
 * Simulates the node controller: taints an unreachable node and marks its pods as not ready. As on a real cluster, pods
 * that are deleted during that time remain. Pod eviction is not simulated.
 */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  CONTROLLER_FIELD_MANAGER,
  findCondition,
  mergeConditions,
} from "#lib/dev/simulator/controllers/objects.ts";
import { isPodFinished } from "#lib/dev/simulator/controllers/pod-status.ts";
import { recordKubernetesEvent } from "#lib/dev/simulator/controllers/events.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

export const UNREACHABLE_TAINT = "node.kubernetes.io/unreachable";

const READY = { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" };
const SILENT = {
  type: "Ready",
  status: "Unknown",
  reason: "NodeStatusUnknown",
  message: "Kubelet stopped posting node status.",
};

export function nodeController(world: SimulatorContext): Controller {
  return {
    kind: "Node",
    reconcile(node) {
      const { name } = node.metadata, lost = isNodeLost(world, name), at = world.timers.stamp();
      changeObject(world, node, CONTROLLER_FIELD_MANAGER, (live) => {
        const others = (live.spec?.taints ?? []).filter(({ key }: Json) => key !== UNREACHABLE_TAINT);
        const own = lost ? ["NoSchedule", "NoExecute"].map((effect) => ({ key: UNREACHABLE_TAINT, effect })) : [];
        const conditions = mergeConditions(live.status.conditions, at, lost ? SILENT : READY);
        const spec = { ...live.spec, taints: [...others, ...own] };
        return { ...live, spec, status: { ...live.status, conditions } };
      });
      if (!lost) return; // the kubelet itself marks its pods as ready again
      for (const pod of world.store.list("Pod").filter((each) => each.spec.nodeName === name && !isPodFinished(each))) {
        const ready = findCondition(pod, "Ready");
        if (ready?.status !== "True") continue;
        recordKubernetesEvent(world, pod, {
          by: "node-controller",
          warning: "NodeNotReady",
          message: "Node is not ready",
        });
        changeObjectStatus(world, pod, CONTROLLER_FIELD_MANAGER, (status) => ({
          ...status,
          conditions: mergeConditions(status.conditions, at, { ...ready, status: "False" }),
        }));
      }
    },
  };
}

/** Whether a `lost-node` fault makes the node unreachable. */
export function isNodeLost(world: SimulatorContext, node: string): boolean {
  return world.faults.find("lost-node", undefined, node) !== null;
}
