/** What a pod's status says, worked out from what its containers do. */
import { NODE } from "#lib/dev/simulator/furniture.ts";
import { type Json, type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import { withConditions } from "#lib/dev/simulator/controllers/controller.ts";

/** Where one container stands. */
export interface ContainerStatus {
  readonly name: string;
  readonly state: Json;
  readonly lastState: Json;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly started: boolean;
  readonly [field: string]: Json;
}

/** The status of every container of the pod, in order; one that nobody touched yet waits. */
export function statusesOf(pod: KubeObject, which: "initContainers" | "containers"): ContainerStatus[] {
  const known: ContainerStatus[] =
    pod.status?.[which === "containers" ? "containerStatuses" : "initContainerStatuses"] ?? [];
  const later = which === "containers" && pod.spec.initContainers?.length > 0;
  return (pod.spec[which] ?? []).map((container: Json) =>
    known.find((status) => status.name === container.name) ?? {
      name: container.name,
      state: { waiting: { reason: later ? "PodInitializing" : "ContainerCreating" } },
      lastState: {},
      ready: false,
      restartCount: 0,
      image: container.image,
      imageID: "",
      started: false,
    }
  );
}

/** The pod with these container statuses, and with the phase and conditions that follow from them. */
export function withStatuses(
  pod: KubeObject,
  init: readonly ContainerStatus[],
  main: readonly ContainerStatus[],
  now: number,
): KubeObject {
  const at = timestamp(now);
  const never = pod.spec.restartPolicy === "Never", always = pod.spec.restartPolicy === "Always";
  const failedInit = never && init.some((status) => isFailed(status));
  const initialized = init.every((status) => status.state.terminated?.exitCode === 0);
  const over = initialized && main.every((status) => status.state.terminated);
  const succeeded = over && !always && main.every((status) => status.state.terminated.exitCode === 0);
  const failed = failedInit || (over && never && !succeeded);
  const running = initialized &&
    main.some((status) => status.state.running || status.restartCount > 0 || status.state.terminated);
  const phase = failed ? "Failed" : succeeded ? "Succeeded" : running ? "Running" : "Pending";
  const ready = phase === "Running" && main.every((status) => status.ready);
  const begun = [...init, ...main].some((status) =>
    status.state.running || status.state.terminated || status.restartCount > 0
  );
  const unready = phase === "Succeeded"
    ? { reason: "PodCompleted" }
    : phase === "Failed"
    ? { reason: "PodFailed" }
    : { reason: "ContainersNotReady", message: `containers with unready status: [${unreadyNames(main)}]` };
  const incomplete = init.filter((status) => status.state.terminated?.exitCode !== 0).map((status) => status.name).join(
    " ",
  );
  const address = `10.88.${addressPart(pod.metadata.uid, 0)}.${addressPart(pod.metadata.uid, 2)}`;
  const condition = (type: string, is: boolean, why: Json = {}) => ({
    type,
    status: is ? "True" : "False",
    lastProbeTime: null,
    ...(is ? {} : why),
  });
  const over_ = phase === "Succeeded" || phase === "Failed";
  const scheduled = (pod.status.conditions ?? []).find((each: Json) => each.type === "PodScheduled");
  const others = (pod.status.conditions ?? []).filter((each: Json) => each.type !== "PodScheduled");
  const conditions = withConditions(
    others,
    at,
    condition("PodReadyToStartContainers", begun && !over_),
    condition("Initialized", initialized, {
      reason: "ContainersNotInitialized",
      message: `containers with incomplete status: [${incomplete}]`,
    }),
    condition("Ready", ready, unready),
    condition("ContainersReady", ready, unready),
  );
  return {
    ...pod,
    status: {
      ...pod.status,
      phase,
      conditions: scheduled ? [...conditions, scheduled] : conditions,
      hostIP: NODE,
      hostIPs: [{ ip: NODE }],
      ...(begun ? { podIP: address, podIPs: [{ ip: address }] } : {}),
      ...(init.length > 0 ? { initContainerStatuses: init } : {}),
      containerStatuses: main,
    },
  };
}

export function isFailed(status: ContainerStatus): boolean {
  return status.state.terminated !== undefined && status.state.terminated.exitCode !== 0;
}

export function isReady(pod: KubeObject): boolean {
  return (pod.status?.conditions ?? []).some((each: Json) => each.type === "Ready" && each.status === "True") &&
    pod.metadata.deletionTimestamp === undefined;
}

/** Whether the pod will do nothing more. */
export function isOver(pod: KubeObject): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

function unreadyNames(statuses: readonly ContainerStatus[]): string {
  return statuses.filter((status) => !status.ready).map((status) => status.name).join(" ");
}

function addressPart(uid: string, at: number): number {
  return 1 + parseInt(uid.slice(at, at + 2), 16) % 254;
}
