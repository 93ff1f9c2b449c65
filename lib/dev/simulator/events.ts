/** Events: what the scheduler, the kubelet and the controllers say about objects. Kept bounded, as the real ones expire. */
import { NODE } from "#lib/dev/simulator/furniture.ts";
import { type Json, type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";

export interface Said {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** kubelet, job-controller, default-scheduler … */
  readonly by: string;
  /** For example `spec.containers{moodle}`. */
  readonly fieldPath?: string;
}

const MOST_IN_NAMESPACE = 200;

/** Says it, or says it once more: the same words about the same object are counted. */
export function say(world: World, about: KubeObject, said: Said): void {
  const kind = world.kinds.of("v1", "Event")!;
  const namespace = about.metadata.namespace ?? "default";
  const space = world.store.get(world.kinds.of("v1", "Namespace")!, undefined, namespace);
  if (!space || space.status?.phase === "Terminating") return; // as nothing new may be made there
  const at = timestamp(world.timers.now());
  const all = world.store.list(kind, namespace);
  const known = all.find((event) =>
    event.involvedObject.uid === about.metadata.uid && event.reason === said.reason && event.message === said.message &&
    event.involvedObject.fieldPath === said.fieldPath
  );
  if (known) {
    const count = (known.count ?? known.series?.count ?? 1) + 1;
    const counted = known.count === undefined
      ? { series: { count, lastObservedTime: micro(world) } }
      : { count, lastTimestamp: at };
    return void world.store.save(kind, { ...known, ...counted });
  }
  if (all.length >= MOST_IN_NAMESPACE) world.store.remove(kind, oldest(all));
  const { apiVersion, kind: ofKind, metadata: { name, uid, resourceVersion } } = about;
  const involvedObject = {
    kind: ofKind,
    ...(about.metadata.namespace ? { namespace } : {}),
    name,
    uid,
    apiVersion,
    resourceVersion,
    ...(said.fieldPath ? { fieldPath: said.fieldPath } : {}),
  };
  const event: KubeObject = {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${name}.${
        (BigInt(world.timers.now()) * 0x100000n + BigInt(world.store.version() % 0x100000)).toString(16)
      }`,
      namespace,
      uid: crypto.randomUUID(),
      resourceVersion: "",
      creationTimestamp: at,
    },
    involvedObject,
    reason: said.reason,
    message: said.message,
    type: said.type,
    ...sourceOf(world, said, at),
  };
  world.store.save(kind, event);
}

/** The scheduler speaks the newer dialect of events, the others the older. */
function sourceOf(world: World, { by }: Said, at: string): Json {
  if (by === "default-scheduler") {
    return {
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: micro(world),
      action: "Binding",
      reportingComponent: by,
      reportingInstance: `${by}-simulated`,
    };
  }
  const host = by === "kubelet" ? { host: NODE } : {};
  return {
    source: { component: by, ...host },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    eventTime: null,
    reportingComponent: by,
    reportingInstance: by === "kubelet" ? NODE : "",
  };
}

function micro(world: World): string {
  return new Date(world.timers.now()).toISOString().replace("Z", "000Z");
}

function oldest(events: readonly KubeObject[]): KubeObject {
  return events.reduce((a, b) => Number(a.metadata.resourceVersion) < Number(b.metadata.resourceVersion) ? a : b);
}
