/**
 * A sandbox: a site that belongs to no spoke, in a namespace of its own that is closed on all sides, made to be looked at or to
 * be made others from, and then taken away. Pure.
 *
 * It is rendered by the same files as a spoke's. Nothing leads in from outside, nothing leads out but questions for names (and
 * HTTPS, where it is to be installed and the blueprint opens that for a spoke), and no mail leaves it.
 */
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { namespaceName } from "#lib/moodle/names.ts";
import { labelsOf } from "#lib/moodle/stamp.ts";

type Whose = NonNullable<SpokeInputs["sandbox"]>;
export type SandboxInputs = SpokeInputs & { readonly sandbox: Whose };

/**
 * What a sandbox is made from, after the inputs of a spoke: its host, size, version and images, and nothing that its place in
 * the web or in its namespace has made of it. The end of the id is in the namespace's name, as that of a spoke's is. `release` is RELEASE_ID.
 */
export function sandboxInputs(inputs: SpokeInputs, sandbox: Whose, release: string): SandboxInputs {
  const { certificate: _, formerHosts: _hosts, claims: _claims, origin: _origin, ...plain } = inputs;
  const namespace = namespaceName("sandbox", { release, slug: inputs.slug, id: sandbox.id });
  return { ...plain, namespace, sandbox, issuer: null, mail: null, mailHeld: true };
}

/** Nothing is allowed that no other policy allows: a blueprint of one's own may leave that out. */
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

/** A NetworkPolicy of a sandbox, with what stays within its namespace, and questions for names; any other object as it is. */
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

/** A rule that names nobody is for everybody, so that one of which nobody is left goes. */
function within(rule: Rule, side: "from" | "to"): Rule[] {
  const peers = (rule[side] ?? []).filter((peer) => peer.podSelector && !peer.namespaceSelector && !peer.ipBlock);
  return peers.length > 0 ? [{ ...rule, [side]: peers }] : [];
}

function asksForNames({ ports = [] }: Rule): boolean {
  return ports.length > 0 && ports.every(({ port }) => port === 53);
}
