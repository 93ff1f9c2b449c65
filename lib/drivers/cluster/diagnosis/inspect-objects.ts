/** Extracts pods, events, conditions, containers and times from Kubernetes objects. Makes no API calls. */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { SECOND } from "#lib/base/time.ts";

/** The precision of Kubernetes timestamps, in milliseconds. */
const TIMESTAMP_PRECISION = SECOND;

/**
 * Returns the pods that an object owns, except pods that are being deleted. For a Deployment, returns the pods of the
 * ReplicaSet that has the newest pod.
 */
export function findCurrentPods(object: KubeObject, pods: readonly KubeObject[]): KubeObject[] {
  const live = pods.filter((pod) => !pod.metadata.deletionTimestamp);
  if (object.kind === "Pod") return live.filter((pod) => pod.metadata.name === object.metadata.name);
  if (object.kind !== "Deployment") return live.filter((pod) => isOwnedBy(pod, object));
  const all = live.filter((pod) =>
    replicaSetOf(pod)?.startsWith(object.metadata.name + "-") && matchesSelector(pod, object)
  );
  const newest = all.toSorted((a, b) => createdAt(b) - createdAt(a))[0];
  return all.filter((pod) => replicaSetOf(pod) === replicaSetOf(newest!));
}

function isOwnedBy(pod: KubeObject, object: KubeObject): boolean {
  return pod.metadata.ownerReferences?.some((owner) => owner.uid === object.metadata.uid) ?? false;
}

function replicaSetOf(pod: KubeObject): string | undefined {
  return pod.metadata.ownerReferences?.find((owner) => owner.kind === "ReplicaSet")?.name;
}

function matchesSelector(pod: KubeObject, deployment: KubeObject): boolean {
  const matchLabels = Object.entries<string>(deployment["spec"]?.selector?.matchLabels ?? {});
  return matchLabels.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

/** Returns the events about this object, excluding events about an earlier object that had the same name. */
export function findObjectEvents(object: KubeObject, events: readonly KubeObject[]): KubeObject[] {
  const { uid, name } = object.metadata;
  return events.filter((event) => {
    const about = event["involvedObject"] ?? {};
    if (about.kind !== object.kind || about.name !== name) return false;
    if (about.uid && uid) return about.uid === uid;
    return getLastEventTime(event) >= createdAt(object) - TIMESTAMP_PRECISION;
  });
}

/** Returns the events about the Deployment's ReplicaSets, whose names start with the Deployment's name. */
export function findReplicaSetEvents(deployment: KubeObject, events: readonly KubeObject[]): KubeObject[] {
  return events.filter((event) => {
    const about = event["involvedObject"] ?? {};
    const rest = String(about.name ?? "").slice(deployment.metadata.name.length);
    return about.kind === "ReplicaSet" && about.name?.startsWith(deployment.metadata.name) &&
      /^-[a-z0-9]+$/.test(rest) && getLastEventTime(event) >= createdAt(deployment) - TIMESTAMP_PRECISION;
  });
}

export function createdAt(object: KubeObject): number {
  return parseKubeTimestamp(object.metadata.creationTimestamp) ?? 0;
}

export function getFirstEventTime(event: KubeObject): number {
  return parseKubeTimestamp(event["firstTimestamp"]) ?? parseKubeTimestamp(event["eventTime"]) ?? createdAt(event);
}

export function getLastEventTime(event: KubeObject): number {
  return parseKubeTimestamp(event["series"]?.lastObservedTime) ?? parseKubeTimestamp(event["lastTimestamp"]) ??
    parseKubeTimestamp(event["eventTime"]) ??
    createdAt(event);
}

export function findLatestEvent(events: readonly KubeObject[]): KubeObject | undefined {
  return events.toSorted((a, b) => getLastEventTime(a) - getLastEventTime(b)).at(-1);
}

export function parseKubeTimestamp(text: unknown): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

export function getNodeName(pod: KubeObject): string | undefined {
  return pod["spec"]?.nodeName || undefined;
}

export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

export function findStatusCondition(object: KubeObject, type: string): StatusCondition | undefined {
  return ((object["status"]?.conditions ?? []) as StatusCondition[]).find((condition) => condition.type === type);
}

/** Returns when a pod's state began: at the first event with this reason, or else when the pod was scheduled. */
export function findPodStateStart(pod: KubeObject, own: readonly KubeObject[], reason: string): number {
  const first = Math.min(...own.filter((event) => event["reason"] === reason).map(getFirstEventTime), Infinity);
  if (first !== Infinity) return first;
  return parseKubeTimestamp(findStatusCondition(pod, "PodScheduled")?.lastTransitionTime) ?? createdAt(pod);
}

export interface ContainerState {
  readonly name: string;
  readonly image?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerPhase;
  readonly lastState?: ContainerPhase;
}

interface ContainerPhase {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: ContainerTermination;
}

export interface ContainerTermination {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
  readonly finishedAt?: string;
}

/** Returns the state of each container in a pod, init containers first. */
export function getContainerStates(pod: KubeObject): ContainerState[] {
  const status = pod["status"] ?? {};
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}
