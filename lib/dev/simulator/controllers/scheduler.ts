/** Simulates the scheduler: assigns each pod to the only node, if its PVCs, affinity and resource requests allow it. */
import { changeObjectStatus, mergeConditions, setAnnotations } from "#lib/dev/simulator/controllers/objects.ts";
import { isNodeLost, UNREACHABLE_TAINT } from "#lib/dev/simulator/controllers/nodes.ts";
import { recordKubernetesEvent } from "#lib/dev/simulator/controllers/events.ts";
import { NODE_NAME } from "#lib/dev/simulator/controllers/base-objects.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { parseMilliQuantityOrZero } from "#lib/dev/simulator/admission/quantity.ts";
import { computeQuotaCost } from "#lib/dev/simulator/admission/quota.ts";
import { matchesSelector } from "#lib/dev/simulator/admission/selectors.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

const COMPONENT = "default-scheduler";
const MANAGER = "kube-scheduler";
export const SELECTED_NODE_ANNOTATION = "volume.kubernetes.io/selected-node";
const NO_VICTIMS = "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";
const NO_HELP = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";

/** Binds the pod to the node, or reports why the pod cannot be scheduled. */
export function schedulePod(world: SimulatorContext, pod: StoredObject): void {
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
function checkClaims(world: SimulatorContext, pod: StoredObject): { missing: string | null; unbound: StoredObject[] } {
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

function findUnfitReason(world: SimulatorContext, pod: StoredObject): string | null {
  const node = world.store.get("Node", undefined, NODE_NAME), allocatable = node?.status?.allocatable ?? world.node;
  const selector = Object.entries(pod.spec.nodeSelector ?? {});
  if (selector.some(([name, value]) => node?.metadata.labels?.[name] !== value)) {
    return `1 node(s) didn't match Pod's node affinity/selector. ${NO_HELP}`;
  }
  if (isNodeLost(world, NODE_NAME)) return `1 node(s) had untolerated taint {${UNREACHABLE_TAINT}: }. ${NO_HELP}`;
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

/** Whether the node's capacity is limited. If so, the scheduler adds up the pods' resource requests. */
function isCapacityLimited(world: SimulatorContext): boolean {
  return parseMilliQuantityOrZero(world.node.cpu) < parseMilliQuantityOrZero("10k") ||
    parseMilliQuantityOrZero(world.node.memory) < parseMilliQuantityOrZero("100Ti");
}
