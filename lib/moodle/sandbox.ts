/**
 * Defines sandboxes: sites without a spoke in an isolated, temporary namespace, for restore tests and templates. Pure.
 * A sandbox is rendered from the same files as a spoke. It receives no traffic and may use only DNS. During an
 * installation it may also use HTTPS, if the blueprint allows this to spokes. It sends no mail.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { namespaceName } from "#lib/moodle/names.ts";
import { labelsOf } from "#lib/moodle/owner-labels.ts";

type Whose = NonNullable<SpokeInputs["sandbox"]>;
export type SandboxInputs = SpokeInputs & { readonly sandbox: Whose };

/**
 * Returns the inputs of a sandbox, based on those of a spoke. It keeps the host, size, version and images, but no
 * certificates, former hosts or PVCs. The namespace name ends with the last characters of its ID. `release` is
 * RELEASE_ID.
 */
export function sandboxInputs(inputs: SpokeInputs, sandbox: Whose, release: string): SandboxInputs {
  const { certificate: _, formerHosts: _hosts, claims: _claims, origin: _origin, ...plain } = inputs;
  const namespace = namespaceName("sandbox", { release, slug: inputs.slug, id: sandbox.id });
  return { ...plain, namespace, sandbox, issuer: null, mail: null, mailHeld: true };
}

/**
 * Returns a NetworkPolicy that denies all traffic which no other policy allows. A custom blueprint may contain no such
 * policy.
 */
export function nothingAllowed({ namespace, ...inputs }: SandboxInputs): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "sandbox", namespace, labels: labelsOf(inputs) },
    spec: { podSelector: {}, policyTypes: ["Ingress", "Egress"] },
  };
}

const HTTPS = 443;

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port?: number | string }[];
}
interface Peer {
  readonly podSelector?: object;
  readonly namespaceSelector?: object;
  readonly ipBlock?: object;
}

/** Restricts a sandbox's NetworkPolicy to DNS and traffic within the namespace. Returns other objects unchanged. */
export function shutIn(object: KubeObject, { sandbox }: Pick<SpokeInputs, "sandbox">): KubeObject {
  if (!sandbox || object.kind !== "NetworkPolicy") return object;
  const { ingress, egress, ...spec } = object["spec"];
  return {
    ...object,
    spec: {
      ...spec,
      ...(ingress && { ingress: ingress.flatMap((rule: Rule) => within(rule, "from")) }),
      ...(egress && { egress: egress.flatMap((rule: Rule) => outward(rule, sandbox)) }),
    },
  };
}

function outward(rule: Rule, { web }: Whose): Rule[] {
  if (asksForNames(rule)) return [rule];
  const ports = (rule.ports ?? []).filter(({ port }) => port === HTTPS);
  const isOfWeb = ports.length > 0 && rule.to?.some((peer) => peer.ipBlock);
  return web && isOfWeb ? [{ ...rule, ports }] : within(rule, "to");
}

/** Keeps only peers within the namespace. Removes a rule without peers, because it would allow all traffic. */
function within(rule: Rule, side: "from" | "to"): Rule[] {
  const peers = (rule[side] ?? []).filter((peer) => peer.podSelector && !peer.namespaceSelector && !peer.ipBlock);
  return peers.length > 0 ? [{ ...rule, [side]: peers }] : [];
}

function asksForNames({ ports = [] }: Rule): boolean {
  return ports.length > 0 && ports.every(({ port }) => port === 53);
}
