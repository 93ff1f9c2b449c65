/** Simulates the reclaim policy `Delete`: removes a released volume together with its data. */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

export function persistentVolumeController(world: SimulatorContext): Controller {
  return {
    kind: "PersistentVolume",
    reconcile(volume) {
      if (volume.status?.phase !== "Released" || volume.spec.persistentVolumeReclaimPolicy !== "Delete") return;
      world.volumes.wipe(volume.metadata.name);
      world.store.remove(volume);
    },
  };
}
