/** Lists requests that the shipped admission policies must deny, requests that they must allow, and the objects for
 * both. */
import type { Json } from "#lib/dev/simulator/store/object.ts";
import { RELEASE } from "#test/support/release.ts";
import { CLUSTER_ROLE, SERVICE_ACCOUNT } from "#test/support/service-account.ts";

export interface ClusterRequest {
  readonly method: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: Json;
}

const MANAGED = "app.kubernetes.io/managed-by", ENFORCE = "pod-security.kubernetes.io/enforce";
const VERSION = `${ENFORCE}-version`;
const OWN = `spoke-${RELEASE}-own`, NEW = `spoke-${RELEASE}-new`, SANDBOX = `sandbox-${RELEASE}-own`;
const UNLABELLED = `spoke-${RELEASE}-unlabelled`, BASELINE = `spoke-${RELEASE}-baseline`, OLD = `spoke-${RELEASE}-old`;
const ISSUER = `wheelwright-${RELEASE}-nginx`, ISSUERS = "/apis/cert-manager.io/v1/clusterissuers";
/** The labels of a namespace that Wheelwright created. */
export const LABELS = { [MANAGED]: "wheelwright", [ENFORCE]: "restricted", [VERSION]: "latest" };

const NAMESPACES = "/api/v1/namespaces", VOLUMES = "/api/v1/persistentvolumes";
const CONTENTS = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents";
const RBAC = "rbac.authorization.k8s.io",
  USER = `system:serviceaccount:${SERVICE_ACCOUNT.namespace}:${SERVICE_ACCOUNT.name}`;

const SELF = { apiGroup: RBAC, kind: "User", name: USER };
const OTHERS = { apiGroup: RBAC, kind: "Group", name: "system:authenticated" };

const post = (path: string, body: Json): ClusterRequest => ({ method: "POST", path, body });
const patch = (path: string, body: Json): ClusterRequest => ({ method: "PATCH", path, body });
const remove = (path: string): ClusterRequest => ({ method: "DELETE", path });

function space(name: string, labels: Json): Json {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
}

function relabel(name: string, labels: Json): ClusterRequest {
  return patch(`${NAMESPACES}/${name}`, { metadata: { labels } });
}

function bind(namespace: string, subjects: Json = [SELF], role = CLUSTER_ROLE): ClusterRequest {
  const roleRef = { apiGroup: RBAC, kind: "ClusterRole", name: role };
  return post(`/apis/${RBAC}/v1/namespaces/${namespace}/rolebindings`, { metadata: { name: "b" }, roleRef, subjects });
}

function volume(name: string, claim: { readonly namespace: string; readonly name: string }): Json {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      csi: { driver: "disk.example", volumeHandle: name },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim },
    },
  };
}

const HANDLE = { snapshotHandle: "snap-1" }, CUT = { volumeHandle: "volume-1" };

function content(name: string, namespace: string, source: Json, deletionPolicy = "Retain"): Json {
  return {
    apiVersion: "snapshot.storage.k8s.io/v1",
    kind: "VolumeSnapshotContent",
    metadata: { name },
    spec: { deletionPolicy, driver: "disk.example", source, volumeSnapshotRef: { namespace, name } },
  };
}

/** Returns the issuer that ACME_EMAIL creates, changed by `acme`. `others` adds issuer types. */
function issuer(acme: Json, others: Json = {}): Json {
  const http01 = { ingress: { ingressClassName: "nginx", serviceType: "ClusterIP" } };
  const usual = {
    server: "https://acme-v02.api.letsencrypt.org/directory",
    email: "ops@example.org",
    privateKeySecretRef: { name: `${ISSUER}-account` },
    solvers: [{ http01 }],
  };
  return {
    apiVersion: "cert-manager.io/v1",
    kind: "ClusterIssuer",
    metadata: { name: ISSUER },
    spec: { acme: { ...usual, ...acme }, ...others },
  };
}

const change = (acme: Json, others?: Json): ClusterRequest => patch(`${ISSUERS}/${ISSUER}`, issuer(acme, others));

function service(metadata: Json, externalIPs?: readonly string[]): Json {
  const spec = { selector: { role: "app" }, ports: [{ port: 80 }], externalIPs };
  return { apiVersion: "v1", kind: "Service", metadata, spec };
}

