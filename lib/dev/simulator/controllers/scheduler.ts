/** The scheduler: gives a pod its node, once its claims, its affinity and the node's capacity allow it. */
import { say } from "#lib/dev/simulator/events.ts";
import { NODE } from "#lib/dev/simulator/furniture.ts";
import { type Json, type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import { amount } from "#lib/dev/simulator/quantity.ts";
import { costOf } from "#lib/dev/simulator/quota.ts";
import { selects } from "#lib/dev/simulator/selectors.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/writes.ts";
import { isLost, UNREACHABLE } from "#lib/dev/simulator/controllers/nodes.ts";
import { withConditions } from "#lib/dev/simulator/controllers/controller.ts";

const MANAGER = "kube-scheduler";
export const SELECTED_NODE = "volume.kubernetes.io/selected-node";
const NO_VICTIMS = "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";
const NO_HELP = "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";

/** Binds the pod, or says why it has to wait. */
export function schedule(world: World, pod: KubeObject): void {
  const pods = world.kinds.of("v1", "Pod")!;
  const claims = claimsOf(world, pod);
  const told = world.faults.of("no-node", pod.metadata.namespace, pod.metadata.name);
  const refusal = told?.message ?? claims.missing ?? unfit(world, pod);
  if (refusal) {
    say(world, pod, { type: "Warning", reason: "FailedScheduling", message: refusal, by: "default-scheduler" });
    changeObject(world, pods, pod, MANAGER, (live) => ({
      ...live,
      status: {
        ...live.status,
        conditions: withConditions(live.status.conditions, timestamp(world.timers.now()), {
          type: "PodScheduled",
          status: "False",
          reason: "Unschedulable",
          message: refusal,
          lastProbeTime: null,
        }),
      },
    }));
    return;
  }
  if (claims.unbound.length > 0) {
    const kind = world.kinds.of("v1", "PersistentVolumeClaim")!;
    for (const claim of claims.unbound) {
      changeObject(world, kind, claim, MANAGER, (live) => ({
        ...live,
        metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, [SELECTED_NODE]: NODE } },
      }));
    }
    return; // their binding wakes the pod again
  }
  bind(world, pod);
}

/** The pod's claims that are still to be bound for it, or why they cannot be. */
function claimsOf(world: World, pod: KubeObject): { missing: string | null; unbound: KubeObject[] } {
  const kind = world.kinds.of("v1", "PersistentVolumeClaim")!;
  const classes = world.kinds.of("storage.k8s.io/v1", "StorageClass")!;
  const unbound: KubeObject[] = [];
  for (const name of claimNames(pod)) {
    const claim = world.store.get(kind, pod.metadata.namespace, name);
    if (!claim) {
      return { missing: `0/1 nodes are available: persistentvolumeclaim "${name}" not found. ${NO_HELP}`, unbound };
    }
    if (claim.metadata.deletionTimestamp !== undefined) {
      return {
        missing: `0/1 nodes are available: persistentvolumeclaim "${name}" is being deleted. ${NO_HELP}`,
        unbound,
      };
    }
    if (claim.status?.phase === "Bound") continue;
    const storage = world.store.get(classes, undefined, claim.spec.storageClassName ?? "");
    if (storage?.volumeBindingMode !== "WaitForFirstConsumer") {
      return {
        missing: `0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. ${NO_HELP}`,
        unbound,
      };
    }
    unbound.push(claim);
  }
  return { missing: null, unbound };
}

export function claimNames(pod: KubeObject): string[] {
  return (pod.spec.volumes ?? []).flatMap((volume: Json) => volume.persistentVolumeClaim?.claimName ?? []);
}

function unfit(world: World, pod: KubeObject): string | null {
  const kind = world.kinds.of("v1", "Pod")!;
  const node = world.store.get(world.kinds.of("v1", "Node")!, undefined, NODE);
  const room = node?.status?.allocatable ?? world.node;
  const selector = Object.entries(pod.spec.nodeSelector ?? {});
  if (selector.some(([name, value]) => node?.metadata.labels?.[name] !== value)) {
    return `0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. ${NO_HELP}`;
  }
  if (isLost(world, NODE)) {
    return `0/1 nodes are available: 1 node(s) had untolerated taint {${UNREACHABLE}: }. ${NO_HELP}`;
  }
  const wanted = costOf(kind, pod);
  const short: string[] = [];
  if (isScarce(world)) {
    const placed = world.store.list(kind).filter((each) =>
      each.spec.nodeName && each.metadata.uid !== pod.metadata.uid
    );
    for (const resource of ["cpu", "memory"] as const) {
      const used = placed.reduce((sum, each) => sum + (costOf(kind, each)[`requests.${resource}`] ?? 0), 0);
      if (used + (wanted[`requests.${resource}`] ?? 0) > amount(room[resource])) {
        short.push(`1 Insufficient ${resource}`);
      }
    }
  }
  if (short.length > 0) return `0/1 nodes are available: ${short.join(", ")}. ${NO_VICTIMS}`;
  const near = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const neighbours = near.length > 0
    ? world.store.list(kind, pod.metadata.namespace).filter((each) => each.spec.nodeName)
    : [];
  const lonely = near.some((term: Json) =>
    ![pod, ...neighbours].some((each) => selects(term.labelSelector, each.metadata.labels))
  );
  return lonely ? `0/1 nodes are available: 1 node(s) didn't match pod affinity rules. ${NO_HELP}` : null;
}

/** A node that nobody bounded is not worth counting for. */
function isScarce(world: World): boolean {
  return amount(world.node.cpu) < amount("10k") || amount(world.node.memory) < amount("100Ti");
}

function bind(world: World, pod: KubeObject): void {
  const at = timestamp(world.timers.now());
  const bound = changeObject(world, world.kinds.of("v1", "Pod")!, pod, MANAGER, (live) => ({
    ...live,
    spec: { ...live.spec, nodeName: NODE },
    status: {
      ...live.status,
      conditions: withConditions(live.status.conditions, at, {
        type: "PodScheduled",
        status: "True",
        lastProbeTime: null,
      }),
      startTime: at,
    },
  }));
  if (!bound) return;
  const message = `Successfully assigned ${pod.metadata.namespace}/${pod.metadata.name} to ${NODE}`;
  say(world, bound, { type: "Normal", reason: "Scheduled", message, by: "default-scheduler" });
}
