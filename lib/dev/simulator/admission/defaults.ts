/** Sets each kind's default values as the API server does. The values match recordings of a real server. */
import { isSameJson, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";

/** Returns the object with its kind's default values. A Service keeps the cluster IP of `live`, the stored object. */
export function applyKindDefaults(object: StoredObject, live: StoredObject | null): StoredObject {
  return DEFAULTS[object.kind]?.(object, live) ?? object;
}

const SCALED = { replicas: 1, revisionHistoryLimit: 10 };

const DEFAULTS: Record<string, (object: StoredObject, live: StoredObject | null) => StoredObject> = {
  Namespace({ metadata, spec, status, ...object }) {
    const labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
    return {
      ...object,
      metadata: { ...metadata, labels },
      spec: { ...spec, finalizers: spec?.finalizers ?? ["kubernetes"] },
      status: status?.phase ? status : { ...status, phase: "Active" },
    };
  },
  Secret({ stringData = {}, ...object }) {
    const encoded = Object.entries<string>(stringData).map((
      [name, text],
    ) => [name, Buffer.from(text).toString("base64")]);
    const data = { ...object.data, ...Object.fromEntries(encoded) };
    const filled = Object.keys(data).length > 0 ? { ...object, data } : object;
    return { ...filled, type: object.type ?? "Opaque" } as StoredObject;
  },
  ResourceQuota: (object) => ({ ...object, spec: object.spec ?? {}, status: object.status ?? {} }),
  LimitRange: ({ spec, ...object }) => ({
    ...object,
    spec: { ...spec, limits: (spec?.limits ?? []).map(defaultLimits) },
  }),
  Service: defaultService,
  PersistentVolumeClaim: defaultClaim,
  Pod: (object) => ({
    ...object,
    spec: applyPodDefaults(object.spec),
    status: { phase: "Pending", qosClass: qosClass(object.spec), ...object.status },
  }),
  Deployment: (object) =>
    defaultWorkload(object, {}, (spec) => (
      { ...SCALED, progressDeadlineSeconds: 600, ...spec, strategy: defaultStrategy(spec.strategy) }
    )),
  ReplicaSet: (object) => defaultWorkload(object, { replicas: 0 }, (spec) => ({ replicas: 1, ...spec })),
  StatefulSet: (object) =>
    defaultWorkload(object, { replicas: 0, availableReplicas: 0 }, (spec) => ({
      ...SCALED,
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      ...spec,
      ...(spec.volumeClaimTemplates ? { volumeClaimTemplates: spec.volumeClaimTemplates.map(defaultOwnClaim) } : {}),
    })),
  Job: (object) => ({ ...object, spec: defaultJob(object), status: object.status ?? {} }),
  CronJob({ spec, ...object }) {
    const { metadata, spec: inner, ...jobTemplate } = spec?.jobTemplate ?? {};
    return {
      ...object,
      spec: {
        concurrencyPolicy: "Allow",
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        ...spec,
        jobTemplate: {
          ...jobTemplate,
          metadata: { creationTimestamp: null, ...metadata },
          spec: { ...inner, template: defaultTemplate(inner?.template) },
        },
      },
      status: object.status ?? {},
    };
  },
  Ingress: (object) => ({ ...object, status: { loadBalancer: {}, ...object.status } }),
  NetworkPolicy({ spec, ...object }) {
    const policyTypes = spec?.policyTypes ?? ["Ingress", ...(spec?.egress ? ["Egress"] : [])];
    const fill = ({ ports, ...rule }: Json) => (
      ports ? { ...rule, ports: ports.map((port: Json) => ({ protocol: "TCP", ...port })) } : rule
    );
    const rules = ["ingress", "egress"].filter((way) => spec?.[way]).map((way) => [way, spec[way].map(fill)]);
    return { ...object, spec: { podSelector: {}, ...spec, policyTypes, ...Object.fromEntries(rules) } };
  },
  StorageClass: (object) => ({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate", ...object }),
};

function defaultWorkload(object: StoredObject, status: Json, fill: (spec: Json) => Json): StoredObject {
  const spec = object.spec ?? {};
  return {
    ...object,
    spec: { ...fill(spec), template: defaultTemplate(spec.template) },
    status: { ...status, ...object.status },
  };
}

function defaultOwnClaim(claim: Json): Json {
  const filled = defaultClaim({ ...claim, apiVersion: "v1", kind: "PersistentVolumeClaim" });
  return { ...filled, metadata: { creationTimestamp: null, ...claim.metadata } };
}

function defaultLimits(item: Json): Json {
  if (item.type !== "Container") return item;
  const all = { ...item.max, ...item.default };
  const requests = { ...item.min, ...all, ...item.defaultRequest };
  const filled = { ...item, default: all, defaultRequest: requests };
  return Object.fromEntries(Object.entries(filled).filter(([, value]) => !isSameJson(value, {})));
}

function defaultService(object: StoredObject, live: StoredObject | null): StoredObject {
  const spec = { type: "ClusterIP", sessionAffinity: "None", ...object.spec };
  const [a, b] = crypto.getRandomValues(new Uint8Array(2));
  const clusterIP = spec.clusterIP ?? live?.spec?.clusterIP ?? `10.96.${a}.${1 + b! % 254}`;
  const addresses = {
    clusterIP,
    clusterIPs: spec.clusterIPs ?? [clusterIP],
    ipFamilies: spec.ipFamilies ?? ["IPv4"],
    ipFamilyPolicy: spec.ipFamilyPolicy ?? "SingleStack",
    internalTrafficPolicy: spec.internalTrafficPolicy ?? "Cluster",
  };
  const defaultPort = (port: Json) => ({ protocol: "TCP", ...port, targetPort: port.targetPort ?? port.port });
  return {
    ...object,
    spec: {
      ...spec,
      ...(spec.ports ? { ports: spec.ports.map(defaultPort) } : {}),
      ...(spec.type === "ExternalName" ? {} : addresses),
    },
    status: { loadBalancer: {}, ...object.status },
  };
}

function defaultClaim(object: StoredObject): StoredObject {
  const source = object.spec?.dataSource ?? object.spec?.dataSourceRef;
  const sources = source ? { dataSource: source, dataSourceRef: source } : {};
  return {
    ...object,
    spec: { volumeMode: "Filesystem", ...object.spec, ...sources },
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
    spec: applyPodDefaults(template?.spec),
  };
}

function defaultJob({ metadata: { uid, name }, spec }: StoredObject): Json {
  const template = defaultTemplate(spec?.template);
  const marks = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
  const metadata = { ...template.metadata, labels: { ...template.metadata.labels, ...marks } };
  return {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    completionMode: "NonIndexed",
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: "TerminatingOrFailed",
    selector: { matchLabels: { "batch.kubernetes.io/controller-uid": uid } },
    ...spec,
    template: spec?.manualSelector === true ? template : { ...template, metadata },
  };
}

/** Returns the pod's QoS class, which depends on its containers' requests and limits. */
function qosClass(spec: Json): string {
  const all = (spec?.containers ?? []).map((container: Json) => container.resources ?? {});
  if (all.every((r: Json) => !r.requests && !r.limits)) return "BestEffort";
  const guaranteed = all.every((r: Json) =>
    r.limits?.cpu && r.limits?.memory && isSameJson({ ...r.limits, ...r.requests }, r.limits)
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}

const SOURCES_WITH_MODE = ["configMap", "secret", "projected", "downwardAPI"];

export function applyPodDefaults(spec: Json): Json {
  if (!spec) return { containers: [] };
  const filled: Json = {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    schedulerName: "default-scheduler",
    ...spec,
    securityContext: spec.securityContext ?? {},
    containers: (spec.containers ?? []).map(defaultContainer),
  };
  if (spec.initContainers) filled.initContainers = spec.initContainers.map(defaultContainer);
  if (spec.volumes) filled.volumes = spec.volumes.map(defaultVolume);
  if (spec.serviceAccountName) filled.serviceAccount = spec.serviceAccountName;
  return filled;
}

function defaultContainer(container: Json): Json {
  const filled: Json = {
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: pullPolicy(container.image ?? ""),
    ...container,
    resources: container.resources ?? {},
  };
  const { limits, requests } = filled.resources; // each missing request is set to the limit
  if (limits) filled.resources = { ...filled.resources, requests: { ...limits, ...requests } };
  if (container.ports) filled.ports = container.ports.map((port: Json) => ({ protocol: "TCP", ...port }));
  if (container.env) filled.env = container.env.map(defaultVariable);
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
    if (container[probe]) filled[probe] = defaultProbe(container[probe]);
  }
  return filled;
}

function defaultVariable(variable: Json): Json {
  const field = variable.valueFrom?.fieldRef;
  if (!field) return variable;
  return { ...variable, valueFrom: { ...variable.valueFrom, fieldRef: { apiVersion: "v1", ...field } } };
}

function defaultProbe(probe: Json): Json {
  const filled = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3, ...probe };
  return probe.httpGet ? { ...filled, httpGet: { path: "/", scheme: "HTTP", ...probe.httpGet } } : filled;
}

function defaultVolume(volume: Json): Json {
  const source = SOURCES_WITH_MODE.find((name) => volume[name]);
  if (source) return { ...volume, [source]: { defaultMode: 420, ...volume[source] } };
  return Object.keys(volume).length > 1 ? volume : { ...volume, emptyDir: {} };
}

function pullPolicy(image: string): string {
  const last = image.slice(image.lastIndexOf("/") + 1);
  const latest = !image.includes("@") && (!last.includes(":") || last.endsWith(":latest"));
  return latest ? "Always" : "IfNotPresent";
}
