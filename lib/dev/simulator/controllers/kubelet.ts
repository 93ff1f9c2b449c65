/**
 * Holds the kubelet's state in memory: each waiting or running container with its next step. Also writes container
 * statuses and events.
 */
import {
  type ContainerStatus,
  statusesOf,
  type Which,
  withStatuses,
} from "#lib/dev/simulator/controllers/pod-status.ts";
import { type EventText, say } from "#lib/dev/simulator/controllers/events.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

export interface Slot {
  readonly pod: StoredObject;
  readonly which: Which;
  readonly name: string;
}

interface Busy {
  /** Cancels the next step. */
  cancel: () => void;
  readonly run?: ProgramRun;
  /** Whether the container has run long enough to serve. */
  warm: boolean;
}

export interface Kubelet {
  readonly world: World;
  /** Stores an entry for the container and cancels the previous one. */
  hold(slot: Slot, run?: ProgramRun): Busy;
  /** Schedules the container's next step after `ms` milliseconds. */
  wait(slot: Slot, ms: number, next: () => void): void;
  find(slot: Slot): Busy | undefined;
  release(slot: Slot): void;
  /** Returns the runs of the pod's containers. */
  runs(uid: string): ProgramRun[];
  forget(uid: string): void;
}

export function openKubelet(world: World): Kubelet {
  const pods = new Map<string, Map<string, Busy>>();

  function hold(slot: Slot, entry: Busy): Busy {
    const { uid } = slot.pod.metadata, own = pods.get(uid) ?? new Map<string, Busy>();
    own.get(slot.name)?.cancel();
    pods.set(uid, own.set(slot.name, entry));
    return entry;
  }

  return {
    world,
    hold: (slot, run) => hold(slot, { cancel: () => {}, warm: false, ...(run && { run }) }),
    wait: (slot, ms, next) => void hold(slot, { cancel: world.timers.after(ms, next), warm: false }),
    find: ({ pod, name }) => pods.get(pod.metadata.uid)?.get(name),
    release: ({ pod, name }) => void pods.get(pod.metadata.uid)?.delete(name),
    runs: (uid) => [...pods.get(uid)?.values() ?? []].flatMap(({ run }) => run ?? []),
    forget(uid) {
      for (const { cancel } of pods.get(uid)?.values() ?? []) cancel();
      pods.delete(uid);
    },
  };
}

export function specOf({ pod, which, name }: Slot): Json {
  return pod.spec[which].find((each: Json) => each.name === name);
}

/** Returns the slot with the pod's current state, or null if the pod was removed. */
export function liveSlot({ store }: World, slot: Slot): Slot | null {
  const { namespace, name, uid } = slot.pod.metadata;
  const pod = store.get("Pod", namespace, name);
  return pod?.metadata.uid === uid ? { ...slot, pod } : null;
}

export function setContainer(
  world: World,
  { pod, which, name }: Slot,
  change: (status: ContainerStatus) => Partial<ContainerStatus>,
): void {
  changeObject(world, pod, "kubelet", (live) => {
    const apply = (to: Which) =>
      statusesOf(live, to).map((status) =>
        to === which && status.name === name ? { ...status, ...change(status) } : status
      );
    return withStatuses(live, apply("initContainers"), apply("containers"), world.timers.stamp());
  });
}

export function setWaiting(world: World, slot: Slot, reason: string, message: string): void {
  setContainer(world, slot, () => ({ state: { waiting: { reason, message } } }));
}

export function tell(world: World, { pod, which, name }: Slot, statement: EventText): void {
  say(world, pod, { by: "kubelet", fieldPath: `spec.${which}{${name}}`, ...statement });
}
