/** Creates the cluster's initial objects: a node, system namespaces, and storage, snapshot and ingress classes. */
import { createManagedObject } from "#lib/dev/simulator/controllers/objects.ts";
import type { Json } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

const DRIVER = "simulated.csi.example";

/** Creates the initial objects that are missing. Existing objects stay as they are, even if a user changed them. */
export function createBaseObjects(world: SimulatorContext): void {
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

/** The name of the cluster's only node. It is also the node's address. */
export const NODE_NAME = "127.0.0.1";

function createIfMissing(world: SimulatorContext, manifest: Json): void {
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
