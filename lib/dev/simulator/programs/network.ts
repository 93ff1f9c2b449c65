/** Simulates NetworkPolicies between pods, the `pg_isready` check of `wheelwright doctor`, and a site's login page. */
import { matchesSelector } from "#lib/dev/simulator/admission/selectors.ts";
import { isPodReady } from "#lib/dev/simulator/controllers/kubelet.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import {
  getSimulatedSite,
  isSiteInstalled,
  isUpgradeLocked,
  listServicePods,
} from "#lib/dev/simulator/programs/moodle/site.ts";

/** Whether NetworkPolicies allow the pod `from` to connect to this TCP port of the pod `to`. */
export function canPodConnect(world: Simulation, from: StoredObject, to: StoredObject, port: number): boolean {
  if (world.faults.list().some(({ breakage }) => breakage.type === "open-network")) return true;
  return allowsConnection(world, from, to, "Egress", port) && allowsConnection(world, to, from, "Ingress", port);
}

/** Whether the pod's NetworkPolicies allow the connection in this direction. A pod without policies allows all. */
function allowsConnection(
  world: Simulation,
  pod: StoredObject,
  other: StoredObject,
  direction: "Ingress" | "Egress",
  port: number,
) {
  const policies = world.store.list("NetworkPolicy", pod.metadata.namespace)
    .filter(({ spec }) =>
      matchesSelector(spec?.podSelector, pod.metadata.labels) && directionsOf(spec).includes(direction)
    );
  return policies.length === 0 ||
    policies.some(({ metadata, spec }) =>
      (direction === "Ingress" ? spec.ingress ?? [] : spec.egress ?? []).some((rule: Json) =>
        isPort(rule.ports, port) && isPeer(world, rule.from ?? rule.to, metadata.namespace!, other)
      )
    );
}

function directionsOf(spec: Json): string[] {
  return spec?.policyTypes ?? ["Ingress", ...(spec?.egress ? ["Egress"] : [])];
}

function isPort(ports: Json[] | undefined, port: number): boolean {
  return ports === undefined || ports.length === 0 ||
    ports.some((each) => (each.protocol ?? "TCP") === "TCP" && (each.port === undefined || each.port === port));
}

/** Whether one of a rule's peers matches the other pod. An `ipBlock` lists external addresses, so it never matches. */
function isPeer(world: Simulation, peers: Json[] | undefined, namespace: string, other: StoredObject): boolean {
  if (peers === undefined || peers.length === 0) return true;
  const space = world.store.get("Namespace", undefined, other.metadata.namespace!);
  return peers.some(({ podSelector, namespaceSelector, ipBlock }) =>
    !ipBlock && (!podSelector || matchesSelector(podSelector, other.metadata.labels)) &&
    (namespaceSelector
      ? matchesSelector(namespaceSelector, space?.metadata.labels)
      : other.metadata.namespace === namespace)
  );
}

const PORT = 5432;
const ACCEPTING = 0, SILENT = 2; // exit codes of pg_isready
/** The number of identical result lines to print. The real script may stop after fewer of them. */
const PRINTED_LINES = 5;

export function runPgIsready({ world, pod, env }: ProgramContext): ProgramRun {
  const pods = world.store.list("Pod", pod.metadata.namespace);
  const checkPort = (address: string | undefined): number => {
    const to = pods.find((each: StoredObject) => each.status?.podIP === address && isPodReady(each));
    return to && canPodConnect(world, pod, to, PORT) ? ACCEPTING : SILENT;
  };
  const line = `open=${checkPort(env.OPEN)} closed=${checkPort(env.CLOSED)}`;
  return { lines: Array.from({ length: PRINTED_LINES }, () => line), exit: 0 };
}

export const POSTGRES_PORT = 5432;
const LOGIN = "/login/index.php";

export function canReachDatabase(world: Simulation, pod: StoredObject): boolean {
  return listServicePods(world, pod.metadata.namespace!, "db").some((each) =>
    canPodConnect(world, pod, each, POSTGRES_PORT)
  );
}

/** Returns the login page's HTTP status; null if it times out because the network blocks access to the database. */
export function getLoginPageStatus(world: Simulation, pod: StoredObject): number | null {
  const { namespace, name } = pod.metadata;
  const { database, files } = getSimulatedSite(world, namespace!, pod);
  if (files.maintenance) return 503; // Moodle sends this response before it connects to the database
  const failing = world.faults.find("failing-page", namespace, name);
  if (failing) return failing.status;
  if (database && !canReachDatabase(world, pod)) return null;
  return isSiteInstalled(database) && !isUpgradeLocked(database, world.timers.now()) ? 200 : 500;
}

/** Whether the container's readiness probe is a command that requests the login page. */
export function hasLoginPageProbe({ readinessProbe }: Json): boolean {
  return readinessProbe?.exec?.command?.join(" ").includes(LOGIN) ?? false;
}

/** Returns the kubelet's error if the readiness probe cannot load the login page; null if the probe succeeds. */
export function findReadinessFailure(world: Simulation, pod: StoredObject, container: Json): string | null {
  if (!hasLoginPageProbe(container) || getSimulatedSite(world, pod.metadata.namespace!, pod).files.maintenance) {
    return null;
  }
  const status = getLoginPageStatus(world, pod);
  if (status !== null && status < 400) return null;
  const curl = status === null
    ? "curl: (28) Operation timed out after 10002 milliseconds with 0 bytes received"
    : `curl: (22) The requested URL returned error: ${status}`;
  return `Readiness probe failed: ${curl}`;
}
