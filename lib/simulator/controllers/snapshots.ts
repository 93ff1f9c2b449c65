/** VolumeSnapshots: a copy of a bound claim's volume, ready after the delay; what is retained outlives its namespace. */
import type { Kind } from "#lib/simulator/kinds.ts";
import { type KubeObject, timestamp } from "#lib/simulator/object.ts";
import { say } from "#lib/simulator/events.ts";
import type { World } from "#lib/simulator/world.ts";
import { changeObject, createObject } from "#lib/simulator/writes.ts";
import type { Controller } from "#lib/simulator/controllers/controller.ts";

const MANAGER = "snapshot-controller";
const DEFAULT = "snapshot.storage.kubernetes.io/is-default-class";
const RETRY = 1000; // ms between looks at a claim that is not bound

export function snapshotController(world: World): Controller {
  const kind = world.kinds.of("snapshot.storage.k8s.io/v1", "VolumeSnapshot")!;
  const contents = world.kinds.of("snapshot.storage.k8s.io/v1", "VolumeSnapshotContent")!;
  const due = new Map<string, number>();
  return {
    kind,
    gone(snapshot) {
      due.delete(snapshot.metadata.uid);
      const content = contentOf(world, contents, snapshot);
      if (content && content.spec.deletionPolicy === "Delete") {
        world.volumes.wipe(content.status?.snapshotHandle ?? "");
        world.store.remove(contents, content);
      }
    },
    reconcile(snapshot) {
      if (snapshot.metadata.deletionTimestamp !== undefined || snapshot.status?.readyToUse) return;
      const content = contentOf(world, contents, snapshot) ?? take(world, kind, contents, snapshot);
      if (!content) return RETRY;
      const now = world.timers.now(), at = due.get(snapshot.metadata.uid) ?? now + world.delayMs;
      due.set(snapshot.metadata.uid, at);
      if (now < at) return at - now;
      finish(world, kind, contents, snapshot, content);
    },
  };
}

/** The handle of a snapshot's data, null until it is ready. */
export function handleOf(world: World, namespace: string, name: string): string | null {
  const snapshot = world.store.get(world.kinds.of("snapshot.storage.k8s.io/v1", "VolumeSnapshot")!, namespace, name);
  if (!snapshot?.status?.readyToUse) return null;
  const contents = world.kinds.of("snapshot.storage.k8s.io/v1", "VolumeSnapshotContent")!;
  return contentOf(world, contents, snapshot)?.status?.snapshotHandle ?? null;
}

function contentOf(world: World, contents: Kind, snapshot: KubeObject): KubeObject | undefined {
  const name = snapshot.spec.source?.volumeSnapshotContentName ?? snapshot.status?.boundVolumeSnapshotContentName;
  const content = name ? world.store.get(contents, undefined, name) : undefined;
  const claimed = content?.spec.volumeSnapshotRef;
  const own = claimed?.name === snapshot.metadata.name && claimed?.namespace === snapshot.metadata.namespace;
  return own ? content : undefined;
}

function take(world: World, kind: Kind, contents: Kind, snapshot: KubeObject): KubeObject | null {
  const fail = (message: string): null => {
    say(world, snapshot, { type: "Warning", reason: "SnapshotContentCreationFailed", message, by: MANAGER });
    changeObject(world, kind, snapshot, MANAGER, (live) => {
      const error = live.status?.error?.message === message
        ? live.status.error
        : { message, time: timestamp(world.timers.now()) };
      return { ...live, status: { ...live.status, readyToUse: false, error } };
    });
    return null;
  };
  const { persistentVolumeClaimName: name, volumeSnapshotContentName: given } = snapshot.spec.source;
  if (given) return fail(`VolumeSnapshotContent is missing or is bound to another snapshot: ${given}`);
  const claim = world.store.get(world.kinds.of("v1", "PersistentVolumeClaim")!, snapshot.metadata.namespace, name);
  const failed = "Failed to create snapshot content with error";
  if (!claim) {
    return fail(`${failed} snapshot controller failed to update ${name} on API server: cannot get claim from snapshot`);
  }
  if (claim.status?.phase !== "Bound") {
    return fail(`${failed} the PVC ${name} is not yet bound to a PV, will not attempt to take a snapshot`);
  }
  const classes = world.kinds.of("snapshot.storage.k8s.io/v1", "VolumeSnapshotClass")!;
  const wanted = snapshot.spec.volumeSnapshotClassName;
  const used = wanted === undefined
    ? world.store.list(classes).find((each) => each.metadata.annotations?.[DEFAULT] === "true")
    : world.store.get(classes, undefined, wanted);
  if (!used) {
    return fail(
      `Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io "${wanted ?? ""}" not found`,
    );
  }
  const uid = snapshot.metadata.uid, handle = `snapshot-${uid}`;
  world.volumes.copy(claim.spec.volumeName, handle);
  const body = {
    metadata: { name: `snapcontent-${uid}` },
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
        namespace: snapshot.metadata.namespace,
        uid,
      },
    },
  };
  const content = createObject(world, contents, undefined, body, { manager: MANAGER });
  const storage = Number.parseInt(claim.status.capacity.storage) * 1024 ** 3;
  const creationTime = timestamp(world.timers.now());
  changeObject(world, contents, content, MANAGER, (live) => ({
    ...live,
    status: {
      snapshotHandle: handle,
      creationTime: Date.parse(creationTime) * 1e6,
      readyToUse: false,
      restoreSize: storage,
    },
  }));
  changeObject(world, kind, snapshot, MANAGER, (live) => {
    const { error: _, ...status } = live.status ?? {};
    return {
      ...live,
      status: { ...status, boundVolumeSnapshotContentName: body.metadata.name, creationTime, readyToUse: false },
    };
  });
  return world.store.get(contents, undefined, body.metadata.name) ?? null;
}

function finish(world: World, kind: Kind, contents: Kind, snapshot: KubeObject, content: KubeObject): void {
  changeObject(world, contents, content, MANAGER, (live) => ({
    ...live,
    status: { snapshotHandle: live.spec.source?.snapshotHandle, restoreSize: 0, ...live.status, readyToUse: true },
  }));
  const size = content.status?.restoreSize;
  changeObject(world, kind, snapshot, MANAGER, (live) => ({
    ...live,
    status: {
      creationTime: timestamp(world.timers.now()),
      ...live.status,
      boundVolumeSnapshotContentName: content.metadata.name,
      readyToUse: true,
      ...(size ? { restoreSize: `${size / 1024 ** 3}Gi` } : {}),
    },
  }));
  const message = `Snapshot ${snapshot.metadata.namespace}/${snapshot.metadata.name} is ready to use.`;
  say(world, snapshot, { type: "Normal", reason: "SnapshotReady", message, by: MANAGER });
}
