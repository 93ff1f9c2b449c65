/** Keeps the simulated kubelet's container state in memory. Derives a pod's phase and conditions from its containers. */
import {
  type EventReasonAndMessage,
  isConditionTrue,
  mergeConditions,
  NODE_NAME,
  type ObjectCondition,
  recordKubernetesEvent,
} from "#lib/dev/simulator/controllers/objects.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

export type ContainerType = "initContainers" | "containers";

export interface ContainerStatus {
  readonly name: string;
  readonly state: Json;
  readonly lastState: Json;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly started: boolean;
  readonly [field: string]: Json;
}

/** Returns the statuses of all containers or of one type, in the spec's order. The default status is waiting. */
export function listContainerStatuses(pod: StoredObject, which?: ContainerType): ContainerStatus[] {
  if (which === undefined) {
    return [...listContainerStatuses(pod, "initContainers"), ...listContainerStatuses(pod, "containers")];
  }
  const reported: ContainerStatus[] =
    pod.status?.[which === "containers" ? "containerStatuses" : "initContainerStatuses"] ?? [];
  const later = which === "containers" && pod.spec.initContainers?.length > 0;
  return (pod.spec[which] ?? []).map(({ name, image }: Json) =>
    reported.find((status) => status.name === name) ?? {
      name,
      state: { waiting: { reason: later ? "PodInitializing" : "ContainerCreating" } },
      lastState: {},
      ready: false,
      restartCount: 0,
      image,
      imageID: "",
      started: false,
    }
  );
}

