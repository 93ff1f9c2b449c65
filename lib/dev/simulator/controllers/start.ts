/** Starts all controllers. Afterwards, they react to changes to objects and to timers. */
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";
import { certificateController, clusterIssuerController } from "#lib/dev/simulator/controllers/certificates.ts";
import { pvcController } from "#lib/dev/simulator/controllers/volume-claims.ts";
import { runControllers } from "#lib/dev/simulator/controllers/controller.ts";
import { cronJobController } from "#lib/dev/simulator/controllers/cronjobs.ts";
import { deploymentController, replicaSetController } from "#lib/dev/simulator/controllers/deployments.ts";
import { garbageCollectorControllers } from "#lib/dev/simulator/controllers/garbage.ts";
import { ingressController } from "#lib/dev/simulator/controllers/ingresses.ts";
import { jobController } from "#lib/dev/simulator/controllers/jobs.ts";
import { namespaceController, resourceQuotaController } from "#lib/dev/simulator/controllers/namespaces.ts";
import { nodeController } from "#lib/dev/simulator/controllers/nodes.ts";
import { podController } from "#lib/dev/simulator/controllers/pods.ts";
import { snapshotContentController, snapshotController } from "#lib/dev/simulator/controllers/snapshots.ts";
import { statefulSetController } from "#lib/dev/simulator/controllers/statefulsets.ts";
import { persistentVolumeController } from "#lib/dev/simulator/controllers/volumes.ts";

export function startControllers(world: SimulatorContext): void {
  const wake = runControllers(world, [
    namespaceController(world),
    resourceQuotaController(world),
    deploymentController(world),
    replicaSetController(world),
    statefulSetController(world),
    jobController(world),
    cronJobController(world),
    nodeController(world),
    podController(world),
    pvcController(world),
    persistentVolumeController(world),
    snapshotController(world),
    snapshotContentController(world),
    ingressController(world),
    certificateController(world),
    clusterIssuerController(world),
    ...garbageCollectorControllers(world),
  ]);
  world.faults.onChange(() =>
    ["Node", "Pod", "Namespace", "Deployment", "VolumeSnapshot", "PersistentVolumeClaim"].forEach(wake)
  );
}
