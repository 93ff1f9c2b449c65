/** Containers that wait: to be started for the first time, for an image, for their environment, or after a crash. */
import { environmentOf } from "#lib/dev/simulator/environment.ts";
import { pullFailure } from "#lib/dev/simulator/images.ts";
import {
  type Kubelet,
  liveSlot,
  setStatus,
  setWaiting,
  type Slot,
  specOf,
  tell,
} from "#lib/dev/simulator/controllers/kubelet.ts";
import { isLost } from "#lib/dev/simulator/controllers/nodes.ts";
import type { ContainerStatus } from "#lib/dev/simulator/controllers/pod-status.ts";
import { LEAST_WAIT, start } from "#lib/dev/simulator/controllers/running.ts";
import type { World } from "#lib/dev/simulator/world.ts";

const LONGEST_BACKOFF = 60_000; // ms

/** Starts the container after so many milliseconds. */
export function plan(kubelet: Kubelet, slot: Slot, ms: number): void {
  kubelet.wait(slot, ms, () => begin(kubelet, slot));
  setStatus(kubelet.world, slot, (status) => status); // so that the status names the containers that wait
}

/** Starts the container now, if image and environment allow. */
export function begin(kubelet: Kubelet, planned: Slot): void {
  const { world } = kubelet, slot = liveSlot(world, planned);
  if (!slot || slot.pod.metadata.deletionTimestamp !== undefined) return;
  if (isLost(world, slot.pod.spec.nodeName)) return kubelet.release(slot);
  const container = specOf(slot);
  const unpullable = pullFailure(container.image, world.faults);
  if (unpullable) return pullLater(kubelet, slot, container.image, unpullable);
  const { missing, values } = environmentOf(world, slot.pod, container);
  if (missing === undefined) return start(kubelet, slot, container, values);
  tell(world, slot, "Warning", "Failed", `Error: ${missing}`);
  setWaiting(world, slot, "CreateContainerConfigError", missing);
  kubelet.wait(slot, patience(world, 0), () => begin(kubelet, slot));
}

function pullLater(kubelet: Kubelet, slot: Slot, image: string, why: string): void {
  const { world } = kubelet;
  tell(world, slot, "Normal", "Pulling", `Pulling image "${image}"`);
  tell(world, slot, "Warning", "Failed", `Failed to pull image "${image}": ${why}`);
  tell(world, slot, "Warning", "Failed", "Error: ErrImagePull");
  setWaiting(world, slot, "ErrImagePull", why);
  const back = (tries: number): void => {
    tell(world, slot, "Normal", "BackOff", `Back-off pulling image "${image}"`);
    tell(world, slot, "Warning", "Failed", "Error: ImagePullBackOff");
    setWaiting(world, slot, "ImagePullBackOff", `Back-off pulling image "${image}": ErrImagePull: ${why}`);
    kubelet.wait(slot, patience(world, tries), () => back(tries + 1));
  };
  kubelet.wait(slot, Math.max(10, world.delayMs / 4), () => back(0));
}

/** The first restart is at once, the later ones with growing patience. */
export function restart(kubelet: Kubelet, slot: Slot, status: ContainerStatus): void {
  if (kubelet.find(slot)) return;
  const { world } = kubelet, { name, namespace, uid } = slot.pod.metadata, tries = status.restartCount;
  const where = `${name}_${namespace}(${uid})`;
  const seconds = Math.min(300, 10 * 2 ** Math.max(0, tries - 1));
  const waiting = tries === 0 ? { reason: "PodInitializing" } : {
    reason: "CrashLoopBackOff",
    message: `back-off ${seconds}s restarting failed container=${slot.name} pod=${where}`,
  };
  kubelet.wait(slot, tries === 0 ? 0 : patience(world, tries), () => begin(kubelet, slot));
  if (tries > 0) {
    tell(world, slot, "Warning", "BackOff", `Back-off restarting failed container ${slot.name} in pod ${where}`);
  }
  setStatus(world, slot, () => ({ lastState: status.state, state: { waiting }, restartCount: tries + 1 }));
}

/** Milliseconds before the next try, which grow with each. */
function patience({ delayMs }: World, tries: number): number {
  return Math.min(LONGEST_BACKOFF, Math.max(LEAST_WAIT, delayMs) * 2 ** Math.min(tries, 10));
}
