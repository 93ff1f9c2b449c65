/** Lists the Kubernetes kinds that the simulated API server supports. */
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";

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
