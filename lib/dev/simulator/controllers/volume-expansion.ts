/**
 * Expands the volumes of bound PVCs that request more storage.
 *
 * The driver expands the volume first. The node then expands the file system, as soon as a pod mounts the volume. The
 * PVC's conditions show the progress; its capacity changes at the end.
 */
import type { Memory } from "#lib/dev/simulator/controllers/controller.ts";
import { changeStatus, type Condition, withConditions } from "#lib/dev/simulator/controllers/objects.ts";
import { isPodOver, statusesOf } from "#lib/dev/simulator/controllers/pod-status.ts";
import { claimsOfPod } from "#lib/dev/simulator/controllers/scheduler.ts";
import { say } from "#lib/dev/simulator/controllers/events.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { amount } from "#lib/dev/simulator/admission/quantity.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

const BY = "external-resizer";
const RETRY = 1000; // ms between two attempts of the driver
const PENDING = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";

export interface VolumeGrowth {
  /** Performs the next step. Returns the milliseconds until the next call, if one is needed. */
  grow(claim: StoredObject, memory: Memory): number | void;
  forget(claim: StoredObject): void;
}

export function openGrowth(world: World): VolumeGrowth {
  /** UIDs of the pods that mounted the volume when the driver finished, keyed by the PVC's UID. */
  const earlier = new Map<string, ReadonlySet<string>>();

  /** Returns the milliseconds left of a stage. A finished stage is reset, because the PVC can grow again. */
  function left(memory: Memory, claim: StoredObject, stage: string): number {
    const ms = memory.left(claim, world.delays.growth, stage);
    if (ms === 0) memory.reset(claim, stage);
    return ms;
  }

  function growVolume(claim: StoredObject, volume: StoredObject, asked: string, memory: Memory): number {
    tell(world, claim, { type: "Resizing" }, {
      allocatedResources: { storage: asked },
      allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
    });
    const broken = world.faults.of("no-growth", claim.metadata.namespace, claim.metadata.name);
    if (broken) {
      const { driver } = volume.spec.csi, name = JSON.stringify(volume.metadata.name);
      const message = `resize volume ${name} by resizer "${driver}" failed: ${broken.message}`;
      say(world, claim, { by: `${BY} ${driver}`, warning: "VolumeResizeFailed", message });
      return RETRY;
    }
    const wait = left(memory, claim, "volume");
    if (wait > 0) return wait;
    const spec = { ...volume.spec, capacity: { storage: asked } };
    changeObject(world, volume, BY, (live) => ({ ...live, spec }));
    earlier.set(claim.metadata.uid, new Set(mounting(world, claim).map((pod) => pod.metadata.uid)));
    tell(world, claim, { type: "FileSystemResizePending", message: PENDING }, {
      allocatedResourceStatuses: { storage: "NodeResizePending" },
    });
    const message = "Require file system resize of volume on node";
    say(world, claim, { by: BY, normal: "FileSystemResizeRequired", message });
    return 0;
  }

  return {
    forget: ({ metadata }) => void earlier.delete(metadata.uid),
    grow(claim, memory) {
      const asked: string = claim.spec.resources?.requests?.storage;
      if (amount(asked) <= amount(claim.status.capacity?.storage)) return;
      const volume = world.store.get("PersistentVolume", undefined, claim.spec.volumeName);
      if (!volume) return;
      if (amount(volume.spec.capacity?.storage) < amount(asked)) return growVolume(claim, volume, asked, memory);
      const offline = world.faults.of("offline-growth", claim.metadata.namespace, claim.metadata.name) !== null;
      const had = earlier.get(claim.metadata.uid);
      const pod = mounting(world, claim).find(({ metadata }) => !offline || !had?.has(metadata.uid));
      if (!pod) return; // the next pod that mounts the volume triggers a new call
      const wait = left(memory, claim, "node");
      if (wait > 0) return wait;
      earlier.delete(claim.metadata.uid);
      changeStatus(world, claim, "kubelet", ({ conditions: _, allocatedResourceStatuses: __, ...status }) => ({
        ...status,
        capacity: { storage: asked },
      }));
      const where = `"${volume.metadata.name}" ${pod.spec.nodeName}`;
      const message = `MountVolume.NodeExpandVolume succeeded for volume ${where}`;
      say(world, pod, { by: "kubelet", normal: "FileSystemResizeSuccessful", message });
    },
  };
}

/** Replaces the PVC's conditions with this one and merges `more` into its status. */
function tell(world: World, claim: StoredObject, condition: { type: string; message?: string }, more: Json): void {
  const { type, ...words } = condition;
  changeStatus(world, claim, BY, (status) => {
    const before = (status.conditions ?? []).filter((each: Condition) => each.type === type);
    const stated = { type, status: "True", lastProbeTime: null, ...words };
    return { ...status, ...more, conditions: withConditions(before, world.timers.stamp(), stated) };
  });
}

/** Returns the pods that have mounted the PVC: at least one of their containers has started. */
function mounting(world: World, { metadata: { namespace, name } }: StoredObject): StoredObject[] {
  return world.store.list("Pod", namespace).filter((pod) =>
    claimsOfPod(pod).includes(name) && pod.spec.nodeName && !isPodOver(pod) &&
    statusesOf(pod).some(({ state }) => state.running || state.terminated)
  );
}