/** Objects that an administrator, the storage and Wheelwright have put into the cluster. */
export const SPACES: readonly Json[] = [
  space(OWN, LABELS),
  space(UNLABELLED, { ...LABELS, [MANAGED]: "someone-else" }),
  space(BASELINE, { ...LABELS, [ENFORCE]: "baseline" }),
  space(OLD, { ...LABELS, [VERSION]: "v1.20" }),
  space("labelled", LABELS),
  space("spoke-other-own", LABELS),
  volume("foreign", { namespace: "kube-public", name: "c" }),
  volume("of-spoke", { namespace: OWN, name: "c" }),
  volume("of-other-sandbox", { namespace: "sandbox-other-own", name: "c" }),
  volume("of-sandbox", { namespace: SANDBOX, name: "c" }),
  content("kept", OWN, HANDLE),
  content("cut", OWN, CUT),
  content("foreign", "kube-public", CUT),
  content("of-other", "spoke-other-own", CUT),
  issuer({}),
  service({ name: "web", namespace: OWN }),
];

const RELEASE_VOLUME = { spec: { persistentVolumeReclaimPolicy: "Delete" } },
  LOSE = { spec: { deletionPolicy: "Delete" } };

/** The denied requests, by policy and by action. */
export const ATTACKS: Readonly<Record<string, Readonly<Record<string, ClusterRequest>>>> = {
  namespaces: {
    "create a namespace of another name": post(NAMESPACES, space("mine", LABELS)),
    "create a namespace of another release": post(NAMESPACES, space("spoke-other-new", LABELS)),
    "create a namespace of no release": post(NAMESPACES, space("spoke-new", LABELS)),
    "change a namespace of another release": relabel("spoke-other-own", { note: "x" }),
    "delete a namespace of another release": remove(`${NAMESPACES}/spoke-other-own`),
    "create a namespace without the label": post(NAMESPACES, space(NEW, { ...LABELS, [MANAGED]: undefined })),
    "create a privileged namespace": post(NAMESPACES, space(NEW, { ...LABELS, [ENFORCE]: "privileged" })),
    "create a namespace without a standard": post(NAMESPACES, space(NEW, { [MANAGED]: "wheelwright" })),
    "create a namespace of an old standard": post(NAMESPACES, space(NEW, { ...LABELS, [VERSION]: "v1.20" })),
    "create a namespace without labels": post(NAMESPACES, { metadata: { name: NEW } }),
    "make its namespace privileged": relabel(OWN, { [ENFORCE]: "privileged" }),
    "take the standard off its namespace": relabel(OWN, { [ENFORCE]: null }),
    "lower the version of the standard": relabel(OWN, { [VERSION]: "v1.0" }),
    "take its label off": relabel(OWN, { [MANAGED]: null }),
    "adopt a namespace by its label": relabel(UNLABELLED, LABELS),
    "adopt a namespace of the cluster": relabel("kube-public", LABELS),
    "change a foreign namespace that has the label": relabel("labelled", { note: "x" }),
    "delete a foreign namespace that has the label": remove(`${NAMESPACES}/labelled`),
    "delete a namespace without the label": remove(`${NAMESPACES}/${UNLABELLED}`),
    "delete a namespace of the cluster": remove(`${NAMESPACES}/ingress-nginx`),
  },
  bindings: {
    "bind its role in a namespace of the cluster": bind("cert-manager"),
    "bind its role in a foreign namespace that has the label": bind("labelled"),
    "bind its role in a namespace of another release": bind("spoke-other-own"),
    "bind its role in a namespace without the label": bind(UNLABELLED),
    "bind its role where pods may do more": bind(BASELINE),
    "bind its role where an old standard is enforced": bind(OLD),
    "bind another role": bind(OWN, [SELF], "wheelwright"),
    "bind its role to others": bind(OWN, [OTHERS]),
    "bind its role to itself and others": bind(OWN, [SELF, OTHERS]),
    "bind its role to a service account": bind(OWN, [{ kind: "ServiceAccount", namespace: "x", name: "x" }]),
    "bind its role to nobody": bind(OWN, []),
  },
  volumes: {
    "have a foreign volume deleted": patch(`${VOLUMES}/foreign`, RELEASE_VOLUME),
    "have the volume of a spoke deleted": patch(`${VOLUMES}/of-spoke`, RELEASE_VOLUME),
    "have the volume of another release's sandbox deleted": patch(`${VOLUMES}/of-other-sandbox`, RELEASE_VOLUME),
    "take over a foreign volume": patch(`${VOLUMES}/foreign`, { spec: { claimRef: { namespace: SANDBOX } } }),
    "move its volume to a foreign claim": patch(`${VOLUMES}/of-sandbox`, {
      spec: { claimRef: { namespace: "kube-public" } },
    }),
    "move its volume to another claim": patch(`${VOLUMES}/of-sandbox`, { spec: { claimRef: { name: "other" } } }),
    "take the claim off its volume": patch(`${VOLUMES}/of-sandbox`, { spec: { claimRef: null } }),
  },
  snapshots: {
    "create a content for a foreign namespace": post(CONTENTS, content("new", "kube-public", HANDLE)),
    "cut a snapshot from a volume by its handle": post(CONTENTS, content("new", OWN, CUT)),
    "create a content that is deleted with its data": post(CONTENTS, content("new", OWN, HANDLE, "Delete")),
    "have a snapshot deleted that it only names": patch(`${CONTENTS}/kept`, LOSE),
    "have a foreign snapshot deleted": patch(`${CONTENTS}/foreign`, LOSE),
    "have a snapshot of another release deleted": patch(`${CONTENTS}/of-other`, LOSE),
    "delete a content of another release": remove(`${CONTENTS}/of-other`),
    "create a content for another release": post(CONTENTS, content("new", "spoke-other-own", HANDLE)),
    "delete a foreign content": remove(`${CONTENTS}/foreign`),
    "take over a foreign content": patch(`${CONTENTS}/foreign`, {
      spec: { volumeSnapshotRef: { namespace: OWN } },
    }),
    "move its content to a foreign namespace": patch(`${CONTENTS}/cut`, {
      spec: { volumeSnapshotRef: { namespace: "kube-public" } },
    }),
    "move its content to another snapshot": patch(`${CONTENTS}/cut`, {
      spec: { volumeSnapshotRef: { name: "other" } },
    }),
    "have its content name another snapshot": patch(`${CONTENTS}/kept`, { spec: { source: { snapshotHandle: "x" } } }),
    "have its content name a volume": patch(`${CONTENTS}/kept`, {
      spec: { source: { snapshotHandle: null, ...CUT } },
    }),
    "have its content deleted with another volume's data": patch(`${CONTENTS}/kept`, {
      spec: { deletionPolicy: "Delete", source: { snapshotHandle: null, ...CUT } },
    }),
  },
  services: {
    "create a Service that takes another address": post(
      `${NAMESPACES}/${OWN}/services`,
      service({ name: "s" }, ["192.0.2.1"]),
    ),
    "have its Service take another address": patch(`${NAMESPACES}/${OWN}/services/web`, {
      spec: { externalIPs: ["192.0.2.1"] },
    }),
  },
  issuers: {
    "have certificates ordered elsewhere": change({ server: "https://acme.evil.example/directory" }),
    "take over the account of another issuer": change({ privateKeySecretRef: { name: "letsencrypt-account" } }),
    "sign with an authority of the cluster": change({}, { ca: { secretName: "root" } }),
    "replace ACME by an authority of the cluster": patch(`${ISSUERS}/${ISSUER}`, {
      spec: { acme: null, ca: { secretName: "root" } },
    }),
    "sign with nothing": change({}, { selfSigned: {} }),
    "have a Secret handed out to a name server": change({
      solvers: [{ dns01: { acmeDNS: { host: "https://evil.example", accountSecretRef: { name: "root", key: "k" } } } }],
    }),
    "solve in both ways": change({
      solvers: [{ http01: {}, dns01: { webhook: { solverName: "x", groupName: "y" } } }],
    }),
  },
};

