/**
 * Defines sandboxes: sites in isolated, temporary namespaces, used for restore tests and templates. A sandbox receives
 * no traffic and sends no email. It may use only DNS and, during an installation, HTTPS.
 */
import * as v from "valibot";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { buildNamespaceName } from "#lib/moodle/names.ts";
import { buildOwnerLabels } from "#lib/moodle/owner-labels.ts";

type SandboxSource = NonNullable<SpokeInputs["sandbox"]>;
export const SandboxInputs = v.object({ ...SpokeInputs.entries, sandbox: v.unwrap(SpokeInputs.entries.sandbox) });
export type SandboxInputs = v.InferOutput<typeof SandboxInputs>;

/**
 * Returns a sandbox's inputs, based on a spoke's inputs but without certificates, former hosts and PVC names. `release`
 * is the RELEASE_ID setting.
 */
export function buildSandboxInputs(inputs: SpokeInputs, sandbox: SandboxSource, release: string): SandboxInputs {
  const { certificate: _, formerHosts: _hosts, claims: _claims, origin: _origin, ...base } = inputs;
  const namespace = buildNamespaceName("sandbox", { release, slug: inputs.slug, id: sandbox.id });
  return { ...base, namespace, sandbox, issuer: null, mail: null, mailHeld: true };
}

/** Returns a NetworkPolicy that denies all traffic, because a custom blueprint might not contain such a policy. */
export function buildDenyAllPolicy({ namespace, ...inputs }: SandboxInputs): KubeObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "sandbox", namespace, labels: buildOwnerLabels(inputs) },
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

/** Restricts a sandbox's NetworkPolicy to DNS and traffic within its namespace. Returns any other object unchanged. */
export function isolateSandbox(object: KubeObject, { sandbox }: Pick<SpokeInputs, "sandbox">): KubeObject {
  if (!sandbox || object.kind !== "NetworkPolicy") return object;
  const { ingress, egress, ...spec } = object["spec"];
  return {
    ...object,
    spec: {
      ...spec,
      ...(ingress && { ingress: ingress.flatMap((rule: Rule) => keepNamespacePeers(rule, "from")) }),
      ...(egress && { egress: egress.flatMap((rule: Rule) => restrictEgress(rule, sandbox)) }),
    },
  };
}

function restrictEgress(rule: Rule, { web }: SandboxSource): Rule[] {
  if (isDnsRule(rule)) return [rule];
  const ports = (rule.ports ?? []).filter(({ port }) => port === HTTPS);
  const isOfWeb = ports.length > 0 && rule.to?.some((peer) => peer.ipBlock);
  return web && isOfWeb ? [{ ...rule, ports }] : keepNamespacePeers(rule, "to");
}

/** Keeps only peers in the same namespace. Drops a rule that then has no peers, because it would allow all traffic. */
function keepNamespacePeers(rule: Rule, side: "from" | "to"): Rule[] {
  const peers = (rule[side] ?? []).filter((peer) => peer.podSelector && !peer.namespaceSelector && !peer.ipBlock);
  return peers.length > 0 ? [{ ...rule, [side]: peers }] : [];
}

function isDnsRule({ ports = [] }: Rule): boolean {
  return ports.length > 0 && ports.every(({ port }) => port === 53);
}
