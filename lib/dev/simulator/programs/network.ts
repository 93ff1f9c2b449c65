/**
 * The network between pods, as far as there is one: whether a connection comes about, by the NetworkPolicies that select
 * either end, and `pg_isready`, what doctor looks at it with. The fault `open-network` makes it one whose plugin knows no
 * policies, as many real ones do not.
 */
import { selects } from "#lib/dev/simulator/admission/selectors.ts";
import { isReady } from "#lib/dev/simulator/controllers/pod-status.ts";
import type { Context, ProgramRun } from "#lib/dev/simulator/programs/program.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";

/** Whether `from` reaches this TCP port of `to`, should something listen there. */
export function mayConnect(world: World, from: StoredObject, to: StoredObject, port: number): boolean {
  if (world.faults.list().some(({ breakage }) => breakage.type === "open-network")) return true;
  return allows(world, from, to, "Egress", port) && allows(world, to, from, "Ingress", port);
}

/** Whom no policy selects may do everything; else one of its policies has to allow it. */
function allows(world: World, pod: StoredObject, other: StoredObject, direction: "Ingress" | "Egress", port: number) {
  const policies = world.store.list("NetworkPolicy", pod.metadata.namespace)
    .filter(({ spec }) => selects(spec?.podSelector, pod.metadata.labels) && directionsOf(spec).includes(direction));
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

/** Blocks of addresses are for what is outside: no pod of a cluster is meant by them. */
function isPeer(world: World, peers: Json[] | undefined, namespace: string, other: StoredObject): boolean {
  if (peers === undefined || peers.length === 0) return true;
  const space = world.store.get("Namespace", undefined, other.metadata.namespace!);
  return peers.some(({ podSelector, namespaceSelector, ipBlock }) =>
    !ipBlock && (!podSelector || selects(podSelector, other.metadata.labels)) &&
    (namespaceSelector ? selects(namespaceSelector, space?.metadata.labels) : other.metadata.namespace === namespace)
  );
}

const PORT = 5432;
const ACCEPTING = 0, SILENT = 2; // exit codes of pg_isready
/** More than the script waits for the same answer. */
const ROUNDS = 5;

export function knockAt({ world, pod, env }: Context): ProgramRun {
  const pods = world.store.list("Pod", pod.metadata.namespace);
  const ask = (address: string | undefined): number => {
    const to = pods.find((each: StoredObject) => each.status?.podIP === address && isReady(each));
    return to && mayConnect(world, pod, to, PORT) ? ACCEPTING : SILENT;
  };
  const line = `open=${ask(env.OPEN)} closed=${ask(env.CLOSED)}`;
  return { lines: Array.from({ length: ROUNDS }, () => line), exit: 0 };
}
