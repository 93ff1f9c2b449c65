/**
 * What the kubelet has in its hands: for each container that it waits for or runs, what comes next, and what it tells
 * of it.
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

/** A container of a pod. */
export interface Slot {
  readonly pod: StoredObject;
  readonly which: Which;
  readonly name: string;
}

interface Busy {
  /** Calls off what comes next. */
  cancel: () => void;
  readonly run?: ProgramRun;
  /** Whether it has run long enough to serve. */
  warm: boolean;
}

export interface Kubelet {
  readonly world: World;
  /** Holds the container in place of what was held for it. */
  hold(slot: Slot, run?: ProgramRun): Busy;
  /** Holds the container until its next step, in so many milliseconds. */
  wait(slot: Slot, ms: number, next: () => void): void;
  find(slot: Slot): Busy | undefined;
  release(slot: Slot): void;
  /** What the pod's running containers are doing. */
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

/** The container in its pod as it stands now, or null if that pod is gone. */
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
