/** Simulates the PersistentVolumeClaim controller: binds, expands, protects and deletes PVCs and their volumes. */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { createVolumeExpansion } from "#lib/dev/simulator/controllers/volume-expansion.ts";
import {
  changeObjectStatus,
  CONTROLLER_FIELD_MANAGER,
  createManagedObject,
  recordKubernetesEvent,
  removeFinalizers,
} from "#lib/dev/simulator/controllers/objects.ts";
import { isPodFinished } from "#lib/dev/simulator/controllers/kubelet.ts";
import { listPvcNames, SELECTED_NODE_ANNOTATION } from "#lib/dev/simulator/controllers/scheduler.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import { parseMilliQuantityOrZero } from "#lib/dev/simulator/admission/quota.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

const COMPONENT = "persistentvolume-controller";
const RETRY = 1000; // ms between checks for a missing StorageClass or snapshot

export function pvcController(world: Simulation): Controller {
  const expansion = createVolumeExpansion(world);
  return {
    kind: "PersistentVolumeClaim",
    also({ object }) {
      if (object.kind !== "Pod") return [];
      const { namespace } = object.metadata;
      return listPvcNames(object).flatMap((name) => world.store.get("PersistentVolumeClaim", namespace, name) ?? []);
    },
    removed(claim) {
      expansion.forget(claim);
      releaseVolume(world, claim);
    },
    // Keeps a deleted PVC while an unfinished pod uses it, even if that pod is not yet scheduled.
    end(claim) {
      const used = world.store.list("Pod", claim.metadata.namespace)
        .some((pod) => !isPodFinished(pod) && listPvcNames(pod).includes(claim.metadata.name));
      if (!used) removeFinalizers(world, claim, CONTROLLER_FIELD_MANAGER, ["kubernetes.io/pvc-protection"]);
    },
    reconcile(claim, memory) {
      if (claim.status?.phase === "Bound") return expansion.expand(claim, memory);
      const { storageClassName } = claim.spec, { namespace, name, annotations } = claim.metadata;
      const storage = world.store.get("StorageClass", undefined, storageClassName ?? "");
      if (!storage && storageClassName) {
        return recordProvisioningFailure(
          world,
          claim,
          COMPONENT,
          `storageclass.storage.k8s.io "${storageClassName}" not found`,
        );
      }
      if (!storage) {
        const message = "no persistent volumes available for this claim and no storage class is set";
        recordKubernetesEvent(world, claim, { by: COMPONENT, normal: "FailedBinding", message });
        return RETRY;
      }
      if (
        storage.volumeBindingMode === "WaitForFirstConsumer" && annotations?.[SELECTED_NODE_ANNOTATION] === undefined
      ) {
        const message = "waiting for first consumer to be created before binding";
        return recordKubernetesEvent(world, claim, { by: COMPONENT, normal: "WaitForFirstConsumer", message });
      }
      const broken = world.faults.find("no-volume", namespace, name);
      if (broken) {
        const why = `failed to provision volume with StorageClass "${storage.metadata.name}": ${broken.message}`;
        return recordProvisioningFailure(world, claim, storage.provisioner, why);
      }
      if (world.faults.find("slow-volume", namespace, name)) {
        const message =
          `Waiting for a volume to be created either by the external provisioner '${storage.provisioner}' ` +
          "or manually by the system administrator.";
        recordKubernetesEvent(world, claim, { by: COMPONENT, normal: "ExternalProvisioning", message });
        return RETRY;
      }
      const left = memory.left(claim, world.delays[claim.spec.dataSource ? "filledClaim" : "claim"]);
      return left > 0 ? left : bindClaim(world, claim, storage);
    },
  };
}

function recordProvisioningFailure(world: Simulation, claim: StoredObject, by: string, message: string): number {
  recordKubernetesEvent(world, claim, { by, warning: "ProvisioningFailed", message });
  return RETRY;
}

