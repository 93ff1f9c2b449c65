/** Creates the cluster's initial objects and starts all controllers. */
import { createManagedObject, NODE_NAME } from "#lib/dev/simulator/controllers/objects.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { certificateController, clusterIssuerController } from "#lib/dev/simulator/controllers/certificates.ts";
import { persistentVolumeController, pvcController } from "#lib/dev/simulator/controllers/volume-claims.ts";
import { runControllers } from "#lib/dev/simulator/controllers/controller.ts";
import { cronJobController } from "#lib/dev/simulator/controllers/cronjobs.ts";
import { deploymentController, replicaSetController } from "#lib/dev/simulator/controllers/deployments.ts";
import {
  garbageCollectorControllers,
  namespaceController,
  resourceQuotaController,
} from "#lib/dev/simulator/controllers/namespaces.ts";
import { ingressController } from "#lib/dev/simulator/controllers/ingresses.ts";
import { jobController } from "#lib/dev/simulator/controllers/jobs.ts";
import { nodeController } from "#lib/dev/simulator/controllers/scheduler.ts";
import { podController } from "#lib/dev/simulator/controllers/pods.ts";
import { snapshotContentController, snapshotController } from "#lib/dev/simulator/controllers/snapshots.ts";
import { statefulSetController } from "#lib/dev/simulator/controllers/statefulsets.ts";

const DRIVER = "simulated.csi.example";

/** Creates the initial objects that are missing. Existing objects stay as they are, even if a user changed them. */
export function createBaseObjects(world: Simulation): void {
  for (const name of ["default", "kube-system", "kube-public", "ingress-nginx", "cert-manager"]) {
    createIfMissing(world, { kind: "Namespace", metadata: { name } });
  }
  createIfMissing(world, {
    kind: "StorageClass",
    metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: DRIVER,
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
  });
  for (const deletionPolicy of ["Delete", "Retain"]) {
    createIfMissing(world, {
      kind: "VolumeSnapshotClass",
      metadata: {
        name: deletionPolicy === "Delete" ? "standard" : "standard-retain",
        ...(deletionPolicy === "Delete"
          ? { annotations: { "snapshot.storage.kubernetes.io/is-default-class": "true" } }
          : {}),
      },
      driver: DRIVER,
      deletionPolicy,
    });
  }
  createIfMissing(world, {
    kind: "IngressClass",
    metadata: { name: "nginx", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
    spec: { controller: "k8s.io/ingress-nginx" },
  });
  createIfMissing(world, { kind: "Node", metadata: { name: NODE_NAME }, status: {} });
}

function createIfMissing(world: Simulation, manifest: Json): void {
  if (world.store.get(manifest.kind, undefined, manifest.metadata.name)) return;
  const object = createManagedObject(world, "furniture", manifest);
  if (manifest.kind !== "Node") return;
  const { cpu, memory, pods } = world.node;
  const message = "kubelet is posting ready status";
  const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", message }];
  const nodeInfo = { architecture: "amd64", operatingSystem: "linux" };
  const status = { capacity: { cpu, memory, pods }, allocatable: { cpu, memory, pods }, conditions, nodeInfo };
  world.store.save({ ...object, status });
}

export function startControllers(world: Simulation): void {
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