/** Returns the pod with these container statuses and with the resulting phase and conditions. */
export function withContainerStatuses(
  pod: StoredObject,
  init: readonly ContainerStatus[],
  main: readonly ContainerStatus[],
  at: string,
): StoredObject {
  const { restartPolicy } = pod.spec, never = restartPolicy === "Never";
  const incomplete = init.filter(({ state }) => state.terminated?.exitCode !== 0);
  const initialized = incomplete.length === 0;
  const ended = initialized && main.every(({ state }) => state.terminated);
  const succeeded = ended && restartPolicy !== "Always" && main.every(({ state }) => state.terminated.exitCode === 0);
  const failed = never && (incomplete.some(({ state }) => state.terminated) || (ended && !succeeded));
  const hasBegun = ({ state, restartCount }: ContainerStatus) => state.running || state.terminated || restartCount > 0;
  const running = initialized && main.some(hasBegun), begun = [...init, ...main].some(hasBegun);
  const phase = failed ? "Failed" : succeeded ? "Succeeded" : running ? "Running" : "Pending";
  const ready = phase === "Running" && main.every((status) => status.ready);
  const unready = succeeded ? { reason: "PodCompleted" } : failed ? { reason: "PodFailed" } : {
    reason: "ContainersNotReady",
    message: `containers with unready status: [${namesOf(main.filter(({ ready }) => !ready))}]`,
  };
  const uninitialized = {
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: [${namesOf(incomplete)}]`,
  };
  const condition = (type: string, is: boolean, why: Json = {}) => (
    { type, status: is ? "True" : "False", lastProbeTime: null, ...(is ? {} : why) }
  );
  const present: ObjectCondition[] = pod.status.conditions ?? [];
  const conditions = mergeConditions(
    present.filter(({ type }) => type !== "PodScheduled"),
    at,
    condition("PodReadyToStartContainers", begun && !failed && !succeeded),
    condition("Initialized", initialized, uninitialized),
    condition("Ready", ready, unready),
    condition("ContainersReady", ready, unready),
  );
  const ip = `10.88.${addressPart(pod, 0)}.${addressPart(pod, 2)}`;
  return {
    ...pod,
    status: {
      ...pod.status,
      phase,
      conditions: [...conditions, ...present.filter(({ type }) => type === "PodScheduled")],
      hostIP: NODE_NAME,
      hostIPs: [{ ip: NODE_NAME }],
      ...(begun ? { podIP: ip, podIPs: [{ ip }] } : {}),
      ...(init.length > 0 ? { initContainerStatuses: init } : {}),
      containerStatuses: main,
    },
  };
}

export function isPodReady(pod: StoredObject): boolean {
  return isConditionTrue(pod, "Ready") && pod.metadata.deletionTimestamp === undefined;
}

/** Whether the startup probes of all the pod's containers have succeeded. */
export function isPodStarted(pod: StoredObject): boolean {
  return pod.metadata.deletionTimestamp === undefined &&
    listContainerStatuses(pod, "containers").every(({ started }) => started);
}

export function isPodFinished(pod: StoredObject): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

function namesOf(statuses: readonly ContainerStatus[]): string {
  return statuses.map(({ name }) => name).join(" ");
}

function addressPart({ metadata: { uid } }: StoredObject, at: number): number {
  return 1 + parseInt(uid.slice(at, at + 2), 16) % 254;
}

export interface PodContainer {
  readonly pod: StoredObject;
  readonly type: ContainerType;
  readonly name: string;
}

interface ContainerEntry {
  cancel: () => void;
  readonly run?: ProgramRun;
  /** Whether the container's start delay has passed, so that the container now serves requests. */
  isServing: boolean;
}

export type Kubelet = ReturnType<typeof createKubelet>;

export function createKubelet(world: Simulation) {
  const pods = new Map<string, Map<string, ContainerEntry>>();

  function hold(slot: PodContainer, entry: ContainerEntry): ContainerEntry {
    const { uid } = slot.pod.metadata, own = pods.get(uid) ?? new Map<string, ContainerEntry>();
    own.get(slot.name)?.cancel();
    pods.set(uid, own.set(slot.name, entry));
    return entry;
  }

  return {
    world,
    /** Stores a new entry for the container and cancels its previous entry. */
    register: (slot: PodContainer, run: ProgramRun) => hold(slot, { cancel: () => {}, isServing: false, run }),
    /** Schedules the container's next step to run after `ms` milliseconds. */
    wait: (slot: PodContainer, ms: number, next: () => void): void =>
      void hold(slot, { cancel: world.timers.after(ms, next), isServing: false }),
    find: ({ pod, name }: PodContainer) => pods.get(pod.metadata.uid)?.get(name),
    release: ({ pod, name }: PodContainer): void => void pods.get(pod.metadata.uid)?.delete(name),
    runs: (uid: string) => [...pods.get(uid)?.values() ?? []].flatMap(({ run }) => run ?? []),
    forget(uid: string): void {
      for (const { cancel } of pods.get(uid)?.values() ?? []) cancel();
      pods.delete(uid);
    },
  };
}

export function getContainerSpec({ pod, type: which, name }: PodContainer): Json {
  return pod.spec[which].find((each: Json) => each.name === name);
}

/** Returns the container slot with the current state of its pod. Returns null if the pod was removed. */
export function reloadPodContainer({ store }: Simulation, slot: PodContainer): PodContainer | null {
  const { namespace, name, uid } = slot.pod.metadata;
  const pod = store.get("Pod", namespace, name);
  return pod?.metadata.uid === uid ? { ...slot, pod } : null;
}

export function changeContainerStatus(
  world: Simulation,
  { pod, type: which, name }: PodContainer,
  change: (status: ContainerStatus) => Partial<ContainerStatus>,
): void {
  changeObject(world, pod, "kubelet", (live) => {
    const apply = (to: ContainerType) =>
      listContainerStatuses(live, to).map((status) =>
        to === which && status.name === name ? { ...status, ...change(status) } : status
      );
    return withContainerStatuses(live, apply("initContainers"), apply("containers"), world.timers.stamp());
  });
}

export function setContainerWaiting(world: Simulation, slot: PodContainer, reason: string, message: string): void {
  changeContainerStatus(world, slot, () => ({ state: { waiting: { reason, message } } }));
}

export function recordContainerEvent(
  world: Simulation,
  { pod, type: which, name }: PodContainer,
  statement: EventReasonAndMessage,
): void {
  recordKubernetesEvent(world, pod, { by: "kubelet", fieldPath: `spec.${which}{${name}}`, ...statement });
}