function bindClaim(world: Simulation, claim: StoredObject, storage: StoredObject): number | void {
  const { provisioner } = storage, { namespace, name, uid } = claim.metadata;
  const { dataSource: source, accessModes, volumeMode } = claim.spec;
  const volume = `pvc-${uid}`, capacity = { storage: claim.spec.resources.requests.storage };
  if (source?.kind === "VolumeSnapshot") {
    const why = fillFromSnapshot(world, claim, storage, volume);
    const failed = `failed to provision volume with StorageClass "${storage.metadata.name}"`;
    if (why !== null) return recordProvisioningFailure(world, claim, provisioner, `${failed}: ${why}`);
  }
  if (!world.store.get("PersistentVolume", undefined, volume)) {
    const created = createManagedObject(world, "csi-provisioner", {
      kind: "PersistentVolume",
      metadata: { name: volume, finalizers: ["kubernetes.io/pv-protection"] },
      spec: {
        capacity,
        accessModes,
        claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name, uid },
        persistentVolumeReclaimPolicy: storage.reclaimPolicy,
        storageClassName: storage.metadata.name,
        volumeMode,
        csi: { driver: provisioner, volumeHandle: volume },
      },
    });
    changeObjectStatus(world, created, CONTROLLER_FIELD_MANAGER, () => ({ phase: "Bound" }));
  }
  changeObject(world, claim, CONTROLLER_FIELD_MANAGER, (live) => {
    const annotations = {
      ...live.metadata.annotations,
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
      "volume.kubernetes.io/storage-provisioner": provisioner,
    };
    const status = { phase: "Bound", accessModes: live.spec.accessModes, capacity };
    return { ...live, metadata: { ...live.metadata, annotations }, spec: { ...live.spec, volumeName: volume }, status };
  });
  const message = `Successfully provisioned volume ${volume}`;
  recordKubernetesEvent(world, claim, { by: provisioner, normal: "ProvisioningSucceeded", message });
}

/** Copies the snapshot's data to the volume. On failure, returns the error message of external-provisioner 5. */
function fillFromSnapshot(
  world: Simulation,
  claim: StoredObject,
  storage: StoredObject,
  volume: string,
): string | null {
  const { namespace } = claim.metadata, { dataSource: { name }, resources: { requests } } = claim.spec;
  const snapshot = world.store.get("VolumeSnapshot", namespace, name), status = snapshot?.status;
  const bound: string | undefined = status?.boundVolumeSnapshotContentName;
  const content = world.store.get("VolumeSnapshotContent", undefined, bound ?? "");
  const requestedSize = parseMilliQuantityOrZero(requests.storage) / 1000,
    least = parseMilliQuantityOrZero(status?.restoreSize ?? "0") / 1000;
  const refusals: readonly (readonly [applies: boolean, why: string])[] = [
    [
      !snapshot,
      `error getting snapshot ${name} from api server: volumesnapshots.snapshot.storage.k8s.io "${name}" not found`,
    ],
    [snapshot?.metadata.deletionTimestamp !== undefined, `snapshot ${name} is being deleted`],
    [bound === undefined, `snapshot ${name} not bound`],
    [!content, `error getting snapshotcontent ${bound} for snapshot ${name}`],
    [
      content?.spec.volumeSnapshotRef.uid !== snapshot?.metadata.uid,
      `snapshotcontent ${bound} for snapshot ${name} is bound to a different snapshot`,
    ],
    [
      content?.spec.driver !== storage.provisioner,
      `snapshotcontent ${bound} for snapshot ${name} is not handled by CSI driver of StorageClass ${storage.metadata.name}`,
    ],
    [status?.readyToUse !== true, `snapshot ${name} is not Ready`],
    [
      requestedSize < least,
      `requested volume size ${requestedSize} is less than the size ${least} for the source snapshot ${name}`,
    ],
  ];
  const [, why] = refusals.find(([applies]) => applies) ?? [];
  if (why !== undefined) return `error getting handle for DataSource Type VolumeSnapshot by Name ${name}: ${why}`;
  const handle: string = content!.status.snapshotHandle;
  if (!world.volumes.has(handle)) return `rpc error: code = NotFound desc = snapshot id ${handle} does not exist`;
  const { restoreSize: _, ...data } = world.volumes.read(handle);
  world.volumes.write(volume, structuredClone(data));
  return null;
}

function releaseVolume(world: Simulation, claim: StoredObject): void {
  const volume = world.store.get("PersistentVolume", undefined, claim.spec.volumeName ?? "");
  if (!volume) return;
  if (volume.spec.persistentVolumeReclaimPolicy === "Retain") {
    const lastPhaseTransitionTime = world.timers.stamp();
    return void changeObjectStatus(
      world,
      volume,
      CONTROLLER_FIELD_MANAGER,
      () => ({ phase: "Released", lastPhaseTransitionTime }),
    );
  }
  world.volumes.wipe(volume.metadata.name);
  world.store.remove(volume);
}

export function persistentVolumeController(world: Simulation): Controller {
  return {
    kind: "PersistentVolume",
    reconcile(volume) {
      if (volume.status?.phase !== "Released" || volume.spec.persistentVolumeReclaimPolicy !== "Delete") return;
      world.volumes.wipe(volume.metadata.name);
      world.store.remove(volume);
    },
  };
}
