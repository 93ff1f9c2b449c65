/**
 * The node controller: a node whose kubelet is silent is not ready and tainted, and so is every pod on it not ready.
 *
 * A pod that is deleted there stays for ever, for only its kubelet could say that it has ended. Evicting the others, which
 * takes a real cluster five minutes, is left out.
 */
import { say } from "#lib/dev/simulator/events.ts";
import { type Json, type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/writes.ts";
import { type Controller, withConditions } from "#lib/dev/simulator/controllers/controller.ts";
import { isOver } from "#lib/dev/simulator/controllers/pod-status.ts";

const MANAGER = "kube-controller-manager";
export const UNREACHABLE = "node.kubernetes.io/unreachable";

const READY = { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" };
const SILENT = {
  type: "Ready",
  status: "Unknown",
  reason: "NodeStatusUnknown",
  message: "Kubelet stopped posting node status.",
};

export function nodeController(world: World): Controller {
  const kind = world.kinds.of("v1", "Node")!, pods = world.kinds.of("v1", "Pod")!;
  return {
    kind,
    reconcile(node) {
      const { name } = node.metadata, lost = isLost(world, name), at = timestamp(world.timers.now());
      changeObject(world, kind, node, MANAGER, (live) => {
        const others = (live.spec?.taints ?? []).filter(({ key }: Json) => key !== UNREACHABLE);
        const taints = lost
          ? [...others, ...["NoSchedule", "NoExecute"].map((effect) => ({ key: UNREACHABLE, effect }))]
          : others;
        const conditions = withConditions(live.status.conditions, at, lost ? SILENT : READY);
        return { ...live, spec: { ...live.spec, taints }, status: { ...live.status, conditions } };
      });
      if (!lost) return; // the kubelet itself says of its pods that they are ready again
      for (const pod of world.store.list(pods).filter((each) => each.spec.nodeName === name && !isOver(each))) {
        unready(world, pod, at);
      }
    },
  };
}

/** Whether nothing is heard of the node, and nothing is done there. */
export function isLost(world: World, node: string): boolean {
  return world.faults.of("lost-node", undefined, node) !== null;
}

function unready(world: World, pod: KubeObject, at: string): void {
  const ready = (pod.status?.conditions ?? []).find(({ type }: Json) => type === "Ready");
  if (ready?.status !== "True") return;
  say(world, pod, { type: "Warning", reason: "NodeNotReady", message: "Node is not ready", by: "node-controller" });
  changeObject(world, world.kinds.of("v1", "Pod")!, pod, MANAGER, (live) => ({
    ...live,
    status: { ...live.status, conditions: withConditions(live.status.conditions, at, { ...ready, status: "False" }) },
  }));
}
