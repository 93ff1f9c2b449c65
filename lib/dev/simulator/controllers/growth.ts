/**
 * Bound claims that ask for more: the driver makes the volume larger, and then the node the file system on it, as soon as
 * a pod has it mounted. The claim tells in its conditions how far that is, and in its capacity when all is done.
 */
import { say } from "#lib/dev/simulator/events.ts";
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import { type Json, type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import { amount } from "#lib/dev/simulator/quantity.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/writes.ts";
import { withConditions } from "#lib/dev/simulator/controllers/controller.ts";
import { isOver, statusesOf } from "#lib/dev/simulator/controllers/pod-status.ts";
import { claimNames } from "#lib/dev/simulator/controllers/scheduler.ts";

const BY = "external-resizer";
const RETRY = 1000; // ms between tries of a driver
const PENDING = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";

export interface Growth {
  /** One step nearer. Milliseconds until it wants to look again, or nothing. */
  grow(claim: KubeObject): number | void;
  forget(claim: KubeObject): void;
}

export function openGrowth(world: World): Growth {
  const kind = world.kinds.of("v1", "PersistentVolumeClaim")!, volumes = world.kinds.of("v1", "PersistentVolume")!;
  /** When the stage that is under way is done, by the claim's uid and the stage. */
  const due = new Map<string, number>();
  /** Pods that had the volume mounted when its driver was done with it. */
  const earlier = new Map<string, ReadonlySet<string>>();

  function left(claim: KubeObject, stage: string): number {
    const key = `${claim.metadata.uid} ${stage}`, now = world.timers.now();
    const at = due.get(key) ?? now + world.delayMs / 4;
    due.set(key, at);
    if (now >= at) due.delete(key);
    return at - now;
  }

  function growVolume(claim: KubeObject, volume: KubeObject, asked: string): number | void {
    tell(world, kind, claim, "Resizing", { allocatedResources: { storage: asked } }, "ControllerResizeInProgress");
    const broken = world.faults.of("no-growth", claim.metadata.namespace, claim.metadata.name);
    if (broken) {
      const driver = volume.spec.csi.driver;
      const message = `resize volume ${
        JSON.stringify(volume.metadata.name)
      } by resizer "${driver}" failed: ${broken.message}`;
      say(world, claim, { type: "Warning", reason: "VolumeResizeFailed", message, by: `${BY} ${driver}` });
      return RETRY;
    }
    const wait = left(claim, "volume");
    if (wait > 0) return wait;
    const spec = { ...volume.spec, capacity: { storage: asked } };
    changeObject(world, volumes, volume, BY, (live) => ({ ...live, spec }));
    earlier.set(claim.metadata.uid, new Set(mounting(world, claim).map((pod) => pod.metadata.uid)));
    tell(world, kind, claim, "FileSystemResizePending", {}, "NodeResizePending", PENDING);
    const message = "Require file system resize of volume on node";
    say(world, claim, { type: "Normal", reason: "FileSystemResizeRequired", message, by: BY });
    return 0;
  }

  return {
    forget: ({ metadata: { uid } }) => {
      earlier.delete(uid);
      for (const stage of ["volume", "node"]) due.delete(`${uid} ${stage}`);
    },
    grow(claim) {
      const asked: string = claim.spec.resources?.requests?.storage;
      if (amount(asked) <= amount(claim.status.capacity?.storage)) return;
      const volume = world.store.get(volumes, undefined, claim.spec.volumeName);
      if (!volume) return;
      if (amount(volume.spec.capacity?.storage) < amount(asked)) return growVolume(claim, volume, asked);
      const offline = world.faults.of("offline-growth", claim.metadata.namespace, claim.metadata.name) !== null;
      const had = earlier.get(claim.metadata.uid);
      const [pod] = mounting(world, claim).filter(({ metadata }) => !offline || !had?.has(metadata.uid));
      if (!pod) return; // the next pod wakes it
      const wait = left(claim, "node");
      if (wait > 0) return wait;
      earlier.delete(claim.metadata.uid);
      changeObject(world, kind, claim, "kubelet", (live) => {
        const { conditions: _, allocatedResourceStatuses: __, ...status } = live.status;
        return { ...live, status: { ...status, capacity: { storage: asked } } };
      });
      const message =
        `MountVolume.NodeExpandVolume succeeded for volume "${volume.metadata.name}" ${pod.spec.nodeName}`;
      say(world, pod, { type: "Normal", reason: "FileSystemResizeSuccessful", message, by: "kubelet" });
    },
  };
}

function tell(
  world: World,
  kind: Kind,
  claim: KubeObject,
  type: string,
  more: Json,
  stage: string,
  message?: string,
): void {
  const at = timestamp(world.timers.now());
  changeObject(world, kind, claim, BY, (live) => {
    const before = (live.status.conditions ?? []).filter((each: Json) => each.type === type);
    const condition = { type, status: "True", lastProbeTime: null, ...(message && { message }) };
    const conditions = withConditions(before, at, condition);
    return { ...live, status: { ...live.status, ...more, allocatedResourceStatuses: { storage: stage }, conditions } };
  });
}

/** Pods that have come as far as to have their volumes mounted. */
function mounting(world: World, claim: KubeObject): KubeObject[] {
  const { namespace, name } = claim.metadata;
  return world.store.list(world.kinds.of("v1", "Pod")!, namespace).filter((pod) =>
    claimNames(pod).includes(name) && pod.spec.nodeName && !isOver(pod) &&
    [...statusesOf(pod, "initContainers"), ...statusesOf(pod, "containers")]
      .some(({ state }) => state.running || state.terminated)
  );
}
