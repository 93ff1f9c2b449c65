/**
 * Simulates the life of a pod: schedules it, starts its containers in order, restarts them and stops them.
 *
 * The state is stored in the pod's status, so a restarted cluster continues where it stopped. Only running steps (a
 * pull, a run, a stop) are held in memory.
 */
import { SECOND } from "#lib/base/time.ts";
import { begin, plan, refresh, restartContainer, resumeContainers } from "#lib/dev/simulator/controllers/containers.ts";
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { type Kubelet, openKubelet, type Slot, specOf } from "#lib/dev/simulator/controllers/kubelet.ts";
import { isLost } from "#lib/dev/simulator/controllers/nodes.ts";
import { isTrue } from "#lib/dev/simulator/controllers/objects.ts";
import {
  type ContainerStatus,
  isPodOver,
  statusesOf,
  withStatuses,
} from "#lib/dev/simulator/controllers/pod-status.ts";
import { claimsOfPod, schedule } from "#lib/dev/simulator/controllers/scheduler.ts";
import { probesPage } from "#lib/dev/simulator/programs/moodle/page.ts";
import { environmentOf, pullFailure, unmountable } from "#lib/dev/simulator/programs/environment.ts";
import { say } from "#lib/dev/simulator/controllers/events.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

const WAKING = new Set(["PersistentVolumeClaim", "Secret", "ConfigMap", "Pod"]);
const PATIENCE = 2000; // ms between retries when no change announces the solution
const LONGEST_GRACE = 10 * SECOND; // the default of a real cluster is 30 s

export function podController(world: World): Controller {
  const kubelet = openKubelet(world);
  const stopping = new Set<string>();
  return {
    kind: "Pod",
    also({ type, object }) {
      const { kind, metadata: { namespace, labels } } = object;
      const ofPages = kind === "NetworkPolicy" || (kind === "Pod" && labels?.role === "db");
      const wakes = WAKING.has(kind) && (kind !== "Pod" || type === "DELETED");
      if (namespace === undefined || !(ofPages || wakes)) return [];
      return world.store.list("Pod", namespace).filter((pod) =>
        (wakes && pod.status?.phase === "Pending" && concerns(pod, object)) || (ofPages && servesPages(pod))
      );
    },
    gone({ metadata: { uid } }) {
      stopping.delete(uid);
      kubelet.forget(uid);
      world.logs.forget(uid);
    },
    end(pod) {
      if (!pod.spec.nodeName || !isLost(world, pod.spec.nodeName)) stop(kubelet, pod, stopping);
    },
    reconcile(pod) {
      if (pod.spec.nodeName && isLost(world, pod.spec.nodeName) || isPodOver(pod)) return;
      if (!pod.spec.nodeName) return schedule(world, pod);
      const unmounted = unmountable(world, pod);
      if (unmounted) {
        say(world, pod, { by: "kubelet", warning: "FailedMount", message: unmounted });
        return PATIENCE;
      }
      const netless = world.faults.of("no-sandbox", pod.metadata.namespace, pod.metadata.name);
      if (netless && !isTrue(pod, "PodReadyToStartContainers")) {
        say(world, pod, { by: "kubelet", warning: "FailedCreatePodSandBox", message: noSandbox(netless.message) });
        return PATIENCE;
      }
      const next = statusesOf(pod, "initContainers").find(({ state }) => state.terminated?.exitCode !== 0);
      if (next) return void advance(kubelet, { pod, which: "initContainers", name: next.name }, next);
      const waits = statusesOf(pod, "containers").map((status) =>
        advance(kubelet, { pod, which: "containers", name: status.name }, status)
      ).filter((wait) => wait !== undefined);
      if (waits.length > 0) return Math.min(...waits);
    },
  };
}

