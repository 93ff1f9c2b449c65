/** What the API server fills in where a manifest says nothing, kind by kind, as the recorded server does. */
import { type Json, type KubeObject, same } from "#lib/dev/simulator/object.ts";
import { defaultPod } from "#lib/dev/simulator/pod-defaults.ts";

/** The object with its kind's defaults; `live` is what stood there before, whose given addresses stay. */
export function withDefaults(object: KubeObject, live: KubeObject | null): KubeObject {
  const fill = DEFAULTS[object.kind];
  return fill ? fill(object, live) : object;
}

const DEFAULTS: Record<string, (object: KubeObject, live: KubeObject | null) => KubeObject> = {
  Namespace: (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, "kubernetes.io/metadata.name": object.metadata.name },
    },
    spec: { ...object.spec, finalizers: object.spec?.finalizers ?? ["kubernetes"] },
    status: object.status?.phase ? object.status : { ...object.status, phase: "Active" },
  }),
  Secret: ({ stringData, ...object }) => {
    const encoded = Object.entries(stringData ?? {}).map(([name, text]) => [name, encode(text as string)]);
    const data = { ...object.data, ...Object.fromEntries(encoded) };
    return {
      ...object,
      ...(Object.keys(data).length > 0 ? { data } : {}),
      type: object.type ?? "Opaque",
    } as KubeObject;
  },
  ResourceQuota: (object) => ({ ...object, spec: object.spec ?? {}, status: object.status ?? {} }),
  LimitRange: (object) => ({
    ...object,
    spec: { ...object.spec, limits: (object.spec?.limits ?? []).map(defaultLimits) },
  }),
  Service: defaultService,
  PersistentVolumeClaim: defaultClaim,
  Pod: (object) => ({
    ...object,
    spec: defaultPod(object.spec),
    status: { phase: "Pending", qosClass: qosClass(object.spec), ...object.status },
  }),
  Deployment: (object) => ({
    ...object,
    spec: {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...object.spec,
      strategy: defaultStrategy(object.spec?.strategy),
      template: defaultTemplate(object.spec?.template),
    },
    status: object.status ?? {},
  }),
  ReplicaSet: (object) => ({
    ...object,
    spec: { replicas: 1, ...object.spec, template: defaultTemplate(object.spec?.template) },
    status: { replicas: 0, ...object.status },
  }),
  StatefulSet: (object) => ({
    ...object,
    spec: {
      replicas: 1,
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      ...object.spec,
      template: defaultTemplate(object.spec?.template),
      ...(object.spec?.volumeClaimTemplates
        ? {
          volumeClaimTemplates: object.spec.volumeClaimTemplates.map((claim: Json) => ({
            ...defaultClaim({ ...claim, apiVersion: "v1", kind: "PersistentVolumeClaim" }),
            metadata: { creationTimestamp: null, ...claim.metadata },
          })),
        }
        : {}),
    },
    status: { replicas: 0, availableReplicas: 0, ...object.status },
  }),
  Job: (object) => ({ ...object, spec: defaultJob(object), status: object.status ?? {} }),
  CronJob: (object) => ({
    ...object,
    spec: {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      ...object.spec,
      jobTemplate: {
        ...object.spec?.jobTemplate,
        metadata: { creationTimestamp: null, ...object.spec?.jobTemplate?.metadata },
        spec: {
          ...object.spec?.jobTemplate?.spec,
          template: defaultTemplate(object.spec?.jobTemplate?.spec?.template),
        },
      },
    },
    status: object.status ?? {},
  }),
  Ingress: (object) => ({ ...object, status: { loadBalancer: {}, ...object.status } }),
  NetworkPolicy: (object) => ({
    ...object,
    spec: {
      podSelector: {},
      ...object.spec,
      policyTypes: object.spec?.policyTypes ?? ["Ingress", ...(object.spec?.egress ? ["Egress"] : [])],
      ...Object.fromEntries(
        ["ingress", "egress"].filter((way) => object.spec?.[way]).map((
          way,
        ) => [way, object.spec[way].map(defaultPorts)]),
      ),
    },
  }),
  StorageClass: (object) => ({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate", ...object }),
  PodDisruptionBudget: (object) => ({
    ...object,
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, ...object.status },
  }),
};

