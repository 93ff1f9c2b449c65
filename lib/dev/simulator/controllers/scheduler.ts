/** Simulates the node controller, and the scheduler, which assigns each pod to the only node if the pod fits there. */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  CONTROLLER_FIELD_MANAGER,
  findCondition,
  mergeConditions,
  NODE_NAME,
  recordKubernetesEvent,
  setAnnotations,
} from "#lib/dev/simulator/controllers/objects.ts";
import { isPodFinished } from "#lib/dev/simulator/controllers/kubelet.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";
import { computeQuotaCost, parseMilliQuantityOrZero } from "#lib/dev/simulator/admission/quota.ts";
import { matchesSelector } from "#lib/dev/simulator/admission/selectors.ts";

export const UNREACHABLE_TAINT = "node.kubernetes.io/unreachable";

const READY = { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" };
const SILENT = {
  type: "Ready",
  status: "Unknown",
  reason: "NodeStatusUnknown",
  message: "Kubelet stopped posting node status.",
};

export function nodeController(world: Simulation): Controller {
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
export function isNodeLost(world: Simulation, node: string): boolean {
  return world.faults.find("lost-node", undefined, node) !== null;
}

const COMPONENT = "default-scheduler";
const MANAGER = "kube-scheduler";
export const SELECTED_NODE_ANNOTATION = "volume.kubernetes.io/selected-node";
const NO_VICTIMS = "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";
const NO_HELP = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";

/** Binds the pod to the node, or reports why the pod cannot be scheduled. */
export function schedulePod(world: Simulation, pod: StoredObject): void {
  const { namespace, name } = pod.metadata, at = world.timers.stamp();
  const claims = checkClaims(world, pod);
  const faultMessage = world.faults.find("no-node", namespace, name)?.message;
  const why = claims.missing ?? findUnfitReason(world, pod);
  const refusal = faultMessage ?? (why && `0/1 nodes are available: ${why}`);
  if (refusal) {
    recordKubernetesEvent(world, pod, { by: COMPONENT, warning: "FailedScheduling", message: refusal });
    const unscheduled = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: refusal };
    changeObjectStatus(world, pod, MANAGER, (status) => ({
      ...status,
      conditions: mergeConditions(status.conditions, at, { ...unscheduled, lastProbeTime: null }),
    }));
    return;
  }
  for (const claim of claims.unbound) setAnnotations(world, claim, MANAGER, { [SELECTED_NODE_ANNOTATION]: NODE_NAME });
  if (claims.unbound.length > 0) return; // the pod is reconciled again when its PVCs are bound
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null };
  const bound = changeObject(world, pod, MANAGER, ({ spec, status, ...live }) => ({
    ...live,
    spec: { ...spec, nodeName: NODE_NAME },
    status: { ...status, conditions: mergeConditions(status.conditions, at, scheduled), startTime: at },
  }));
  if (!bound) return;
  recordKubernetesEvent(world, bound, {
    by: COMPONENT,
    normal: "Scheduled",
    message: `Successfully assigned ${namespace}/${name} to ${NODE_NAME}`,
  });
}

/** Returns the pod's unbound PVCs, and an error message if a PVC is missing or cannot be bound. */
function checkClaims(world: Simulation, pod: StoredObject): { missing: string | null; unbound: StoredObject[] } {
  const unbound: StoredObject[] = [];
  for (const name of listPvcNames(pod)) {
    const claim = world.store.get("PersistentVolumeClaim", pod.metadata.namespace, name);
    if (!claim) return { missing: `persistentvolumeclaim "${name}" not found. ${NO_HELP}`, unbound };
    if (claim.metadata.deletionTimestamp !== undefined) {
      return { missing: `persistentvolumeclaim "${name}" is being deleted. ${NO_HELP}`, unbound };
    }
    if (claim.status?.phase === "Bound") continue;
    const storage = world.store.get("StorageClass", undefined, claim.spec.storageClassName ?? "");
    if (storage?.volumeBindingMode !== "WaitForFirstConsumer") {
      return { missing: `pod has unbound immediate PersistentVolumeClaims. ${NO_HELP}`, unbound };
    }
    unbound.push(claim);
  }
  return { missing: null, unbound };
}

export function listPvcNames(pod: StoredObject): string[] {
  return (pod.spec.volumes ?? []).flatMap((volume: Json) => volume.persistentVolumeClaim?.claimName ?? []);
}

function findUnfitReason(world: Simulation, pod: StoredObject): string | null {
  const node = world.store.get("Node", undefined, NODE_NAME), allocatable = node?.status?.allocatable ?? world.node;
  const selector = Object.entries(pod.spec.nodeSelector ?? {});
  if (selector.some(([name, value]) => node?.metadata.labels?.[name] !== value)) {
    return `1 node(s) didn't match Pod's node affinity/selector. ${NO_HELP}`;
  }
  if (isNodeLost(world, NODE_NAME)) return `1 node(s) had untolerated taint {${UNREACHABLE_TAINT}: }. ${NO_HELP}`;
  const taint = (node?.spec?.taints ?? []).find((each: Json) =>
    each.effect !== "PreferNoSchedule" && each.key !== UNREACHABLE_TAINT && !isTolerated(pod, each)
  );
  if (taint) return `1 node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}. ${NO_HELP}`;
  if (isCapacityLimited(world)) {
    const placed = world.store.list("Pod").filter(({ spec, metadata }) =>
      spec.nodeName && metadata.uid !== pod.metadata.uid
    );
    const costs = [...placed, pod].map((each) => computeQuotaCost(world.kinds, each));
    const short = ["cpu", "memory"].filter((name) =>
      costs.reduce((sum, cost) => sum + (cost[`requests.${name}`] ?? 0), 0) >
        parseMilliQuantityOrZero(allocatable[name])
    );
    if (short.length > 0) return `${short.map((name) => `1 Insufficient ${name}`).join(", ")}. ${NO_VICTIMS}`;
  }
  const near = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const neighbours = near.length > 0
    ? world.store.list("Pod", pod.metadata.namespace).filter((each) => each.spec.nodeName)
    : [];
  const lonely = near.some((term: Json) =>
    ![pod, ...neighbours].some((each) => matchesSelector(term.labelSelector, each.metadata.labels))
  );
  return lonely ? `1 node(s) didn't match pod affinity rules. ${NO_HELP}` : null;
}

function isTolerated(pod: StoredObject, { key, value = "", effect }: Json): boolean {
  return (pod.spec.tolerations ?? []).some((each: Json) =>
    (!each.key || each.key === key) && (!each.effect || each.effect === effect) &&
    (each.operator === "Exists" || (each.value ?? "") === value)
  );
}

/** Whether the node's capacity is limited. If so, the scheduler adds up the pods' resource requests. */
function isCapacityLimited(world: Simulation): boolean {
  return parseMilliQuantityOrZero(world.node.cpu) < parseMilliQuantityOrZero("10k") ||
    parseMilliQuantityOrZero(world.node.memory) < parseMilliQuantityOrZero("100Ti");
}