/** Returns containerd's error message. Each attempt creates another sandbox with its own number. */
function noSandbox(why: string): string {
  const number = `${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll("-", "");
  const failed = `failed to setup network for sandbox "${number}": ${why}`;
  return `Failed to create pod sandbox: rpc error: code = Unknown desc = ${failed}`;
}

/**
 * Performs the container's next step, unless one is already running. Returns the milliseconds until the next probe, if
 * one is due.
 */
function advance(kubelet: Kubelet, slot: Slot, status: ContainerStatus): number | void {
  const { world } = kubelet, { pod } = slot;
  if (status.state.running) {
    if (!kubelet.find(slot)) resumeContainers(kubelet, slot);
    return refresh(kubelet, slot);
  }
  if (status.state.terminated) {
    const policy = pod.spec.restartPolicy, failed = status.state.terminated.exitCode !== 0;
    if (policy === "Always" || (policy === "OnFailure" && failed)) restartContainer(kubelet, slot, status);
    return;
  }
  const container = specOf(slot), reason = status.state.waiting?.reason;
  const cured = reason === "CreateContainerConfigError"
    ? environmentOf(world, pod, container).missing === undefined
    : /ErrImagePull|ImagePullBackOff/.test(reason ?? "") && pullFailure(container.image, world.faults) === null;
  if (cured) begin(kubelet, slot);
  else if (!kubelet.find(slot)) plan(kubelet, slot, isFirst(slot) ? world.delays.podStart : 0);
}

/** Whether this is the pod's first container. Only the first waits for volumes and network. */
function isFirst({ pod, name }: Slot): boolean {
  return [...pod.spec.initContainers ?? [], ...pod.spec.containers][0].name === name;
}

/** Whether a change of the network or the database can change the result of the pod's readiness probe. */
function servesPages(pod: StoredObject): boolean {
  return pod.status?.phase === "Running" && pod.spec.containers.some(probesPage);
}

/** Whether the pod can be waiting for a change of this object. */
function concerns(pod: StoredObject, object: StoredObject): boolean {
  if (object.kind === "PersistentVolumeClaim") {
    return !pod.spec.nodeName && claimsOfPod(pod).includes(object.metadata.name);
  }
  return object.kind === "Pod" ? !pod.spec.nodeName : pod.spec.nodeName !== undefined;
}

/** Stops the pod's containers and removes the pod after the grace period. Some programs ignore SIGTERM. */
function stop({ world, runs }: Kubelet, pod: StoredObject, stopping: Set<string>): void {
  const { uid, deletionGracePeriodSeconds = 0 } = pod.metadata, forced = deletionGracePeriodSeconds === 0;
  const running = statusesOf(pod).filter(({ state }) => state.running);
  if (stopping.has(uid) && !forced) return;
  for (const { name } of stopping.has(uid) ? [] : running) {
    const fieldPath = `spec.containers{${name}}`, message = `Stopping container ${name}`;
    say(world, pod, { by: "kubelet", normal: "Killing", message, fieldPath });
  }
  stopping.add(uid);
  const deaf = runs(uid).some((run) => run.deaf === true);
  const wanted = running.length === 0 ? 0 : world.delays[deaf ? "deafPodStop" : "podStop"];
  const grace = forced ? 0 : Math.min(wanted, deletionGracePeriodSeconds * SECOND, LONGEST_GRACE);
  world.timers.after(grace, () => remove(world, pod));
}

function remove(world: World, stopped: StoredObject): void {
  const pod = world.store.get("Pod", stopped.metadata.namespace, stopped.metadata.name);
  if (!pod || pod.metadata.uid !== stopped.metadata.uid) return;
  if (!pod.metadata.finalizers?.length) return void world.store.remove(pod);
  changeObject(world, pod, "kubelet", (live) => { // finalizers keep the pod, with terminated containers
    const state = { terminated: { exitCode: 137, reason: "Error" } };
    const main = statusesOf(live, "containers").map((status) => ({ ...status, ready: false, state }));
    const ending = { ...live, spec: { ...live.spec, restartPolicy: "Never" } }; // prevents a restart
    const dead = withStatuses(ending, statusesOf(live, "initContainers"), main, world.timers.stamp());
    return { ...dead, spec: live.spec };
  });
}
