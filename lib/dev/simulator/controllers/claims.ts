/** Claims and their volumes: bound when a pod uses them (or at once, as the class says), grown, protected, and gone. */
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import { type Json, type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import { say } from "#lib/dev/simulator/events.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject, createObject } from "#lib/dev/simulator/writes.ts";
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { openGrowth } from "#lib/dev/simulator/controllers/growth.ts";
import { isOver } from "#lib/dev/simulator/controllers/pod-status.ts";
import { claimNames, SELECTED_NODE } from "#lib/dev/simulator/controllers/scheduler.ts";
import { handleOf } from "#lib/dev/simulator/controllers/snapshots.ts";

const BY = "persistentvolume-controller";
const MANAGER = "kube-controller-manager";
const PROTECTION = "kubernetes.io/pvc-protection";
const RETRY = 1000; // ms between looks at a class or a snapshot that is not there yet

export function claimController(world: World): Controller {
  const kind = world.kinds.of("v1", "PersistentVolumeClaim")!, pods = world.kinds.of("v1", "Pod")!;
  const binding = new Map<string, number>();
  const growth = openGrowth(world);
  return {
    kind,
    also(change) {
      if (change.kind !== pods) return [];
      const claims = claimNames(change.object).map((name) =>
        world.store.get(kind, change.object.metadata.namespace, name)
      );
      return claims.flatMap((claim) => claim ?? []);
    },
    gone(claim) {
      binding.delete(claim.metadata.uid);
      growth.forget(claim);
      release(world, claim);
    },
    reconcile(claim) {
      if (claim.metadata.deletionTimestamp !== undefined) return unprotect(world, kind, pods, claim);
      if (claim.status?.phase === "Bound") return growth.grow(claim);
      const storage = world.store.get(
        world.kinds.of("storage.k8s.io/v1", "StorageClass")!,
        undefined,
        claim.spec.storageClassName ?? "",
      );
      const waits = storage?.volumeBindingMode === "WaitForFirstConsumer";
      if (!storage) {
        const name = claim.spec.storageClassName;
        const message = name
          ? `storageclass.storage.k8s.io "${name}" not found`
          : "no persistent volumes available for this claim and no storage class is set";
        say(world, claim, {
          type: name ? "Warning" : "Normal",
          reason: name ? "ProvisioningFailed" : "FailedBinding",
          message,
          by: BY,
        });
        return RETRY;
      }
      if (waits && claim.metadata.annotations?.[SELECTED_NODE] === undefined) {
        const message = "waiting for first consumer to be created before binding";
        say(world, claim, { type: "Normal", reason: "WaitForFirstConsumer", message, by: BY });
        return;
      }
      const broken = world.faults.of("no-volume", claim.metadata.namespace, claim.metadata.name);
      if (broken) {
        const message = `failed to provision volume with StorageClass "${storage.metadata.name}": ${broken.message}`;
        say(world, claim, { type: "Warning", reason: "ProvisioningFailed", message, by: storage.provisioner });
        return RETRY;
      }
      const now = world.timers.now();
      const due = binding.get(claim.metadata.uid) ?? now + world.delayMs / 10;
      binding.set(claim.metadata.uid, due);
      if (now < due) return due - now;
      return bind(world, kind, claim, storage);
    },
  };
}

function bind(world: World, kind: Kind, claim: KubeObject, storage: KubeObject): number | void {
  const source = claim.spec.dataSource;
  const content = source?.kind === "VolumeSnapshot"
    ? handleOf(world, claim.metadata.namespace!, source.name)
    : undefined;
  if (content === null) {
    const message =
      `error getting handle for DataSource Type VolumeSnapshot by Name ${source.name}: snapshot ${source.name} not ready`;
    say(world, claim, { type: "Warning", reason: "ProvisioningFailed", message, by: storage.provisioner });
    return RETRY;
  }
  const volume = `pvc-${claim.metadata.uid}`;
  if (content !== undefined) world.volumes.copy(content, volume);
  const capacity = { storage: claim.spec.resources.requests.storage };
  const volumes = world.kinds.of("v1", "PersistentVolume")!;
  if (!world.store.get(volumes, undefined, volume)) {
    const body = {
      metadata: { name: volume, finalizers: ["kubernetes.io/pv-protection"] },
      spec: {
        capacity,
        accessModes: claim.spec.accessModes,
        claimRef: {
          kind: "PersistentVolumeClaim",
          apiVersion: "v1",
          namespace: claim.metadata.namespace,
          name: claim.metadata.name,
          uid: claim.metadata.uid,
        },
        persistentVolumeReclaimPolicy: storage.reclaimPolicy,
        storageClassName: storage.metadata.name,
        volumeMode: claim.spec.volumeMode,
        csi: { driver: storage.provisioner, volumeHandle: volume },
      },
    };
    const made = createObject(world, volumes, undefined, body, { manager: "csi-provisioner" });
    changeObject(world, volumes, made, MANAGER, (live) => ({ ...live, status: { phase: "Bound" } }));
  }
  changeObject(world, kind, claim, MANAGER, (live) => ({
    ...live,
    metadata: {
      ...live.metadata,
      annotations: {
        ...live.metadata.annotations,
        "pv.kubernetes.io/bind-completed": "yes",
        "pv.kubernetes.io/bound-by-controller": "yes",
        "volume.kubernetes.io/storage-provisioner": storage.provisioner,
      },
    },
    spec: { ...live.spec, volumeName: volume },
    status: { phase: "Bound", accessModes: live.spec.accessModes, capacity },
  }));
  const message = `Successfully provisioned volume ${volume}`;
  say(world, claim, { type: "Normal", reason: "ProvisioningSucceeded", message, by: storage.provisioner });
}

/** Pods that are still to run, even those that wait for a node, keep their claims from going. */
function unprotect(world: World, kind: Kind, pods: Kind, claim: KubeObject): void {
  const used = world.store.list(pods, claim.metadata.namespace)
    .some((pod) => !isOver(pod) && claimNames(pod).includes(claim.metadata.name));
  if (used) return;
  changeObject(world, kind, claim, MANAGER, (live: Json) => ({
    ...live,
    metadata: {
      ...live.metadata,
      finalizers: live.metadata.finalizers?.filter((name: string) => name !== PROTECTION) ?? [],
    },
  }));
}

function release(world: World, claim: KubeObject): void {
  const volumes = world.kinds.of("v1", "PersistentVolume")!;
  const volume = claim.spec.volumeName ? world.store.get(volumes, undefined, claim.spec.volumeName) : undefined;
  if (!volume) return;
  if (volume.spec.persistentVolumeReclaimPolicy === "Retain") {
    changeObject(
      world,
      volumes,
      volume,
      MANAGER,
      (live) => ({ ...live, status: { phase: "Released", lastPhaseTransitionTime: timestamp(world.timers.now()) } }),
    );
    return;
  }
  world.volumes.wipe(volume.metadata.name);
  world.store.remove(volumes, volume);
}
