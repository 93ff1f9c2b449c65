/**
 * Simulates external-snapshotter 8, with its error messages. A snapshot is a new copy of a PVC's volume, or an existing
 * copy that a VolumeSnapshotContent (the "content") refers to. When a snapshot is deleted, its copy is deleted only if
 * the content's deletion policy is `Delete` at that time.
 */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  createManagedObject,
  recordKubernetesEvent,
  removeFinalizers,
  setAnnotations,
} from "#lib/dev/simulator/controllers/objects.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

const MANAGER = "snapshot-controller";
const DRIVER = "csi-snapshotter";
const DEFAULT = "snapshot.storage.kubernetes.io/is-default-class";
const AS_SOURCE = "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection";
const BOUND = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
const CONTENT_BOUND = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";
/** The annotation on a VolumeSnapshotContent whose snapshot is being deleted. Without it, a bound content is kept. */
const BEING_DELETED = "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted";
const RETRY = 1000; // ms between retries

export function snapshotController(world: Simulation): Controller {
  return {
    kind: "VolumeSnapshot",
    also({ object: { kind, metadata: { namespace }, spec } }) {
      const of = kind === "VolumeSnapshotContent"
        ? spec.volumeSnapshotRef
        : kind === "PersistentVolumeClaim" && { namespace, ...spec.dataSource }; // a snapshot's deletion waits for PVCs
      const snapshot = world.store.get("VolumeSnapshot", of?.namespace, of?.name ?? "");
      return snapshot ? [snapshot] : [];
    },
    end: (snapshot) => releaseSnapshot(world, snapshot),
    reconcile(snapshot, memory) {
      if (snapshot.status?.readyToUse) return;
      const { namespace, name } = snapshot.metadata;
      addFinalizers(world, snapshot);
      const contentName = snapshot.spec.source.volumeSnapshotContentName;
      const content = hasClass(world, snapshot)
        ? contentOf(world, snapshot) ??
          (contentName ? reportUnusableContent(world, snapshot) : createContent(world, snapshot))
        : undefined;
      if (!content) return RETRY;
      const broken = world.faults.find("no-snapshot", namespace, name);
      if (broken) return recordError(world, snapshot, "SnapshotContentCheckandUpdateFailed", broken.message);
      if (contentName && !hasSnapshotData(world, snapshot, content)) return RETRY;
      copyVolumeData(world, snapshot, content);
      const left = memory.left(snapshot, world.delays[contentName ? "existingSnapshot" : "snapshot"]);
      if (left > 0) return left;
      if (world.faults.find("unready", namespace, name)) return RETRY;
      markReady(world, snapshot, content.metadata.name);
    },
  };
}

/** Simulates the CSI sidecar: deletes the stored copy with its VolumeSnapshotContent, if its policy is `Delete`. */
export function snapshotContentController(world: Simulation): Controller {
  return {
    kind: "VolumeSnapshotContent",
    end(content) {
      const { metadata: { annotations, finalizers }, spec, status } = content;
      if (!finalizers?.includes(CONTENT_BOUND)) return;
      if (annotations?.[BEING_DELETED] !== "yes" && spec.volumeSnapshotRef?.uid) return;
      if (spec.deletionPolicy === "Delete") world.volumes.wipe(status?.snapshotHandle ?? "");
      removeFinalizers(world, content, DRIVER, [CONTENT_BOUND]);
    },
  };
}

/** Returns the VolumeSnapshotContent for the snapshot. If it was created manually, adds the snapshot's UID to it. */
function contentOf(world: Simulation, snapshot: StoredObject): StoredObject | undefined {
  const { metadata: { name, namespace, uid }, spec, status } = snapshot;
  const bound = spec.source?.volumeSnapshotContentName ?? status?.boundVolumeSnapshotContentName;
  const content = world.store.get("VolumeSnapshotContent", undefined, bound ?? "");
  const of = content?.spec.volumeSnapshotRef;
  if (!content || of?.name !== name || of?.namespace !== namespace) return undefined;
  if (of.uid) return of.uid === uid ? content : undefined;
  if (!content.spec.source.snapshotHandle) return undefined;
  const { volumeSnapshotClassName: className } = spec;
  changeObjectStatus(world, snapshot, MANAGER, ({ error: _, ...known }) => (
    { ...known, boundVolumeSnapshotContentName: bound, readyToUse: false }
  ));
  return changeObject(world, content, MANAGER, (live) => {
    const volumeSnapshotRef = { ...live.spec.volumeSnapshotRef, uid };
    const own = { ...live.spec, volumeSnapshotRef, ...(className && { volumeSnapshotClassName: className }) };
    const finalizers = [...live.metadata.finalizers ?? [], CONTENT_BOUND];
    return { ...live, metadata: { ...live.metadata, finalizers }, spec: own };
  });
}

