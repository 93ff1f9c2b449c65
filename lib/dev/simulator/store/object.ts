/** Defines the kinds and the types of Kubernetes objects in the simulated cluster. Stored objects are never modified. */

/** A JSON value that a client sent or will receive. */
// deno-lint-ignore no-explicit-any
export type Json = any;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ManagedFields {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  time: string;
  fieldsType: "FieldsV1";
  fieldsV1: Json;
  subresource?: string;
}

export interface ObjectMetadata {
  name: string;
  generateName?: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFields[];
}

export interface StoredObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMetadata;
  [field: string]: Json;
}

/** Whether two JSON values are equal. Ignores the order of keys and treats an undefined value as a missing key. */
export function isSameJson(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length &&
      a.every((item, i) => isSameJson(item, b[i]));
  }
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!isSameJson(a[name], b[name])) return false;
  return true;
}

export function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Formats a time (milliseconds since 1970) as the Kubernetes API does: RFC 3339 in UTC, with whole seconds. */
export function formatTimestamp(at: number): string {
  return new Date(at).toISOString().slice(0, 19) + "Z";
}

/** Returns a random suffix for a generated object name. The suffix has no vowels, so that it never forms a word. */
export function createRandomSuffix(length = 5): string {
  const letters = "bcdfghjklmnpqrstvwxz2456789";
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => letters[byte % letters.length]).join("");
}

/** Returns a hash of the text as a name suffix, as in the names that Kubernetes derives from a pod template. */
export function createHashSuffix(text: string, length = 10): string {
  const letters = "bcdf2456789ghjklmnpqrstvwxz";
  let low = 0x811c9dc5, high = 0x1000193;
  for (let i = 0; i < text.length; i++) {
    low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
    high = Math.imul(high + text.charCodeAt(i), 0x85ebca6b) ^ (high >>> 13);
  }
  let hash = (low >>> 0) * 0x100000 + (high >>> 12);
  let suffix = "";
  for (let i = 0; i < length; i++, hash = Math.floor(hash / 27)) suffix += letters[hash % 27];
  return suffix;
}

export interface ApiKind {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Whether a CRD defines this kind. The API server handles lists, defaults and status differently for such kinds. */
  readonly custom: boolean;
  /** Whether objects of this kind have `metadata.generation`, which counts the changes to their spec. */
  readonly generation: boolean;
  readonly status: boolean;
  readonly scale: boolean;
  readonly short: readonly string[];
}

export type ApiKindRegistry = ReturnType<typeof loadApiKinds>;

// Line format: `group/version: Kind plural[=short] flags`. Flags: n namespaced, g generation, s status, c scale, x CRD.
const TABLE = `
v1: Namespace namespaces=ns s; ConfigMap configmaps=cm n; Secret secrets n; Service services=svc ns
v1: ServiceAccount serviceaccounts=sa n; Pod pods=po ngs; Event events=ev n; Endpoints endpoints=ep n
v1: PersistentVolumeClaim persistentvolumeclaims=pvc ns; PersistentVolume persistentvolumes=pv s
v1: ResourceQuota resourcequotas=quota ns; LimitRange limitranges=limits n; Node nodes=no s
apps/v1: Deployment deployments=deploy ngsc; ReplicaSet replicasets=rs ngsc; StatefulSet statefulsets=sts ngsc
apps/v1: ControllerRevision controllerrevisions n; DaemonSet daemonsets=ds ngs
batch/v1: Job jobs ngs; CronJob cronjobs=cj ngs
networking.k8s.io/v1: Ingress ingresses=ing ngs; IngressClass ingressclasses g; NetworkPolicy networkpolicies=netpol ng
storage.k8s.io/v1: StorageClass storageclasses=sc -; VolumeAttachment volumeattachments s
policy/v1: PodDisruptionBudget poddisruptionbudgets=pdb ngs
rbac.authorization.k8s.io/v1: Role roles n; RoleBinding rolebindings n
rbac.authorization.k8s.io/v1: ClusterRole clusterroles -; ClusterRoleBinding clusterrolebindings -
authorization.k8s.io/v1: SelfSubjectAccessReview selfsubjectaccessreviews -
authentication.k8s.io/v1: SelfSubjectReview selfsubjectreviews -
coordination.k8s.io/v1: Lease leases n
discovery.k8s.io/v1: EndpointSlice endpointslices n
scheduling.k8s.io/v1: PriorityClass priorityclasses=pc -
apiextensions.k8s.io/v1: CustomResourceDefinition customresourcedefinitions=crd gs
apiregistration.k8s.io/v1: APIService apiservices s
admissionregistration.k8s.io/v1: ValidatingAdmissionPolicy validatingadmissionpolicies gs
admissionregistration.k8s.io/v1: ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings g
autoscaling/v2: HorizontalPodAutoscaler horizontalpodautoscalers=hpa ns
snapshot.storage.k8s.io/v1: VolumeSnapshot volumesnapshots=vs ngsx; VolumeSnapshotClass volumesnapshotclasses=vsclass gx
snapshot.storage.k8s.io/v1: VolumeSnapshotContent volumesnapshotcontents=vsc gsx
cert-manager.io/v1: Certificate certificates=cert ngsx; ClusterIssuer clusterissuers gsx; Issuer issuers ngsx
cert-manager.io/v1: CertificateRequest certificaterequests=cr ngsx
monitoring.coreos.com/v1: ServiceMonitor servicemonitors=smon gsnx; PrometheusRule prometheusrules=promrule gsnx
acme.cert-manager.io/v1: Order orders ngsx; Challenge challenges ngsx
`;

export function loadApiKinds() {
  const all = TABLE.trim().split("\n").flatMap((line) => {
    const [apiVersion = "", rest = ""] = line.split(": ");
    return rest.split("; ").map((entry) => readKind(apiVersion, entry));
  });
  const byUrl = new Map(all.map((kind) => [`${kind.group}/${kind.version}/${kind.plural}`, kind]));
  const byName = new Map(all.map((kind) => [kind.kind, kind]));
  return {
    all,
    /** Finds a kind by the group, version and plural name in a URL. */
    at: (group: string, version: string, plural: string) => byUrl.get(`${group}/${version}/${plural}`),
    /** Finds a kind by the apiVersion and kind in an object or a reference. */
    of({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): ApiKind | undefined {
      const found = byName.get(kind);
      return found?.apiVersion === apiVersion ? found : undefined;
    },
    /** Finds a kind by its name. Each name is unique in the simulator. */
    named: (kind: string): ApiKind => byName.get(kind)!,
  };
}

/** Returns a kind's name as it appears in messages, for example `Deployment.apps` or `Namespace`. */
export function formatKindName(kind: ApiKind): string {
  return kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
}

/** Returns a resource's name as it appears in messages, for example `jobs.batch` or `pods`. */
export function formatResourceName(kind: ApiKind): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** Returns an object's name for messages: `namespace/name`, or only `name` if the object has no namespace. */
export function formatObjectName(object: StoredObject): string {
  return object.metadata.namespace ? `${object.metadata.namespace}/${object.metadata.name}` : object.metadata.name;
}

function readKind(apiVersion: string, entry: string): ApiKind {
  const [kind = "", names = "", flags = ""] = entry.split(" ");
  const [plural = "", ...short] = names.split("=");
  const slash = apiVersion.indexOf("/");
  return {
    group: slash < 0 ? "" : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    apiVersion,
    kind,
    plural,
    namespaced: flags.includes("n"),
    custom: flags.includes("x"),
    generation: flags.includes("g"),
    status: flags.includes("s"),
    scale: flags.includes("c"),
    short,
  };
}
