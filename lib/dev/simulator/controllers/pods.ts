/**
 * Simulates a pod's lifecycle: schedules the pod, then starts, restarts and stops its containers. The pod's status
 * stores the progress, so a restarted simulator can continue.
 */
import { SECOND } from "#lib/base/time.ts";
import {
  probeContainer,
  restartContainer,
  resumeContainers,
  scheduleContainerStart,
  startContainer,
} from "#lib/dev/simulator/controllers/containers.ts";
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  type ContainerStatus,
  createKubelet,
  getContainerSpec,
  isPodFinished,
  type Kubelet,
  listContainerStatuses,
  type PodContainer,
  withContainerStatuses,
} from "#lib/dev/simulator/controllers/kubelet.ts";
import { isNodeLost, listPvcNames, schedulePod } from "#lib/dev/simulator/controllers/scheduler.ts";
import { isConditionTrue, recordKubernetesEvent } from "#lib/dev/simulator/controllers/objects.ts";
import { hasLoginPageProbe } from "#lib/dev/simulator/programs/network.ts";
import {
  findImagePullError,
  findMountError,
  readContainerEnvironment,
} from "#lib/dev/simulator/programs/environment.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

const AWAITED_KINDS = new Set(["PersistentVolumeClaim", "Secret", "ConfigMap", "Pod"]);
const RETRY_INTERVAL = 2000; // ms between retries after a failed mount or sandbox creation
const LONGEST_GRACE = 10 * SECOND; // a real cluster waits 30 s by default

export function podController(world: Simulation): Controller {
  const kubelet = createKubelet(world);
  const stopping = new Set<string>();
  return {
    kind: "Pod",
    also({ type, object }) {
      const { kind, metadata: { namespace, labels } } = object;
      const ofPages = kind === "NetworkPolicy" || (kind === "Pod" && labels?.role === "db");
      const wakes = AWAITED_KINDS.has(kind) && (kind !== "Pod" || type === "DELETED");
      if (namespace === undefined || !(ofPages || wakes)) return [];
      return world.store.list("Pod", namespace).filter((pod) =>
        (wakes && pod.status?.phase === "Pending" && canUnblock(pod, object)) || (ofPages && servesPages(pod))
      );
    },
    removed({ metadata: { uid } }) {
      stopping.delete(uid);
      kubelet.forget(uid);
      world.logs.forget(uid);
    },
    end(pod) {
      if (!pod.spec.nodeName || !isNodeLost(world, pod.spec.nodeName)) stopPod(kubelet, pod, stopping);
    },
    reconcile(pod) {
      if (pod.spec.nodeName && isNodeLost(world, pod.spec.nodeName) || isPodFinished(pod)) return;
      if (!pod.spec.nodeName) return schedulePod(world, pod);
      const mountError = findMountError(world, pod);
      if (mountError) {
        recordKubernetesEvent(world, pod, { by: "kubelet", warning: "FailedMount", message: mountError });
        return RETRY_INTERVAL;
      }
      const sandboxFault = world.faults.find("no-sandbox", pod.metadata.namespace, pod.metadata.name);
      if (sandboxFault && !isConditionTrue(pod, "PodReadyToStartContainers")) {
        recordKubernetesEvent(world, pod, {
          by: "kubelet",
          warning: "FailedCreatePodSandBox",
          message: sandboxError(sandboxFault.message),
        });
        return RETRY_INTERVAL;
      }
      const next = listContainerStatuses(pod, "initContainers").find(({ state }) => state.terminated?.exitCode !== 0);
      if (next) return void advanceContainer(kubelet, { pod, type: "initContainers", name: next.name }, next);
      const waits = listContainerStatuses(pod, "containers").map((status) =>
        advanceContainer(kubelet, { pod, type: "containers", name: status.name }, status)
      ).filter((wait) => wait !== undefined);
      if (waits.length > 0) return Math.min(...waits);
    },
  };
}

/** Returns containerd's error for a pod sandbox that could not be created. The sandbox ID in it is random. */
function sandboxError(why: string): string {
  const number = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");
  const failed = `failed to setup network for sandbox "${number}": ${why}`;
  return `Failed to create pod sandbox: rpc error: code = Unknown desc = ${failed}`;
}

