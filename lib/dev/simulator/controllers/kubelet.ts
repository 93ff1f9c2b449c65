/** Keeps the simulated kubelet's container state in memory, and writes container statuses and events. */
import {
  type ContainerStatus,
  type ContainerType,
  listContainerStatuses,
  withContainerStatuses,
} from "#lib/dev/simulator/controllers/pod-status.ts";
import { type EventReasonAndMessage, recordKubernetesEvent } from "#lib/dev/simulator/controllers/events.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

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

export function createKubelet(world: SimulatorContext) {
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
export function reloadPodContainer({ store }: SimulatorContext, slot: PodContainer): PodContainer | null {
  const { namespace, name, uid } = slot.pod.metadata;
  const pod = store.get("Pod", namespace, name);
  return pod?.metadata.uid === uid ? { ...slot, pod } : null;
}

export function changeContainerStatus(
  world: SimulatorContext,
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

export function setContainerWaiting(
  world: SimulatorContext,
  slot: PodContainer,
  reason: string,
  message: string,
): void {
  changeContainerStatus(world, slot, () => ({ state: { waiting: { reason, message } } }));
}

export function recordContainerEvent(
  world: SimulatorContext,
  { pod, type: which, name }: PodContainer,
  statement: EventReasonAndMessage,
): void {
  recordKubernetesEvent(world, pod, { by: "kubelet", fieldPath: `spec.${which}{${name}}`, ...statement });
}
