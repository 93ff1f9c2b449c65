/** The kinds that the simulated cluster serves: a table, to which further kinds (as a CRD would) are added by a line. */
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";

export interface ApiKind {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Defined by a CRD: list items name their kind, nothing is filled in, a missing status stays missing. */
  readonly custom: boolean;
  /** Whether metadata.generation counts changes of the spec. */
  readonly generation: boolean;
  readonly status: boolean;
  readonly scale: boolean;
  readonly short: readonly string[];
}

export interface ApiKinds {
  readonly all: readonly ApiKind[];
  /** By group, version and plural, as in a URL. */
  at(group: string, version: string, plural: string): ApiKind | undefined;
  /** By apiVersion and kind, as in an object or a reference to one. */
  of(object: { readonly apiVersion: string; readonly kind: string }): ApiKind | undefined;
  /** By its name alone, which no other kind has here. */
  named(kind: string): ApiKind;
}

// group/version: Kind plural[=short] flags; n namespaced, g generation, s status, c scale, x custom
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

export function readKinds(): ApiKinds {
  const all = TABLE.trim().split("\n").flatMap((line) => {
    const [apiVersion = "", rest = ""] = line.split(": ");
    return rest.split("; ").map((entry) => readKind(apiVersion, entry));
  });
  const byUrl = new Map(all.map((kind) => [`${kind.group}/${kind.version}/${kind.plural}`, kind]));
  const byName = new Map(all.map((kind) => [kind.kind, kind]));
  return {
    all,
    at: (group, version, plural) => byUrl.get(`${group}/${version}/${plural}`),
    of({ apiVersion, kind }) {
      const found = byName.get(kind);
      return found?.apiVersion === apiVersion ? found : undefined;
    },
    named: (kind) => byName.get(kind)!,
  };
}

/** For example `Deployment.apps`, `Namespace`: how messages name a kind. */
export function qualified(kind: ApiKind): string {
  return kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
}

/** For example `jobs.batch`, `pods`: how messages name a resource. */
export function resource(kind: ApiKind): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** How an object is named in messages about more than one kind: `ns/name`. */
export function kindName(object: StoredObject): string {
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