/** Whether the snapshot's class exists. Also true if no class is set yet, because a default is set later. */
function hasClass(world: Simulation, snapshot: StoredObject): boolean {
  const { volumeSnapshotClassName: className } = snapshot.spec;
  if (className === undefined || world.store.get("VolumeSnapshotClass", undefined, className)) return true;
  const why = `volumesnapshotclass.snapshot.storage.k8s.io "${className}" not found`;
  recordError(world, snapshot, "GetSnapshotClassFailed", `Failed to get snapshot class with error ${why}`);
  return false;
}

/** Records why the snapshot cannot use the VolumeSnapshotContent that its spec refers to. */
function reportUnusableContent(world: Simulation, snapshot: StoredObject): undefined {
  const name: string = snapshot.spec.source.volumeSnapshotContentName;
  const content = world.store.get("VolumeSnapshotContent", undefined, name);
  const refuse = (reason: string, message: string): undefined => void recordError(world, snapshot, reason, message);
  if (!content) return refuse("SnapshotContentMissing", "VolumeSnapshotContent is missing");
  if (content.spec.source.snapshotHandle) {
    return refuse("SnapshotContentMisbound", `VolumeSnapshotContent [${name}] is bound to a different snapshot`);
  }
  const why = "VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one";
  return refuse("SnapshotContentMismatch", why);
}

/** Whether the storage has the copy that the VolumeSnapshotContent refers to. Records an error if it is missing. */
function hasSnapshotData(world: Simulation, snapshot: StoredObject, content: StoredObject): boolean {
  const { driver, source: { snapshotHandle: handle } } = content.spec;
  if (!world.store.list("StorageClass").some(({ provisioner }) => provisioner === driver)) return false;
  if (world.volumes.has(handle)) return true;
  const why =
    `failed to list snapshot for content ${content.metadata.name}: "can not find snapshot for snapshotID ${handle}"`;
  const message = `Failed to check and update snapshot content: ${why}`;
  if (content.status?.error?.message === message) return false;
  recordKubernetesEvent(world, content, { by: DRIVER, warning: "SnapshotContentCheckandUpdateFailed", message });
  const error = { message, time: world.timers.stamp() };
  for (const object of [content, snapshot]) {
    changeObjectStatus(world, object, MANAGER, (status) => ({ ...status, readyToUse: false, error }));
  }
  return false;
}

function addFinalizers(world: Simulation, snapshot: StoredObject): void {
  changeObject(world, snapshot, MANAGER, (live) => {
    const finalizers = [...new Set([...live.metadata.finalizers ?? [], AS_SOURCE, BOUND])];
    return { ...live, metadata: { ...live.metadata, finalizers } };
  });
}

function releaseSnapshot(world: Simulation, snapshot: StoredObject): number | void {
  const content = contentOf(world, snapshot);
  if (content && isRestoreSource(world, snapshot)) {
    const message = "Snapshot is being used to restore a PVC";
    recordKubernetesEvent(world, snapshot, { by: MANAGER, warning: "SnapshotDeletePending", message });
    return RETRY;
  }
  const marked = content && setAnnotations(world, content, MANAGER, { [BEING_DELETED]: "yes" });
  if (marked?.spec.deletionPolicy !== "Delete") return removeFinalizers(world, snapshot, MANAGER, [AS_SOURCE, BOUND]);
  if (marked.metadata.deletionTimestamp === undefined) deleteObject(world, marked, { propagation: "Background" });
  removeFinalizers(world, snapshot, MANAGER, [AS_SOURCE]); // the other finalizer is removed after the content
}

/** Whether a PVC that is still pending uses the snapshot as its data source. */
function isRestoreSource(world: Simulation, { metadata: { name, namespace } }: StoredObject): boolean {
  return world.store.list("PersistentVolumeClaim", namespace).some(({ spec: { dataSource: source }, status }) =>
    source?.kind === "VolumeSnapshot" && source.name === name && status?.phase === "Pending"
  );
}

function recordError(world: Simulation, snapshot: StoredObject, reason: string, message: string): number {
  recordKubernetesEvent(world, snapshot, { by: MANAGER, warning: reason, message });
  changeObjectStatus(world, snapshot, MANAGER, (status) => {
    const error = status.error?.message === message ? status.error : { message, time: world.timers.stamp() };
    return { ...status, readyToUse: false, error };
  });
  return RETRY;
}

