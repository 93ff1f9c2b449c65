/** Starts, probes and stops containers. A missing image or environment variable, or a crash, delays the start. */
import { createHash } from "node:crypto";
import {
  changeContainerStatus,
  type ContainerStatus,
  getContainerSpec,
  type Kubelet,
  type PodContainer,
  recordContainerEvent,
  reloadPodContainer,
  setContainerWaiting,
} from "#lib/dev/simulator/controllers/kubelet.ts";
import { isNodeLost } from "#lib/dev/simulator/controllers/scheduler.ts";
import { findImagePullError, readContainerEnvironment } from "#lib/dev/simulator/programs/environment.ts";
import type { ContainerLog } from "#lib/dev/simulator/store/logs-and-volumes.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { findReadinessFailure } from "#lib/dev/simulator/programs/network.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import { runProgram } from "#lib/dev/simulator/programs/programs.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const LEAST_LOG_WRITES = 4; // a program's log appears in at least this number of writes
const LOG_WRITE_INTERVAL = 250; // ms of run time for each write to the log
const LEAST_WAIT = 100; // minimum ms between checks of a waiting program
const STARTUP_PROBE_FAILURE =
  "Startup probe failed: curl: (7) Failed to connect to 127.0.0.1 port 8080 after 0 ms: Couldn't connect to server";
const LONGEST_BACKOFF = 60_000; // ms
const MESSAGE_LIMIT = 4096; // bytes of a termination message that the kubelet keeps

export function scheduleContainerStart(kubelet: Kubelet, slot: PodContainer, ms: number): void {
  kubelet.wait(slot, ms, () => startContainer(kubelet, slot));
  changeContainerStatus(kubelet.world, slot, (status) => status); // adds the waiting containers to the status
}

/** Starts the container. Retries later if its image cannot be pulled or part of its environment is missing. */
export function startContainer(kubelet: Kubelet, planned: PodContainer): void {
  const { world } = kubelet, slot = reloadPodContainer(world, planned);
  if (!slot || slot.pod.metadata.deletionTimestamp !== undefined) return;
  if (isNodeLost(world, slot.pod.spec.nodeName)) return kubelet.release(slot);
  const container = getContainerSpec(slot);
  const pullError = findImagePullError(container.image, world.faults);
  if (pullError) return retryPull(kubelet, slot, container.image, pullError);
  const { missing, values } = readContainerEnvironment(world, slot.pod, container);
  if (missing === undefined) return start(kubelet, slot, container, values);
  recordContainerEvent(world, slot, { warning: "Failed", message: `Error: ${missing}` });
  setContainerWaiting(world, slot, "CreateContainerConfigError", missing);
  kubelet.wait(slot, retryDelay(world, 0), () => startContainer(kubelet, slot));
}

function retryPull(kubelet: Kubelet, slot: PodContainer, image: string, why: string): void {
  const { world } = kubelet;
  recordContainerEvent(world, slot, { normal: "Pulling", message: `Pulling image "${image}"` });
  recordContainerEvent(world, slot, { warning: "Failed", message: `Failed to pull image "${image}": ${why}` });
  recordContainerEvent(world, slot, { warning: "Failed", message: "Error: ErrImagePull" });
  setContainerWaiting(world, slot, "ErrImagePull", why);
  const back = (tries: number): void => {
    recordContainerEvent(world, slot, { normal: "BackOff", message: `Back-off pulling image "${image}"` });
    recordContainerEvent(world, slot, { warning: "Failed", message: "Error: ImagePullBackOff" });
    setContainerWaiting(world, slot, "ImagePullBackOff", `Back-off pulling image "${image}": ErrImagePull: ${why}`);
    kubelet.wait(slot, retryDelay(world, tries), () => back(tries + 1));
  };
  kubelet.wait(slot, Math.max(10, world.delayMs / 4), () => back(0));
}

