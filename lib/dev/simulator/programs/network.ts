/**
 * Simulates NetworkPolicies between pods, and the `pg_isready` check that `wheelwright doctor` runs. The injected fault
 * `open-network` simulates a network plugin that ignores all NetworkPolicies.
 */
import { matchesSelector } from "#lib/dev/simulator/admission/selectors.ts";
import { isPodReady } from "#lib/dev/simulator/controllers/pod-status.ts";
import type { ProgramContext, ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorContext } from "#lib/dev/simulator/simulator-context.ts";

/** Whether NetworkPolicies allow the pod `from` to connect to this TCP port of the pod `to`. */
export function canPodConnect(world: SimulatorContext, from: StoredObject, to: StoredObject, port: number): boolean {
  if (world.faults.list().some(({ breakage }) => breakage.type === "open-network")) return true;
  return allowsConnection(world, from, to, "Egress", port) && allowsConnection(world, to, from, "Ingress", port);
}

/** Whether the pod's NetworkPolicies allow the connection in this direction. A pod without policies allows all. */
function allowsConnection(
  world: SimulatorContext,
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
function isPeer(world: SimulatorContext, peers: Json[] | undefined, namespace: string, other: StoredObject): boolean {
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
