/** Sets the API server's default values in a pod spec, which may belong to a pod or to a pod template. */
import type { Json } from "#lib/dev/simulator/store/object.ts";

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
    resources: defaultResources(container.resources ?? {}),
  };
  if (container.ports) filled.ports = container.ports.map((port: Json) => ({ protocol: "TCP", ...port }));
  if (container.env) filled.env = container.env.map(defaultVariable);
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"]) {
    if (container[probe]) filled[probe] = defaultProbe(container[probe]);
  }
  return filled;
}

/** Sets each missing resource request to the corresponding limit. */
function defaultResources(resources: Json): Json {
  return resources.limits ? { ...resources, requests: { ...resources.limits, ...resources.requests } } : resources;
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
