/** Decides from an object's own status whether the object is ready, and if not, why. Each kind has its own rule. */
import { findStatusCondition, type StatusCondition } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";

/** Why an object is not ready, in words that follow its name: "has no volume yet". Undefined if the object is ready. */
type UnreadyReason = string | undefined;

const RULES: Readonly<Record<string, (object: KubeObject) => UnreadyReason>> = {
  Deployment: describeDeployment,
  StatefulSet: describeStatefulSet,
  Job: (job) => isTrueCondition(findStatusCondition(job, "Complete")) ? undefined : "is running",
  PersistentVolumeClaim: (claim) => claim["status"]?.phase === "Bound" ? undefined : "has no volume yet",
  Ingress: (ingress) => ingress["status"]?.loadBalancer?.ingress?.length ? undefined : "has no address yet",
  Service: describeService,
  Namespace: (namespace) => namespace["status"]?.phase === "Active" ? undefined : "is not active",
  ResourceQuota: describeQuota,
  VolumeSnapshot: describeSnapshot,
};

/** Kinds whose objects are ready once they exist. Other kinds without a rule need a Ready or Available condition. */
const ALWAYS_READY = new Set([
  ...["ConfigMap", "CronJob", "Event", "IngressClass", "LimitRange", "NetworkPolicy", "PodDisruptionBudget", "Role"],
  ...["RoleBinding", "Secret", "ServiceAccount", "StorageClass", "VolumeSnapshotClass"],
]);

export function findUnreadyReason(object: KubeObject): UnreadyReason {
  const rule = RULES[object.kind];
  if (rule) return rule(object);
  return ALWAYS_READY.has(object.kind) ? undefined : describeCondition(object);
}

const NOT_OBSERVED = "is waiting for the cluster to start the change";

function describeStarting(ready: number, desired: number): string {
  return `is starting, usually within a minute (${ready} of ${desired} pods ready)`;
}

function describeDeployment(deployment: KubeObject): UnreadyReason {
  const { spec = {}, status = {} } = deployment;
  const desired = spec.replicas ?? 1;
  if (isNotObserved(deployment)) return NOT_OBSERVED;
  const total = status.replicas ?? 0, updated = status.updatedReplicas ?? 0, available = status.availableReplicas ?? 0;
  if (updated < desired) return `is starting, usually within a minute (${updated} of ${desired} new pods created)`;
  if (total > updated) return `is waiting for ${total - updated} old pods to end`;
  return available < desired ? describeStarting(available, desired) : undefined;
}

function describeStatefulSet(set: KubeObject): UnreadyReason {
  const { spec = {}, status = {} } = set;
  const desired = spec.replicas ?? 1;
  if (isNotObserved(set)) return NOT_OBSERVED;
  if ((status.replicas ?? 0) > desired) return `is stopping (${status.replicas} pods left, ${desired} desired)`;
  const ready = status.readyReplicas ?? 0;
  if (ready < desired) return describeStarting(ready, desired);
  const rolls = (spec.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate" && desired > 0;
  return rolls && status.updateRevision !== status.currentRevision ? "is restarting" : undefined;
}

function describeService(service: KubeObject): UnreadyReason {
  if (service["spec"]?.type !== "LoadBalancer") return undefined;
  return service["status"]?.loadBalancer?.ingress?.length ? undefined : "has no address yet";
}

/** A ResourceQuota is ready once its status shows the usage. Until then, the API server refuses to create pods. */
function describeQuota(quota: KubeObject): UnreadyReason {
  const reported = quota["status"]?.hard ?? {};
  return Object.keys(quota["spec"]?.hard ?? {}).every((name) => name in reported)
    ? undefined
    : "has no usage status yet";
}

function describeSnapshot(snapshot: KubeObject): UnreadyReason {
  const { readyToUse, error } = snapshot["status"] ?? {};
  if (readyToUse === true) return undefined;
  return error?.message ? `is not ready: ${error.message}` : "is not ready yet";
}

function describeCondition(object: KubeObject): UnreadyReason {
  const condition = findStatusCondition(object, "Ready") ?? findStatusCondition(object, "Available");
  if (!condition) return "has not reported readiness yet";
  if ((condition.observedGeneration ?? object.metadata.generation ?? 0) < (object.metadata.generation ?? 0)) {
    return NOT_OBSERVED;
  }
  if (isTrueCondition(condition)) return undefined;
  return `is not ready: ${condition.message || condition.reason || "no reason given"}`;
}

function isNotObserved(object: KubeObject): boolean {
  return (object["status"]?.observedGeneration ?? 0) < (object.metadata.generation ?? 0);
}

export function isTrueCondition(condition: StatusCondition | undefined): boolean {
  return condition?.status === "True";
}