/** Restarts the container: immediately after the first exit, with exponential backoff after later exits. */
export function restartContainer(kubelet: Kubelet, slot: PodContainer, status: ContainerStatus): void {
  if (kubelet.find(slot)) return;
  const { world } = kubelet, { name, namespace, uid } = slot.pod.metadata, tries = status.restartCount;
  const where = `${name}_${namespace}(${uid})`;
  const seconds = Math.min(300, 10 * 2 ** Math.max(0, tries - 1));
  const waiting = tries === 0 ? { reason: "PodInitializing" } : {
    reason: "CrashLoopBackOff",
    message: `back-off ${seconds}s restarting failed container=${slot.name} pod=${where}`,
  };
  kubelet.wait(slot, tries === 0 ? 0 : retryDelay(world, tries), () => startContainer(kubelet, slot));
  if (tries > 0) {
    const message = `Back-off restarting failed container ${slot.name} in pod ${where}`;
    recordContainerEvent(world, slot, { warning: "BackOff", message });
  }
  changeContainerStatus(world, slot, () => ({ lastState: status.state, state: { waiting }, restartCount: tries + 1 }));
}

/** Returns how long to wait before the next attempt, in milliseconds. The delay doubles with each attempt. */
function retryDelay({ delayMs }: Simulation, tries: number): number {
  return Math.min(LONGEST_BACKOFF, Math.max(LEAST_WAIT, delayMs) * 2 ** Math.min(tries, 10));
}

function start(kubelet: Kubelet, slot: PodContainer, container: Json, env: ProgramContext["env"]): void {
  const { world } = kubelet, { pod, name } = slot, { image, resources, volumeMounts } = container;
  recordContainerEvent(world, slot, {
    normal: "Pulled",
    message: `Container image "${image}" already present on machine`,
  });
  recordContainerEvent(world, slot, { normal: "Created", message: `Created container: ${name}` });
  recordContainerEvent(world, slot, { normal: "Started", message: `Started container ${name}` });
  const run = runProgram({ world, pod, container, env, resumed: false });
  changeContainerStatus(world, slot, (status) => ({
    state: { running: { startedAt: world.timers.stamp() } },
    started: false,
    ready: false,
    image: image.includes("/") ? image : `docker.io/library/${image}`,
    imageID: imageIdOf(world, image),
    containerID: `containerd://${pod.metadata.uid}-${name}-${status.restartCount}`,
    ...(resources.requests ? { allocatedResources: resources.requests, resources } : {}),
    ...(volumeMounts ? { volumeMounts: volumeMounts.map(toMountStatus) } : {}),
  }));
  runContainer(kubelet, slot, run, world.logs.start(pod.metadata.uid, name));
}

/** Returns the image ID that containerd reports for a pulled image. The ID changes if the image is rebuilt. */
function imageIdOf({ rebuilt }: Simulation, image: string): string {
  const [name] = (image.includes("/") ? image : `library/${image}`).split(/:[^/]*$|@/);
  const digest = createHash("sha256").update(`${image} ${rebuilt.get(image) ?? 0}`).digest("hex");
  return `docker.io/${name}@sha256:${digest}`;
}

function toMountStatus({ name, mountPath, readOnly }: Json): Json {
  return { name, mountPath, ...(readOnly ? { readOnly, recursiveReadOnly: "Disabled" } : {}) };
}

/** Runs the program of a container that was already running, for example before the simulator was restarted. */
export function resumeContainers(kubelet: Kubelet, slot: PodContainer): void {
  const { world } = kubelet, { pod, name } = slot, { uid } = pod.metadata, container = getContainerSpec(slot);
  const run = runProgram({
    world,
    pod,
    container,
    env: readContainerEnvironment(world, pod, container).values,
    resumed: true,
  });
  runContainer(kubelet, slot, run, world.logs.find(uid, name, false) ?? world.logs.start(uid, name));
}