function defaultLimits(item: Json): Json {
  if (item.type !== "Container") return item;
  const all = { ...item.max, ...item.default };
  const requests = { ...item.min, ...all, ...item.defaultRequest };
  const filled = { ...item, default: all, defaultRequest: requests };
  return Object.fromEntries(Object.entries(filled).filter(([, value]) => !same(value, {})));
}

function defaultService(object: KubeObject, live: KubeObject | null): KubeObject {
  const spec = { type: "ClusterIP", sessionAffinity: "None", ...object.spec };
  const external = spec.type === "ExternalName";
  const given = live?.spec?.clusterIP ?? freshAddress();
  const clusterIP = spec.clusterIP ?? given;
  return {
    ...object,
    spec: {
      ...spec,
      ...(spec.ports ? { ports: spec.ports.map(defaultPort) } : {}),
      ...(external ? {} : {
        clusterIP,
        clusterIPs: spec.clusterIPs ?? [clusterIP],
        ipFamilies: spec.ipFamilies ?? ["IPv4"],
        ipFamilyPolicy: spec.ipFamilyPolicy ?? "SingleStack",
        internalTrafficPolicy: spec.internalTrafficPolicy ?? "Cluster",
      }),
    },
    status: { loadBalancer: {}, ...object.status },
  };
}

function defaultPort(port: Json): Json {
  return { protocol: "TCP", ...port, targetPort: port.targetPort ?? port.port };
}

function defaultPorts(rule: Json): Json {
  return rule.ports ? { ...rule, ports: rule.ports.map((port: Json) => ({ protocol: "TCP", ...port })) } : rule;
}

function defaultClaim(object: KubeObject): KubeObject {
  const source = object.spec?.dataSource ?? object.spec?.dataSourceRef;
  return {
    ...object,
    spec: {
      volumeMode: "Filesystem",
      ...object.spec,
      ...(source ? { dataSource: source, dataSourceRef: source } : {}),
    },
    status: { phase: "Pending", ...object.status },
  };
}

function defaultStrategy(strategy: Json): Json {
  if (strategy?.type === "Recreate") return strategy;
  const rolling = { maxUnavailable: "25%", maxSurge: "25%", ...strategy?.rollingUpdate };
  return { type: "RollingUpdate", ...strategy, rollingUpdate: rolling };
}

function defaultTemplate(template: Json): Json {
  return {
    ...template,
    metadata: { creationTimestamp: null, ...template?.metadata },
    spec: defaultPod(template?.spec),
  };
}

function defaultJob(object: KubeObject): Json {
  const uid = object.metadata.uid, name = object.metadata.name;
  const template = defaultTemplate(object.spec?.template);
  const marks = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
  const labelled = {
    ...template,
    metadata: { ...template.metadata, labels: { ...template.metadata.labels, ...marks } },
  };
  const manual = object.spec?.manualSelector === true;
  return {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    completionMode: "NonIndexed",
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: "TerminatingOrFailed",
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
    ...object.spec,
    template: manual ? template : labelled,
  };
}

/** BestEffort, Guaranteed or Burstable, by what the containers ask for. */
function qosClass(spec: Json): string {
  const all = (spec?.containers ?? []).map((container: Json) => container.resources ?? {});
  if (all.every((r: Json) => !r.requests && !r.limits)) return "BestEffort";
  const guaranteed = all.every((r: Json) =>
    r.limits?.cpu && r.limits?.memory && same({ ...r.limits, ...r.requests }, r.limits)
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}

function encode(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function freshAddress(): string {
  const [a, b] = crypto.getRandomValues(new Uint8Array(2));
  return `10.96.${a}.${1 + b! % 254}`;
}