/** Creates a VolumeSnapshotContent for the snapshot. On failure, records the error and returns undefined. */
function createContent(world: Simulation, snapshot: StoredObject): StoredObject | undefined {
  const refuse = (message: string): undefined =>
    void recordError(world, snapshot, "SnapshotContentCreationFailed", message);
  const { source, volumeSnapshotClassName: className } = snapshot.spec;
  const { uid, namespace, name } = snapshot.metadata, claimed = source.persistentVolumeClaimName;
  const claim = world.store.get("PersistentVolumeClaim", namespace, claimed);
  const failed = "Failed to create snapshot content with error";
  if (!claim) {
    const why = `snapshot controller failed to update ${claimed} on API server: cannot get claim from snapshot`;
    return refuse(`${failed} ${why}`);
  }
  if (claim.status?.phase !== "Bound") {
    return refuse(`${failed} the PVC ${claimed} is not yet bound to a PV, will not attempt to take a snapshot`);
  }
  const snapshotClass = className === undefined
    ? world.store.list("VolumeSnapshotClass").find((each) => each.metadata.annotations?.[DEFAULT] === "true")
    : world.store.get("VolumeSnapshotClass", undefined, className);
  if (!snapshotClass) {
    const why = "Failed to set default snapshot class with error cannot find default snapshot class";
    return void recordError(world, snapshot, "SetDefaultSnapshotClassFailed", why);
  }
  const content = `snapcontent-${uid}`;
  if (!world.store.get("VolumeSnapshotContent", undefined, content)) {
    createManagedObject(world, MANAGER, {
      kind: "VolumeSnapshotContent",
      metadata: { name: content, finalizers: [CONTENT_BOUND] },
      spec: {
        deletionPolicy: snapshotClass.deletionPolicy,
        driver: snapshotClass.driver,
        source: { volumeHandle: claim.spec.volumeName },
        sourceVolumeMode: claim.spec.volumeMode,
        volumeSnapshotClassName: snapshotClass.metadata.name,
        volumeSnapshotRef: { apiVersion: snapshot.apiVersion, kind: snapshot.kind, name, namespace, uid },
      },
    });
  }
  const bound = { boundVolumeSnapshotContentName: content, readyToUse: false };
  changeObjectStatus(world, snapshot, MANAGER, (status) => ({ ...status, ...bound }));
  return world.store.get("VolumeSnapshotContent", undefined, content);
}

/** Copies the volume's data and size, unless a copy exists. Writes the copy's handle to the VolumeSnapshotContent. */
function copyVolumeData(world: Simulation, snapshot: StoredObject, content: StoredObject): void {
  if (content.status?.snapshotHandle) return;
  const stamp = world.timers.stamp(), { source } = content.spec, from = source?.volumeHandle;
  const snapshotHandle = source?.snapshotHandle ?? `snapshot-${snapshot.metadata.uid}`;
  if (from) {
    const volume = world.store.get("PersistentVolume", undefined, from);
    const restoreSize = (Number.parseInt(volume?.spec.capacity?.storage) || 0) * 1024 ** 3;
    world.volumes.write(snapshotHandle, { ...structuredClone(world.volumes.read(from)), restoreSize });
  }
  const { restoreSize } = world.volumes.read(snapshotHandle);
  const creationTime = Date.parse(stamp) * 1e6;
  changeObjectStatus(world, content, DRIVER, ({ error: _ }) => (
    { snapshotHandle, creationTime, readyToUse: false, ...(restoreSize && { restoreSize }) }
  ));
  changeObjectStatus(world, snapshot, MANAGER, ({ error: _, ...status }) => (
    { ...status, creationTime: stamp, readyToUse: false }
  ));
}

function markReady(world: Simulation, snapshot: StoredObject, name: string): void {
  const content = world.store.get("VolumeSnapshotContent", undefined, name)!, size = content.status?.restoreSize;
  changeObjectStatus(world, content, DRIVER, (status) => ({ ...status, readyToUse: true }));
  changeObjectStatus(world, snapshot, MANAGER, ({ error: _, ...status }) => ({
    ...status,
    boundVolumeSnapshotContentName: name,
    readyToUse: true,
    ...(size ? { restoreSize: `${size / 1024 ** 3}Gi` } : {}),
  }));
  const message = `Snapshot ${snapshot.metadata.namespace}/${snapshot.metadata.name} is ready to use.`;
  recordKubernetesEvent(world, snapshot, { by: MANAGER, normal: "SnapshotReady", message });
}