function runContainer(kubelet: Kubelet, slot: PodContainer, run: ProgramRun, log: ContainerLog): void {
  const { world: { delays, logs, timers } } = kubelet;
  const entry = kubelet.register(slot, run);
  const usual = slot.type === "initContainers" ? "initContainer" : run.exit === null ? "server" : "job";
  const length = delays[run.delay ?? usual];
  if (run.waits) {
    if (log.lines.length === 0) logs.write(log, timers.now(), run.lines);
    if (getContainerSpec(slot).startupProbe) {
      recordContainerEvent(kubelet.world, slot, { warning: "Unhealthy", message: STARTUP_PROBE_FAILURE });
    }
    entry.cancel = timers.after(Math.max(LEAST_WAIT, length), () => resumeContainers(kubelet, slot));
    return;
  }
  if (run.exit === null) {
    logs.write(log, timers.now(), run.lines);
    entry.cancel = timers.after(length, () => {
      entry.isServing = true;
      run.done?.();
      probeContainer(kubelet, slot);
    });
    return;
  }
  const pieces = length === 0 ? 1 : Math.max(LEAST_LOG_WRITES, Math.round(length / LOG_WRITE_INTERVAL));
  const upTo = (i: number): number => Math.ceil(run.lines.length * i / pieces);
  const step = (i: number): void => {
    logs.write(log, timers.now(), run.lines.slice(upTo(i), upTo(i + 1)));
    const next = i + 1 < pieces ? () => step(i + 1) : () => endContainer(kubelet, slot, run, log);
    entry.cancel = timers.after(length / pieces, next);
  };
  step(0);
}

function endContainer(kubelet: Kubelet, slot: PodContainer, run: ProgramRun, log: ContainerLog): void {
  const { world } = kubelet;
  kubelet.release(slot);
  const live = reloadPodContainer(world, slot);
  if (!live || isNodeLost(world, live.pod.spec.nodeName)) return;
  if (live.pod.metadata.deletionTimestamp === undefined) run.done?.(); // a killed program changes no data
  const finishedAt = world.timers.stamp(), reason = run.reason ?? (run.exit === 0 ? "Completed" : "Error");
  changeContainerStatus(world, slot, ({ state, containerID }) => {
    const startedAt = state.running?.startedAt ?? finishedAt;
    const terminated = {
      exitCode: run.exit,
      reason,
      ...readMessage(world, live.pod, run),
      startedAt,
      finishedAt,
      containerID,
    };
    return { state: { terminated }, started: false, ready: false };
  });
  world.logs.end(log);
}

/** Returns the termination message. Like the kubelet, cuts it after 4096 bytes without a sign. */
function readMessage(
  { faults }: Simulation,
  { metadata }: StoredObject,
  { message }: ProgramRun,
): { message?: string } {
  const written = faults.find("termination-message", metadata.namespace, metadata.name)?.message ?? message;
  return written ? { message: Buffer.from(written).subarray(0, MESSAGE_LIMIT).toString() } : {};
}

/** Probes a container that serves requests. Returns the milliseconds until the next probe if the login page fails. */
export function probeContainer({ world, find }: Kubelet, slot: PodContainer): number | void {
  const entry = find(slot);
  if (!entry?.run || entry.run.exit !== null || slot.type !== "containers") return;
  const broken = world.faults.find("unready", slot.pod.metadata.namespace, slot.pod.metadata.name);
  if (entry.isServing && broken) {
    const message = broken.message ?? "Readiness probe failed: injected fault";
    recordContainerEvent(world, slot, { warning: "Unhealthy", message });
  }
  const failure = entry.isServing && !broken ? findReadinessFailure(world, slot.pod, getContainerSpec(slot)) : null;
  if (failure !== null) recordContainerEvent(world, slot, { warning: "Unhealthy", message: failure });
  changeContainerStatus(
    world,
    slot,
    () => ({ started: entry.isServing, ready: entry.isServing && broken === null && failure === null }),
  );
  if (failure !== null) return Math.max(LEAST_WAIT, world.delayMs);
}