/** The requests that Wheelwright needs. */
export const NEEDS: Readonly<Record<string, ClusterRequest>> = {
  "create the namespace of a hub": post(NAMESPACES, space(`hub-${RELEASE}-new`, LABELS)),
  "create the namespace of a spoke": post(NAMESPACES, space(NEW, LABELS)),
  "create a sandbox": post(NAMESPACES, space(`sandbox-${RELEASE}-new`, LABELS)),
  "create a namespace for a trial": post(NAMESPACES, space(`wheelwright-doctor-${RELEASE}-new`, LABELS)),
  "leave the version of the standard out": post(NAMESPACES, space(NEW, { ...LABELS, [VERSION]: undefined })),
  "put the label of a standard back": relabel(BASELINE, { [ENFORCE]: "restricted" }),
  "put the version of the standard back": relabel(OLD, { [VERSION]: "latest" }),
  "delete a namespace of its own": remove(`${NAMESPACES}/${OWN}`),
  "delete a namespace of its own that somebody relabelled": remove(`${NAMESPACES}/${BASELINE}`),
  "bind its role to itself": bind(OWN),
  "have the volume of a sandbox deleted": patch(`${VOLUMES}/of-sandbox`, RELEASE_VOLUME),
  "create a content that names a snapshot": post(CONTENTS, content("new", SANDBOX, HANDLE)),
  "have a snapshot deleted that was cut from its volume": patch(`${CONTENTS}/cut`, LOSE),
  "create a Service": post(`${NAMESPACES}/${OWN}/services`, service({ name: "s" })),
  "change a Service": patch(`${NAMESPACES}/${OWN}/services/web`, { spec: { externalIPs: [] } }),
  "change its issuer": change({ email: "others@example.org" }),
  "delete a content of its own": remove(`${CONTENTS}/kept`),
};
