/** Simulates Kubernetes admission: sets defaults on new objects and rejects objects that violate a policy. */
import {
  applyLimitRanges,
  computeQuotaCost,
  findPodLimitViolations,
  findPvcLimitViolations,
  findQuotaViolation,
  parseMilliQuantityOrZero,
  sumQuotaUsage,
} from "#lib/dev/simulator/admission/quota.ts";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import { type ApiKind, createRandomSuffix, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { describePodSecurityViolations, readPodSecurityPolicy } from "#lib/dev/simulator/admission/security.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

/** Throws a 404 error if the namespace does not exist, or 403 if the namespace is being deleted. */
export function requireActiveNamespace(world: Simulation, kind: ApiKind, namespace: string, name: string): void {
  const space = world.store.get("Namespace", undefined, namespace);
  if (!space) throw StatusError.notFound(world.kinds.named("Namespace"), namespace);
  if (space.status?.phase !== "Terminating") return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  throw StatusError.forbidden(kind, name, why, [{
    reason: "NamespaceTerminating",
    message,
    field: "metadata.namespace",
  }]);
}

/** Returns the object with the values that admission adds, such as limits, a storage class or a service account. */
export function applyAdmissionDefaults(world: Simulation, object: StoredObject): StoredObject {
  if (object.kind === "Pod") {
    const spec = withServiceAccount(applyLimitRanges(object.spec, limitRangesOf(world, object)));
    return {
      ...object,
      spec: { priority: 0, enableServiceLinks: true, preemptionPolicy: "PreemptLowerPriority", ...spec },
    };
  }
  if (object.kind === "PersistentVolumeClaim") {
    const finalizers = [...new Set([...object.metadata.finalizers ?? [], "kubernetes.io/pvc-protection"])];
    const storageClassName = object.spec.storageClassName ??
      findDefaultClass(world, "StorageClass", "storageclass.kubernetes.io/is-default-class");
    const spec = { ...object.spec, ...(storageClassName === undefined ? {} : { storageClassName }) };
    return { ...object, metadata: { ...object.metadata, finalizers }, spec };
  }
  if (object.kind === "Ingress" && object.spec?.ingressClassName === undefined) {
    const name = "ingressclass.kubernetes.io/is-default-class";
    const ingressClassName = findDefaultClass(world, "IngressClass", name);
    return ingressClassName ? { ...object, spec: { ...object.spec, ingressClassName } } : object;
  }
  return object;
}

/** Throws if a policy forbids the object. Calls `warn` if its pod spec violates the Pod Security level for warnings. */
export function enforceNamespacePolicies(
  world: Simulation,
  object: StoredObject,
  live: StoredObject | null,
  warn: (text: string) => void,
): void {
  const kind = world.kinds.of(object)!, namespace = object.metadata.namespace;
  if (namespace === undefined) return;
  const denied = live === null ? world.faults.find("deny", namespace, object.metadata.name) : null;
  if (denied && (denied.kind ?? kind.kind) === kind.kind) throw webhookError(denied.message);
  const space = world.store.get("Namespace", undefined, namespace);
  const spec = getPodSpec(object);
  if (kind.kind === "Pod" && live === null) {
    const enforced = readPodSecurityPolicy(space, "enforce"), refused = describePodSecurityViolations(spec, enforced);
    if (refused !== "") {
      throw StatusError.forbidden(kind, object.metadata.name, `violates PodSecurity "${enforced.name}": ${refused}`);
    }
    requireServiceAccount(world, kind, object);
    requirePriorityClass(world, kind, object);
    const breaches = findPodLimitViolations(object.spec, limitRangesOf(world, object));
    if (breaches.length > 0) throw StatusError.forbidden(kind, object.metadata.name, joinBreaches(breaches));
  }
  if (spec && (kind.kind !== "Pod" || live === null)) {
    const warned = readPodSecurityPolicy(space, "warn"), wrong = describePodSecurityViolations(spec, warned);
    if (wrong !== "") warn(`would violate PodSecurity "${warned.name}": ${wrong}`);
  }
  if (kind.kind === "PersistentVolumeClaim") {
    const breaches = findPvcLimitViolations(object.spec, limitRangesOf(world, object));
    if (breaches.length > 0) throw StatusError.forbidden(kind, object.metadata.name, joinBreaches(breaches));
    if (live) requireExpandable(world, kind, object, live);
  }
  if (kind.kind === "Ingress") requireFreeIngressPath(world, object);
  const freed = live ? computeQuotaCost(world.kinds, live) : {}, cost = computeQuotaCost(world.kinds, object);
  for (const quota of world.store.list("ResourceQuota", namespace)) {
    const used = sumQuotaUsage(world.kinds, quota.spec?.hard ?? {}, world.store.contents(namespace));
    const breach = findQuotaViolation(
      quota,
      used,
      cost,
      freed,
      kind.kind === "Pod" && live === null ? object.spec : null,
    );
    if (breach) throw StatusError.forbidden(kind, object.metadata.name, breach);
  }
}

/** Throws a 403 error if a PVC requests more storage than before but its StorageClass does not allow expansion. */
function requireExpandable(world: Simulation, kind: ApiKind, object: StoredObject, live: StoredObject): void {
  const requestedStorage = ({ spec }: StoredObject): number =>
    parseMilliQuantityOrZero(spec.resources?.requests?.storage);
  if (requestedStorage(object) <= requestedStorage(live)) return;
  const name = object.spec.storageClassName || "";
  const storage = world.store.get("StorageClass", undefined, name);
  if (storage?.allowVolumeExpansion === true) return;
  const why = "only dynamically provisioned pvc can be resized and " +
    "the storageclass that provisions the pvc must support resize";
  throw StatusError.forbidden(kind, object.metadata.name, why);
}

/** Throws the ingress-nginx webhook's error if another Ingress already uses the same host and path. */
function requireFreeIngressPath(world: Simulation, object: StoredObject): void {
  const { namespace, name } = object.metadata;
  const others = world.store.list("Ingress").filter(({ metadata }) =>
    metadata.namespace !== namespace || metadata.name !== name
  );
  const own = pathsOf(object);
  for (const other of others) {
    const taken = pathsOf(other).find(({ host, path }) => own.some((each) => each.host === host && each.path === path));
    if (!taken) continue;
    const message =
      `admission webhook "validate.nginx.ingress.kubernetes.io" denied the request: host "${taken.host}" and ` +
      `path "${taken.path}" is already defined in ingress ${other.metadata.namespace}/${other.metadata.name}`;
    throw new StatusError(400, "BadRequest", message);
  }
}

function pathsOf({ spec }: StoredObject): { readonly host: string; readonly path: string }[] {
  return (spec?.rules ?? []).flatMap(({ host = "", http }: Json) =>
    (http?.paths ?? []).map(({ path = "/" }: Json) => ({ host, path }))
  );
}

/** Returns the error that an admission webhook causes: 500 if it is unreachable, 403 if it denies the request. */
function webhookError(message: string): StatusError {
  const failed = /failed calling webhook/.test(message);
  return failed ? new StatusError(500, "InternalError", message) : new StatusError(403, "Forbidden", message);
}

/** Throws 403 if the pod's service account does not exist, except `default`, which may be created a moment later. */
function requireServiceAccount(world: Simulation, kind: ApiKind, { metadata, spec }: StoredObject): void {
  const { namespace, name } = metadata, account = spec.serviceAccountName;
  if (!account || account === "default") return;
  if (world.store.get("ServiceAccount", namespace, account)) return;
  const why = `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`;
  throw StatusError.forbidden(kind, name, why);
}

/** Returns the pod spec from a pod, or from the pod template in a workload. */
export function getPodSpec(object: StoredObject): Json {
  if (object.apiVersion === "v1" && object.kind === "Pod") return object.spec;
  if (object.kind === "CronJob") return object.spec?.jobTemplate?.spec?.template?.spec;
  return object.apiVersion === "apps/v1" || object.apiVersion === "batch/v1" ? object.spec?.template?.spec : undefined;
}

function limitRangesOf(world: Simulation, object: StoredObject): readonly StoredObject[] {
  return world.store.list("LimitRange", object.metadata.namespace);
}

function findDefaultClass(world: Simulation, kind: string, annotation: string): string | undefined {
  const classes = world.store.list(kind);
  return classes.find((each) => each.metadata.annotations?.[annotation] === "true")?.metadata.name;
}

function withServiceAccount(spec: Json): Json {
  const account = spec.serviceAccountName ?? "default";
  const tolerated = ["not-ready", "unreachable"].map((word) => ({
    key: `node.kubernetes.io/${word}`,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 300,
  }));
  const filled = {
    ...spec,
    serviceAccountName: account,
    serviceAccount: account,
    tolerations: [...spec.tolerations ?? [], ...tolerated],
  };
  if (spec.automountServiceAccountToken === false) return filled;
  const name = `kube-api-access-${createRandomSuffix()}`;
  const mount = { name, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" };
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    {
      downwardAPI: { items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }] },
    },
  ];
  const mounted = (container: Json) => ({ ...container, volumeMounts: [...container.volumeMounts ?? [], mount] });
  return {
    ...filled,
    volumes: [...spec.volumes ?? [], { name, projected: { sources, defaultMode: 420 } }],
    containers: spec.containers.map(mounted),
    ...(spec.initContainers ? { initContainers: spec.initContainers.map(mounted) } : {}),
  };
}

/** The classes that every cluster has. */
const SYSTEM_PRIORITIES = ["system-node-critical", "system-cluster-critical"];

/** Throws 403 if the pod's PriorityClass does not exist. */
function requirePriorityClass(world: Simulation, kind: ApiKind, { metadata, spec }: StoredObject): void {
  const name = spec.priorityClassName;
  if (!name || SYSTEM_PRIORITIES.includes(name) || world.store.get("PriorityClass", undefined, name)) return;
  throw StatusError.forbidden(kind, metadata.name, `no PriorityClass with name ${name} was found`);
}

function joinBreaches(breaches: readonly string[]): string {
  return breaches.length === 1 ? breaches[0]! : `[${breaches.join(", ")}]`;
}
