/** Records the Events that the scheduler, the kubelet and the controllers report. Limits their number per namespace. */
import { NODE_NAME } from "#lib/dev/simulator/controllers/base-objects.ts";
import { formatTimestamp, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

export type EventReasonAndMessage =
  & { readonly message: string }
  & ({ readonly normal: string } | { readonly warning: string });

export type KubernetesEventDetails = EventReasonAndMessage & {
  /** The component that reports the event, for example `kubelet` or `job-controller`. */
  readonly by: string;
  /** The part of the object that the event is about, for example `spec.containers{moodle}`. */
  readonly fieldPath?: string;
};

const MAX_EVENTS_PER_NAMESPACE = 200;

/** Records an Event about an object. If the same Event already exists, increments its count instead. */
export function recordKubernetesEvent(
  world: SimulatorContext,
  about: StoredObject,
  details: KubernetesEventDetails,
): void {
  const { apiVersion, kind, metadata: { name, namespace = "default", uid, resourceVersion } } = about;
  const [type, reason] = "warning" in details ? ["Warning", details.warning] : ["Normal", details.normal];
  const { message, fieldPath } = details;
  const space = world.store.get("Namespace", undefined, namespace);
  if (!space || space.status?.phase === "Terminating") return; // a terminating namespace accepts no new objects
  const at = world.timers.stamp(), now = world.timers.now();
  const all = world.store.list("Event", namespace);
  const existing = all.find((event) =>
    event.involvedObject.uid === uid && event.reason === reason && event.message === message &&
    event.involvedObject.fieldPath === fieldPath
  );
  if (existing) {
    const count = (existing.count ?? existing.series?.count ?? 1) + 1;
    const counters = existing.count === undefined
      ? { series: { count, lastObservedTime: micro(now) } }
      : { count, lastTimestamp: at };
    return void world.store.save({ ...existing, ...counters });
  }
  if (all.length >= MAX_EVENTS_PER_NAMESPACE) world.store.remove(oldest(all));
  const number = BigInt(now) * 0x100000n + BigInt(world.store.version() % 0x100000);
  world.store.save({
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: `${name}.${number.toString(16)}`,
      namespace,
      uid: crypto.randomUUID(),
      resourceVersion: "",
      creationTimestamp: at,
    },
    involvedObject: {
      kind,
      ...(about.metadata.namespace ? { namespace } : {}),
      name,
      uid,
      apiVersion,
      resourceVersion,
      ...(fieldPath ? { fieldPath } : {}),
    },
    reason,
    message,
    type,
    ...sourceOf(details.by, now),
  });
}

/** Returns an event's source fields: in events.k8s.io form for the scheduler, otherwise in core/v1 form. */
function sourceOf(by: string, now: number): Json {
  if (by === "default-scheduler") {
    return {
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: micro(now),
      action: "Binding",
      reportingComponent: by,
      reportingInstance: `${by}-simulated`,
    };
  }
  const host = by === "kubelet" ? { host: NODE_NAME } : {};
  return {
    source: { component: by, ...host },
    firstTimestamp: formatTimestamp(now),
    lastTimestamp: formatTimestamp(now),
    count: 1,
    eventTime: null,
    reportingComponent: by,
    reportingInstance: by === "kubelet" ? NODE_NAME : "",
  };
}

function micro(now: number): string {
  return new Date(now).toISOString().replace("Z", "000Z");
}

function oldest(events: readonly StoredObject[]): StoredObject {
  return events.reduce((a, b) => Number(a.metadata.resourceVersion) < Number(b.metadata.resourceVersion) ? a : b);
}