/** Performs the container's next step, unless one is running. Returns the milliseconds until the next probe, if any. */
function advanceContainer(kubelet: Kubelet, slot: PodContainer, status: ContainerStatus): number | void {
  const { world } = kubelet, { pod } = slot;
  if (status.state.running) {
    if (!kubelet.find(slot)) resumeContainers(kubelet, slot);
    return probeContainer(kubelet, slot);
  }
  if (status.state.terminated) {
    const policy = pod.spec.restartPolicy, failed = status.state.terminated.exitCode !== 0;
    if (policy === "Always" || (policy === "OnFailure" && failed)) restartContainer(kubelet, slot, status);
    return;
  }
  const container = getContainerSpec(slot), reason = status.state.waiting?.reason;
  const isResolved = reason === "CreateContainerConfigError"
    ? readContainerEnvironment(world, pod, container).missing === undefined
    : /ErrImagePull|ImagePullBackOff/.test(reason ?? "") && findImagePullError(container.image, world.faults) === null;
  if (isResolved) startContainer(kubelet, slot);
  else if (!kubelet.find(slot)) scheduleContainerStart(kubelet, slot, isFirst(slot) ? world.delays.podStart : 0);
}

/** Whether this is the pod's first container. Only the first container waits for the pod's volumes and network. */
function isFirst({ pod, name }: PodContainer): boolean {
  return [...pod.spec.initContainers ?? [], ...pod.spec.containers][0].name === name;
}

/** Whether the pod serves Moodle pages, so that its readiness depends on network policies and the database. */
function servesPages(pod: StoredObject): boolean {
  return pod.status?.phase === "Running" && pod.spec.containers.some(hasLoginPageProbe);
}

/** Whether a change to this object may let the pod continue. */
function canUnblock(pod: StoredObject, object: StoredObject): boolean {
  if (object.kind === "PersistentVolumeClaim") {
    return !pod.spec.nodeName && listPvcNames(pod).includes(object.metadata.name);
  }
  return object.kind === "Pod" ? !pod.spec.nodeName : pod.spec.nodeName !== undefined;
}

/** Stops the pod's containers, then removes the pod. This takes longer if a program ignores SIGTERM. */
function stopPod({ world, runs }: Kubelet, pod: StoredObject, stopping: Set<string>): void {
  const { uid, deletionGracePeriodSeconds = 0 } = pod.metadata, forced = deletionGracePeriodSeconds === 0;
  const running = listContainerStatuses(pod).filter(({ state }) => state.running);
  if (stopping.has(uid) && !forced) return;
  for (const { name } of stopping.has(uid) ? [] : running) {
    const fieldPath = `spec.containers{${name}}`, message = `Stopping container ${name}`;
    recordKubernetesEvent(world, pod, { by: "kubelet", normal: "Killing", message, fieldPath });
  }
  stopping.add(uid);
  const ignoresSigterm = runs(uid).some((run) => run.ignoresSigterm === true);
  const delay = running.length === 0 ? 0 : world.delays[ignoresSigterm ? "killedPodStop" : "podStop"];
  const grace = forced ? 0 : Math.min(delay, deletionGracePeriodSeconds * SECOND, LONGEST_GRACE);
  world.timers.after(grace, () => removePod(world, pod));
}

function removePod(world: Simulation, stopped: StoredObject): void {
  const pod = world.store.get("Pod", stopped.metadata.namespace, stopped.metadata.name);
  if (!pod || pod.metadata.uid !== stopped.metadata.uid) return;
  if (!pod.metadata.finalizers?.length) return void world.store.remove(pod);
  changeObject(world, pod, "kubelet", (live) => { // the pod remains until its finalizers are removed
    const state = { terminated: { exitCode: 137, reason: "Error" } };
    const main = listContainerStatuses(live, "containers").map((status) => ({ ...status, ready: false, state }));
    const ending = { ...live, spec: { ...live.spec, restartPolicy: "Never" } }; // prevents a restart
    const dead = withContainerStatuses(
      ending,
      listContainerStatuses(live, "initContainers"),
      main,
      world.timers.stamp(),
    );
    return { ...dead, spec: live.spec };
  });
}
