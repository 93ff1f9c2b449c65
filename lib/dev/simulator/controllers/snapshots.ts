/**
 * VolumeSnapshots and their contents: a copy of a bound claim's volume, ready after the delay.
 *
 * A snapshot and its content are bound to each other, and each is held by a finalizer while it is. When a snapshot goes, its
 * content is marked; one whose policy is Delete goes with it, and with it the copy, before the snapshot itself; one that is
 * retained stays, and outlives the namespace. The policy that counts is the content's own, as it is then.
 */
import { type Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { deleteObject } from "#lib/dev/simulator/deletion.ts";
import { say } from "#lib/dev/simulator/events.ts";
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import { type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject, createObject } from "#lib/dev/simulator/writes.ts";

const API = "snapshot.storage.k8s.io/v1";
const MANAGER = "snapshot-controller";
const DEFAULT = "snapshot.storage.kubernetes.io/is-default-class";
const AS_SOURCE = "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection";
const BOUND = "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
const CONTENT_BOUND = "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";
/** On a content: its snapshot goes. Without it, the driver leaves a content alone that somebody deletes. */
const BEING_DELETED = "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted";
const RETRY = 1000; // ms between looks at what cannot be done yet

export function snapshotController(world: World): Controller {
  const kind = world.kinds.of(API, "VolumeSnapshot")!, contents = world.kinds.of(API, "VolumeSnapshotContent")!;
  const due = new Map<string, number>();
  return {
    kind,
    also(change) {
      if (change.kind !== contents) return [];
      const of = change.object.spec.volumeSnapshotRef;
      const snapshot = world.store.get(kind, of?.namespace, of?.name ?? "");
      return snapshot ? [snapshot] : [];
    },
    gone: ({ metadata }) => void due.delete(metadata.uid),
    reconcile(snapshot) {
      if (snapshot.metadata.deletionTimestamp !== undefined) return release(world, kind, contents, snapshot);
      if (snapshot.status?.readyToUse) return;
      const { namespace, name, uid } = snapshot.metadata;
      protect(world, kind, snapshot);
      const content = contentOf(world, contents, snapshot) ?? begin(world, kind, contents, snapshot);
      if (!content) return RETRY;
      const broken = world.faults.of("no-snapshot", namespace, name);
      if (broken) return fail(world, kind, snapshot, "SnapshotContentCheckandUpdateFailed", broken.message);
      cut(world, kind, contents, snapshot, content);
      const now = world.timers.now(), at = due.get(uid) ?? now + world.delayMs;
      due.set(uid, at);
      if (now < at) return at - now;
      if (world.faults.of("unready", namespace, name)) return RETRY;
      finish(world, kind, contents, snapshot, content);
    },
  };
}

/** What the storage driver's own part does when a content is deleted. */
export function contentController(world: World): Controller {
  const kind = world.kinds.of(API, "VolumeSnapshotContent")!;
  return {
    kind,
    reconcile(content) {
      const { deletionTimestamp, annotations, finalizers } = content.metadata;
      if (deletionTimestamp === undefined || !finalizers?.includes(CONTENT_BOUND)) return;
      if (annotations?.[BEING_DELETED] !== "yes" && content.spec.volumeSnapshotRef?.uid) return;
      if (content.spec.deletionPolicy === "Delete") world.volumes.wipe(content.status?.snapshotHandle ?? "");
      changeObject(world, kind, content, "csi-snapshotter", without([CONTENT_BOUND]));
    },
  };
}

/** The handle of a snapshot's data, null until it is ready. */
export function handleOf(world: World, namespace: string, name: string): string | null {
  const snapshot = world.store.get(world.kinds.of(API, "VolumeSnapshot")!, namespace, name);
  if (!snapshot?.status?.readyToUse) return null;
  return contentOf(world, world.kinds.of(API, "VolumeSnapshotContent")!, snapshot)?.status?.snapshotHandle ?? null;
}

/** The content that is bound to it, from both sides; one that was made by hand gets to know the snapshot's uid here. */
function contentOf(world: World, contents: Kind, snapshot: KubeObject): KubeObject | undefined {
  const { name, namespace, uid } = snapshot.metadata;
  const bound = snapshot.spec.source?.volumeSnapshotContentName ?? snapshot.status?.boundVolumeSnapshotContentName;
  const content = bound ? world.store.get(contents, undefined, bound) : undefined;
  const of = content?.spec.volumeSnapshotRef;
  if (!content || of?.name !== name || of?.namespace !== namespace) return undefined;
  if (of.uid) return of.uid === uid ? content : undefined;
  return changeObject(
    world,
    contents,
    content,
    MANAGER,
    (live) => ({ ...live, spec: { ...live.spec, volumeSnapshotRef: { ...live.spec.volumeSnapshotRef, uid } } }),
  );
}

function protect(world: World, kind: Kind, snapshot: KubeObject): void {
  changeObject(world, kind, snapshot, MANAGER, (live) => ({
    ...live,
    metadata: { ...live.metadata, finalizers: [...new Set([...live.metadata.finalizers ?? [], AS_SOURCE, BOUND])] },
  }));
}

function without(names: readonly string[]): (live: KubeObject) => KubeObject {
  return (live) => ({
    ...live,
    metadata: {
      ...live.metadata,
      finalizers: (live.metadata.finalizers ?? []).filter((each) => !names.includes(each)),
    },
  });
}

function release(world: World, kind: Kind, contents: Kind, snapshot: KubeObject): void {
  const content = contentOf(world, contents, snapshot);
  if (content) {
    const marked = changeObject(world, contents, content, MANAGER, (live) => ({
      ...live,
      metadata: { ...live.metadata, annotations: { ...live.metadata.annotations, [BEING_DELETED]: "yes" } },
    }));
    if (marked?.spec.deletionPolicy === "Delete") {
      if (marked.metadata.deletionTimestamp === undefined) {
        deleteObject(world, contents, marked, { propagation: "Background" });
      }
      return void changeObject(world, kind, snapshot, MANAGER, without([AS_SOURCE])); // the other once it is gone
    }
  }
  changeObject(world, kind, snapshot, MANAGER, without([AS_SOURCE, BOUND]));
}

function fail(world: World, kind: Kind, snapshot: KubeObject, reason: string, message: string): number {
  say(world, snapshot, { type: "Warning", reason, message, by: MANAGER });
  changeObject(world, kind, snapshot, MANAGER, (live) => {
    const known = live.status?.error?.message === message ? live.status.error : null;
    const error = known ?? { message, time: timestamp(world.timers.now()) };
    return { ...live, status: { ...live.status, readyToUse: false, error } };
  });
  return RETRY;
}

/** Makes the content and binds both, or says why not. */
function begin(world: World, kind: Kind, contents: Kind, snapshot: KubeObject): KubeObject | undefined {
  const refuse = (message: string): undefined =>
    void fail(world, kind, snapshot, "SnapshotContentCreationFailed", message);
  const { persistentVolumeClaimName: name, volumeSnapshotContentName: given } = snapshot.spec.source;
  if (given) return refuse(`VolumeSnapshotContent is missing or is bound to another snapshot: ${given}`);
  const claim = world.store.get(world.kinds.of("v1", "PersistentVolumeClaim")!, snapshot.metadata.namespace, name);
  const failed = "Failed to create snapshot content with error";
  if (!claim) {
    return refuse(
      `${failed} snapshot controller failed to update ${name} on API server: cannot get claim from snapshot`,
    );
  }
  if (claim.status?.phase !== "Bound") {
    return refuse(`${failed} the PVC ${name} is not yet bound to a PV, will not attempt to take a snapshot`);
  }
  const classes = world.kinds.of(API, "VolumeSnapshotClass")!;
  const wanted = snapshot.spec.volumeSnapshotClassName;
  const used = wanted === undefined
    ? world.store.list(classes).find((each) => each.metadata.annotations?.[DEFAULT] === "true")
    : world.store.get(classes, undefined, wanted);
  if (!used) {
    return refuse(
      `Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io "${wanted ?? ""}" not found`,
    );
  }
  const { uid, namespace } = snapshot.metadata, content = `snapcontent-${uid}`;
  if (!world.store.get(contents, undefined, content)) {
    createObject(world, contents, undefined, {
      metadata: { name: content, finalizers: [CONTENT_BOUND] },
      spec: {
        deletionPolicy: used.deletionPolicy,
        driver: used.driver,
        source: { volumeHandle: claim.spec.volumeName },
        sourceVolumeMode: claim.spec.volumeMode,
        volumeSnapshotClassName: used.metadata.name,
        volumeSnapshotRef: {
          apiVersion: snapshot.apiVersion,
          kind: snapshot.kind,
          name: snapshot.metadata.name,
          namespace,
          uid,
        },
      },
    }, { manager: MANAGER });
  }
  changeObject(world, kind, snapshot, MANAGER, (live) => ({
    ...live,
    status: { ...live.status, boundVolumeSnapshotContentName: content, readyToUse: false },
  }));
  return world.store.get(contents, undefined, content);
}

/** The copy itself: from now on the content knows its handle and size, and the snapshot since when it is. */
function cut(world: World, kind: Kind, contents: Kind, snapshot: KubeObject, content: KubeObject): void {
  if (content.status?.snapshotHandle) return;
  const creationTime = timestamp(world.timers.now()), from = content.spec.source?.volumeHandle;
  const handle = content.spec.source?.snapshotHandle ?? `snapshot-${snapshot.metadata.uid}`;
  if (from) world.volumes.copy(from, handle);
  const restoreSize = from ? sizeOf(world, from) : 0;
  changeObject(world, contents, content, "csi-snapshotter", (live) => ({
    ...live,
    status: { snapshotHandle: handle, creationTime: Date.parse(creationTime) * 1e6, readyToUse: false, restoreSize },
  }));
  changeObject(world, kind, snapshot, MANAGER, (live) => {
    const { error: _, ...status } = live.status ?? {};
    return { ...live, status: { ...status, creationTime, readyToUse: false } };
  });
}

function sizeOf(world: World, volume: string): number {
  const found = world.store.get(world.kinds.of("v1", "PersistentVolume")!, undefined, volume);
  return (Number.parseInt(found?.spec.capacity?.storage) || 0) * 1024 ** 3;
}

function finish(world: World, kind: Kind, contents: Kind, snapshot: KubeObject, { metadata }: KubeObject): void {
  const content = world.store.get(contents, undefined, metadata.name)!;
  changeObject(world, contents, content, "csi-snapshotter", (live) => ({
    ...live,
    status: { ...live.status, readyToUse: true },
  }));
  const size = content.status?.restoreSize;
  changeObject(world, kind, snapshot, MANAGER, (live) => {
    const { error: _, ...status } = live.status ?? {};
    const bound = { boundVolumeSnapshotContentName: content.metadata.name, readyToUse: true };
    return { ...live, status: { ...status, ...bound, ...(size ? { restoreSize: `${size / 1024 ** 3}Gi` } : {}) } };
  });
  const message = `Snapshot ${snapshot.metadata.namespace}/${snapshot.metadata.name} is ready to use.`;
  say(world, snapshot, { type: "Normal", reason: "SnapshotReady", message, by: MANAGER });
}
