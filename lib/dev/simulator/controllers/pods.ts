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
import { type Containers, openContainers, type Slot } from "#lib/dev/simulator/controllers/containers.ts";
import { isLost } from "#lib/dev/simulator/controllers/nodes.ts";
import { type ContainerStatus, isOver, statusesOf } from "#lib/dev/simulator/controllers/pod-status.ts";
import { claimNames, schedule } from "#lib/dev/simulator/controllers/scheduler.ts";
import { stopPod } from "#lib/dev/simulator/controllers/stopping.ts";

const WAKING = new Set(["PersistentVolumeClaim", "Secret", "ConfigMap", "Pod"]);
const PATIENCE = 2000; // ms between tries at what nothing announces

export function podController(world: World): Controller {
  const kind = world.kinds.of("v1", "Pod")!;
  const containers = openContainers(world);
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
      containers.forget(pod.metadata.uid);
      world.logs.forget(pod.metadata.uid);
    },
    reconcile(pod) {
      if (pod.spec.nodeName && isLost(world, pod.spec.nodeName)) return;
      if (pod.metadata.deletionTimestamp !== undefined) return stopPod(world, pod, stopping, containers);
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
        return advance(world, pod, { which: "initContainers", name: status.name }, status, containers);
      }
      for (const status of statusesOf(pod, "containers")) {
        advance(world, pod, { which: "containers", name: status.name }, status, containers);
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
function advance(world: World, pod: KubeObject, slot: Slot, status: ContainerStatus, containers: Containers): void {
  const container = containers.specOf(pod, slot);
  if (status.state.running) {
    if (!containers.isBusy(pod, slot)) containers.resume(pod, slot);
    containers.refresh(pod, slot);
    return;
  }
  if (status.state.terminated) {
    const policy = pod.spec.restartPolicy, failed = status.state.terminated.exitCode !== 0;
    if (policy === "Always" || (policy === "OnFailure" && failed)) containers.restart(pod, slot, status);
    return;
  }
  const reason = status.state.waiting?.reason;
  const cured = reason === "CreateContainerConfigError"
    ? environmentOf(world, pod, container).missing === undefined
    : /ErrImagePull|ImagePullBackOff/.test(reason ?? "") && pullFailure(container.image, world.faults) === null;
  if (cured) containers.begin(pod, slot);
  else if (!containers.isBusy(pod, slot)) containers.plan(pod, slot, isFirst(pod, slot) ? world.delayMs / 2 : 0);
}

/** The first of a pod's containers waits for its volumes and its network; the others need not. */
function isFirst(pod: KubeObject, slot: Slot): boolean {
  const all: Json[] = [...pod.spec.initContainers ?? [], ...pod.spec.containers];
  return all[0].name === slot.name;
}

/** Whether a change of this object may be what the pod waits for. */
function concerns(pod: KubeObject, object: KubeObject): boolean {
  if (object.kind === "PersistentVolumeClaim") {
    return !pod.spec.nodeName && claimNames(pod).includes(object.metadata.name);
  }
  return object.kind === "Pod" ? !pod.spec.nodeName : pod.spec.nodeName !== undefined;
}
