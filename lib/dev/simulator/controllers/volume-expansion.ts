/**
 * Expands the volumes of bound PVCs that request more storage. The storage driver first expands the volume. The node
 * then expands the file system, once a pod mounts the volume.
 */
import type { ReconcileState } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  mergeConditions,
  type ObjectCondition,
  recordKubernetesEvent,
} from "#lib/dev/simulator/controllers/objects.ts";
import { isPodFinished, listContainerStatuses } from "#lib/dev/simulator/controllers/kubelet.ts";
import { listPvcNames } from "#lib/dev/simulator/controllers/scheduler.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import { parseMilliQuantityOrZero } from "#lib/dev/simulator/admission/quota.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

const COMPONENT = "external-resizer";
const RETRY = 1000; // ms between attempts by the storage driver
const PENDING = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";

export interface VolumeExpansion {
  /** Performs the next step of an expansion. Returns the milliseconds until the next call, if one is needed. */
  expand(claim: StoredObject, memory: ReconcileState): number | void;
  forget(claim: StoredObject): void;
}

export function createVolumeExpansion(world: Simulation): VolumeExpansion {
  /** The UIDs of the pods that had the volume mounted when the driver expanded it, keyed by the PVC's UID. */
  const earlier = new Map<string, ReadonlySet<string>>();

  /** Returns the milliseconds left in a resize stage. Resets a finished stage, because the PVC may be resized again. */
  function left(memory: ReconcileState, claim: StoredObject, stage: string): number {
    const ms = memory.left(claim, world.delays.expansionStage, stage);
    if (ms === 0) memory.reset(claim, stage);
    return ms;
  }

  function expandVolume(
    claim: StoredObject,
    volume: StoredObject,
    requestedSize: string,
    memory: ReconcileState,
  ): number {
    setResizeCondition(world, claim, { type: "Resizing" }, {
      allocatedResources: { storage: requestedSize },
      allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
    });
    const broken = world.faults.find("no-expansion", claim.metadata.namespace, claim.metadata.name);
    if (broken) {
      const { driver } = volume.spec.csi, name = JSON.stringify(volume.metadata.name);
      const message = `resize volume ${name} by resizer "${driver}" failed: ${broken.message}`;
      recordKubernetesEvent(world, claim, { by: `${COMPONENT} ${driver}`, warning: "VolumeResizeFailed", message });
      return RETRY;
    }
    const wait = left(memory, claim, "volume");
    if (wait > 0) return wait;
    const spec = { ...volume.spec, capacity: { storage: requestedSize } };
    changeObject(world, volume, COMPONENT, (live) => ({ ...live, spec }));
    earlier.set(claim.metadata.uid, new Set(listMountingPods(world, claim).map((pod) => pod.metadata.uid)));
    setResizeCondition(world, claim, { type: "FileSystemResizePending", message: PENDING }, {
      allocatedResourceStatuses: { storage: "NodeResizePending" },
    });
    const message = "Require file system resize of volume on node";
    recordKubernetesEvent(world, claim, { by: COMPONENT, normal: "FileSystemResizeRequired", message });
    return 0;
  }

  return {
    forget: ({ metadata }) => void earlier.delete(metadata.uid),
    expand(claim, memory) {
      const requestedSize: string = claim.spec.resources?.requests?.storage;
      if (parseMilliQuantityOrZero(requestedSize) <= parseMilliQuantityOrZero(claim.status.capacity?.storage)) return;
      const volume = world.store.get("PersistentVolume", undefined, claim.spec.volumeName);
      if (!volume) return;
      if (parseMilliQuantityOrZero(volume.spec.capacity?.storage) < parseMilliQuantityOrZero(requestedSize)) {
        return expandVolume(claim, volume, requestedSize, memory);
      }
      const offline = world.faults.find("offline-expansion", claim.metadata.namespace, claim.metadata.name) !== null;
      const earlierPods = earlier.get(claim.metadata.uid);
      const pod = listMountingPods(world, claim).find(({ metadata }) => !offline || !earlierPods?.has(metadata.uid));
      if (!pod) return; // the next pod that mounts the volume triggers a new call
      const wait = left(memory, claim, "node");
      if (wait > 0) return wait;
      earlier.delete(claim.metadata.uid);
      changeObjectStatus(world, claim, "kubelet", ({ conditions: _, allocatedResourceStatuses: __, ...status }) => ({
        ...status,
        capacity: { storage: requestedSize },
      }));
      const where = `"${volume.metadata.name}" ${pod.spec.nodeName}`;
      const message = `MountVolume.NodeExpandVolume succeeded for volume ${where}`;
      recordKubernetesEvent(world, pod, { by: "kubelet", normal: "FileSystemResizeSuccessful", message });
    },
  };
}

/** Replaces the PVC's conditions with one resize condition, and merges `more` into the PVC's status. */
function setResizeCondition(
  world: Simulation,
  claim: StoredObject,
  condition: { type: string; message?: string },
  more: Json,
): void {
  const { type, ...words } = condition;
  changeObjectStatus(world, claim, COMPONENT, (status) => {
    const before = (status.conditions ?? []).filter((each: ObjectCondition) => each.type === type);
    const stated = { type, status: "True", lastProbeTime: null, ...words };
    return { ...status, ...more, conditions: mergeConditions(before, world.timers.stamp(), stated) };
  });
}

function listMountingPods(world: Simulation, { metadata: { namespace, name } }: StoredObject): StoredObject[] {
  return world.store.list("Pod", namespace).filter((pod) =>
    listPvcNames(pod).includes(name) && pod.spec.nodeName && !isPodFinished(pod) &&
    listContainerStatuses(pod).some(({ state }) => state.running || state.terminated)
  );
}
