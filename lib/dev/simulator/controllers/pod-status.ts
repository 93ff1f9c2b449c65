/** Derives a pod's phase and conditions from its containers' statuses. */
import { isConditionTrue, mergeConditions, type ObjectCondition } from "#lib/dev/simulator/controllers/objects.ts";
import { NODE_NAME } from "#lib/dev/simulator/controllers/base-objects.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";

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
