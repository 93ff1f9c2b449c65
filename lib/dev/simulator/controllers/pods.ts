/**
 * Pods: scheduled, their containers started one after the other, run to their end or for ever, restarted, stopped.
 *
 * What a pod's status says is all that counts, so a cluster that was stopped goes on where it was; only what is under
 * way (a pull, a run, a stop) is held in memory, by pod.
 */
import { pullFailure } from "#lib/dev/simulator/images.ts";
import { environmentOf, unmountable } from "#lib/dev/simulator/environment.ts";
import { say } from "#lib/dev/simulator/events.ts";
import type { Json, KubeObject } from "#lib/dev/simulator/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { type Kubelet, openKubelet, type Slot, specOf } from "#lib/dev/simulator/controllers/kubelet.ts";
import { isLost } from "#lib/dev/simulator/controllers/nodes.ts";
import { type ContainerStatus, isOver, statusesOf } from "#lib/dev/simulator/controllers/pod-status.ts";
import { refresh, resume } from "#lib/dev/simulator/controllers/running.ts";
import { claimNames, schedule } from "#lib/dev/simulator/controllers/scheduler.ts";
import { stopPod } from "#lib/dev/simulator/controllers/stopping.ts";
import { begin, plan, restart } from "#lib/dev/simulator/controllers/waiting.ts";

const WAKING = new Set(["PersistentVolumeClaim", "Secret", "ConfigMap", "Pod"]);
const PATIENCE = 2000; // ms between tries at what nothing announces

export function podController(world: World): Controller {
  const kind = world.kinds.of("v1", "Pod")!;
  const kubelet = openKubelet(world);
  const stopping = new Set<string>();
  return {
    kind,
    also(change) {
      const namespace = change.object.metadata.namespace;
      if (namespace === undefined || !WAKING.has(change.kind.kind)) return [];
      if (change.kind === kind && change.type !== "DELETED") return [];
      return world.store.list(kind, namespace).filter((pod) =>
        pod.status?.phase === "Pending" && concerns(pod, change.object)
      );
    },
    gone(pod) {
      stopping.delete(pod.metadata.uid);
      kubelet.forget(pod.metadata.uid);
      world.logs.forget(pod.metadata.uid);
    },
    reconcile(pod) {
      if (pod.spec.nodeName && isLost(world, pod.spec.nodeName)) return;
      if (pod.metadata.deletionTimestamp !== undefined) return stopPod(kubelet, pod, stopping);
      if (isOver(pod)) return;
      if (!pod.spec.nodeName) return schedule(world, pod);
      const unmounted = unmountable(world, pod);
      if (unmounted) {
        say(world, pod, { type: "Warning", reason: "FailedMount", message: unmounted, by: "kubelet" });
        return PATIENCE;
      }
      const netless = world.faults.of("no-sandbox", pod.metadata.namespace, pod.metadata.name);
      if (netless && !hasSandbox(pod)) {
        say(world, pod, {
          type: "Warning",
          reason: "FailedCreatePodSandBox",
          message: noSandbox(netless.message),
          by: "kubelet",
        });
        return PATIENCE;
      }
      for (const status of statusesOf(pod, "initContainers")) {
        if (status.state.terminated?.exitCode === 0) continue;
        return advance(kubelet, { pod, which: "initContainers", name: status.name }, status);
      }
      for (const status of statusesOf(pod, "containers")) {
        advance(kubelet, { pod, which: "containers", name: status.name }, status);
      }
    },
  };
}

function hasSandbox(pod: KubeObject): boolean {
  const { conditions = [] } = pod.status ?? {};
  return conditions.some(({ type, status }: Json) => type === "PodReadyToStartContainers" && status === "True");
}

/** In containerd's words. Each try is another sandbox, which has a number of its own. */
function noSandbox(why: string): string {
  const number = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");
  const failed = `failed to setup network for sandbox "${number}": ${why}`;
  return `Failed to create pod sandbox: rpc error: code = Unknown desc = ${failed}`;
}

/** One container's next step, unless it is under way already. */
function advance(kubelet: Kubelet, slot: Slot, status: ContainerStatus): void {
  const { world } = kubelet, { pod } = slot;
  if (status.state.running) {
    if (!kubelet.find(slot)) resume(kubelet, slot);
    refresh(kubelet, slot);
    return;
  }
  if (status.state.terminated) {
    const policy = pod.spec.restartPolicy, failed = status.state.terminated.exitCode !== 0;
    if (policy === "Always" || (policy === "OnFailure" && failed)) restart(kubelet, slot, status);
    return;
  }
  const container = specOf(slot), reason = status.state.waiting?.reason;
  const cured = reason === "CreateContainerConfigError"
    ? environmentOf(world, pod, container).missing === undefined
    : /ErrImagePull|ImagePullBackOff/.test(reason ?? "") && pullFailure(container.image, world.faults) === null;
  if (cured) begin(kubelet, slot);
  else if (!kubelet.find(slot)) plan(kubelet, slot, isFirst(slot) ? world.delayMs / 2 : 0);
}

/** The first of a pod's containers waits for its volumes and its network; the others need not. */
function isFirst({ pod, name }: Slot): boolean {
  return [...pod.spec.initContainers ?? [], ...pod.spec.containers][0].name === name;
}

/** Whether a change of this object may be what the pod waits for. */
function concerns(pod: KubeObject, object: KubeObject): boolean {
  if (object.kind === "PersistentVolumeClaim") {
    return !pod.spec.nodeName && claimNames(pod).includes(object.metadata.name);
  }
  return object.kind === "Pod" ? !pod.spec.nodeName : pod.spec.nodeName !== undefined;
}
