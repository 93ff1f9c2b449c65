/** Provides functions that create objects, pods and Events, change an object's status, and find owners and dependents. */
import { formatTimestamp, type Json, type OwnerReference, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { changeObject, createObject } from "#lib/dev/simulator/admission/writes.ts";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";

/** The field manager that most built-in controllers use. */
export const CONTROLLER_FIELD_MANAGER = "kube-controller-manager";

export function createManagedObject(world: Simulation, manager: string, body: Json): StoredObject {
  return createObject(world, world.kinds.named(body.kind), body.metadata.namespace, body, { manager });
}

/** Changes an object's status. Returns the updated object; undefined if the object was removed. */
export function changeObjectStatus(
  world: Simulation,
  object: StoredObject,
  manager: string,
  change: (status: Json, live: StoredObject) => Json,
): StoredObject | undefined {
  return changeObject(world, object, manager, (live) => ({ ...live, status: change(live.status ?? {}, live) }));
}

export function setAnnotations(
  world: Simulation,
  object: StoredObject,
  manager: string,
  annotations: Readonly<Record<string, string>>,
): StoredObject | undefined {
  return changeObject(world, object, manager, (live) => {
    const { metadata } = live;
    return { ...live, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
  });
}

/** Removes finalizers from an object. If it is being deleted, removing the last finalizer removes the object. */
export function removeFinalizers(
  world: Simulation,
  object: StoredObject,
  manager: string,
  names: readonly string[],
): void {
  changeObject(world, object, manager, (live) => {
    const finalizers = live.metadata.finalizers?.filter((name) => !names.includes(name)) ?? [];
    return { ...live, metadata: { ...live.metadata, finalizers } };
  });
}

/** Returns the object's owners with the given kind. */
export function listOwners(world: Simulation, kind: string, { metadata }: StoredObject): StoredObject[] {
  return (metadata.ownerReferences ?? []).filter((owner) => owner.kind === kind).flatMap((owner) => {
    const object = world.store.get(kind, metadata.namespace, owner.name);
    return object?.metadata.uid === owner.uid && object.apiVersion === owner.apiVersion ? [object] : [];
  });
}

export function listOwnedObjects(world: Simulation, kind: string, { metadata }: StoredObject): StoredObject[] {
  return world.store.list(kind, metadata.namespace)
    .filter((object) => object.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
}

/** Returns an owner reference to this object, for the dependents that it controls. */
export function createOwnerReference({ apiVersion, kind, metadata: { name, uid } }: StoredObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** A condition without its transition time. */
export interface ConditionWithoutTime {
  readonly type: string;
  readonly status: string;
  readonly [field: string]: Json;
}

export interface ObjectCondition extends ConditionWithoutTime {
  readonly lastTransitionTime: string;
}

export function findCondition(object: StoredObject, type: string): ObjectCondition | undefined {
  return object.status?.conditions?.find((each: ObjectCondition) => each.type === type);
}

export function isConditionTrue(object: StoredObject, type: string): boolean {
  return findCondition(object, type)?.status === "True";
}

/** Returns the conditions with `wanted` added or replaced. A condition with an unchanged status keeps its timestamp. */
export function mergeConditions(
  present: readonly ObjectCondition[] | undefined,
  at: string,
  ...wanted: readonly ConditionWithoutTime[]
): ObjectCondition[] {
  const conditions = [...present ?? []];
  for (const condition of wanted) {
    const i = conditions.findIndex((each) => each.type === condition.type);
    const since = conditions[i]?.status === condition.status ? conditions[i]!.lastTransitionTime : at;
    conditions.splice(i < 0 ? conditions.length : i, 1, { ...condition, lastTransitionTime: since });
  }
  return conditions;
}

export type EventReasonAndMessage =
  & { readonly message: string }
  & ({ readonly normal: string } | { readonly warning: string });

export type KubernetesEventDetails = EventReasonAndMessage & {
  /** The component that reports the event, for example `kubelet` or `job-controller`. */
  readonly by: string;
  /** The part of the object that the event is about, for example `spec.containers{moodle}`. */
  readonly fieldPath?: string;
};

/** The name of the cluster's only node. It is also the node's address. */
export const NODE_NAME = "127.0.0.1";

const MAX_EVENTS_PER_NAMESPACE = 200;

/** Records an Event about an object. If the same Event already exists, increments its count instead. */
export function recordKubernetesEvent(world: Simulation, about: StoredObject, details: KubernetesEventDetails): void {
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

export interface PodCreationOptions {
  readonly owner: StoredObject;
  readonly template: Json;
  /** The pod's name, set for StatefulSets only. If it is missing, a name is generated from the owner's name. */
  readonly name?: string;
  readonly labels?: Record<string, string>;
  /** The component that reports the event, for example `job-controller`. */
  readonly by: string;
}

/** Creates the pod. Returns true if the pod was created or already exists. */
export function createPod(world: Simulation, { owner, template, name, labels, by }: PodCreationOptions): boolean {
  const { creationTimestamp: _, ...meta } = template.metadata ?? {}, { name: of, namespace } = owner.metadata;
  const metadata = {
    ...meta,
    ...(name === undefined ? { generateName: `${of}-` } : { name }),
    namespace,
    labels: { ...meta.labels, ...labels },
    ownerReferences: [createOwnerReference(owner)],
  };
  try {
    const pod = createManagedObject(world, CONTROLLER_FIELD_MANAGER, { kind: "Pod", metadata, spec: template.spec });
    const message = name === undefined
      ? `Created pod: ${pod.metadata.name}`
      : `create Pod ${name} in StatefulSet ${of} successful`;
    recordKubernetesEvent(world, owner, { by, normal: "SuccessfulCreate", message });
    return true;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.reason === "AlreadyExists") return true;
    const message = name === undefined
      ? `Error creating: ${error.message}`
      : `create Pod ${name} in StatefulSet ${of} failed error: ${error.message}`;
    recordKubernetesEvent(world, owner, { by, warning: "FailedCreate", message });
    return false;
  }
}
