/** Ingresses get an address, and, where an annotation names an issuer, the Certificates for their hosts. */
import { type Json, type KubeObject } from "#lib/dev/simulator/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject, createObject } from "#lib/dev/simulator/writes.ts";
import { type Controller, ownerReference, ownersOf } from "#lib/dev/simulator/controllers/controller.ts";

const ADDRESS = "203.0.113.10"; // from the range that documentation may use
const ISSUER = "cert-manager.io/cluster-issuer";

export function ingressController(world: World): Controller {
  const kind = world.kinds.of("networking.k8s.io/v1", "Ingress")!;
  const classes = world.kinds.of("networking.k8s.io/v1", "IngressClass")!;
  const certificates = world.kinds.of("cert-manager.io/v1", "Certificate")!;
  const due = new Map<string, number>();
  return {
    kind,
    // A certificate that somebody deletes is ordered anew.
    also: (change) => change.kind === certificates && change.type === "DELETED" ? ownersOf(world, kind, change) : [],
    gone: (ingress) => void due.delete(ingress.metadata.uid),
    reconcile(ingress) {
      if (ingress.metadata.deletionTimestamp !== undefined) return;
      const issuer = ingress.metadata.annotations?.[ISSUER];
      if (issuer !== undefined) { for (const tls of ingress.spec.tls ?? []) certify(world, ingress, issuer, tls); }
      dropCertificates(world, ingress);
      if (ingress.status?.loadBalancer?.ingress) return;
      const served = world.store.get(classes, undefined, ingress.spec.ingressClassName ?? "");
      if (!served) return; // no controller takes care of it, and none says so
      const now = world.timers.now(), at = due.get(ingress.metadata.uid) ?? now + world.delayMs;
      due.set(ingress.metadata.uid, at);
      if (now < at) return at - now;
      changeObject(world, kind, ingress, "nginx-ingress-controller", (live) => ({
        ...live,
        status: { loadBalancer: { ingress: [{ ip: ADDRESS }] } },
      }));
    },
  };
}

/** What ingress-shim does with those that it made for this Ingress and that it names no more; their Secrets stay. */
function dropCertificates(world: World, { metadata, spec }: KubeObject): void {
  const kind = world.kinds.of("cert-manager.io/v1", "Certificate")!;
  const named = (spec.tls ?? []).map(({ secretName }: Json) => secretName);
  for (const certificate of world.store.list(kind, metadata.namespace)) {
    const own = certificate.metadata.ownerReferences?.some(({ uid }: Json) => uid === metadata.uid);
    if (own && !named.includes(certificate.spec.secretName)) world.store.remove(kind, certificate);
  }
}

/** What cert-manager's ingress-shim does. */
function certify(world: World, ingress: KubeObject, issuer: string, tls: Json): void {
  const kind = world.kinds.of("cert-manager.io/v1", "Certificate")!;
  const { secretName, hosts } = tls;
  if (!secretName || !hosts?.length) return;
  const spec = {
    dnsNames: hosts,
    issuerRef: { group: "cert-manager.io", kind: "ClusterIssuer", name: issuer },
    secretName,
    usages: ["digital signature", "key encipherment"],
  };
  const present = world.store.get(kind, ingress.metadata.namespace, secretName);
  if (!present) {
    const body = { metadata: { name: secretName, ownerReferences: [ownerReference(ingress)] }, spec };
    createObject(world, kind, ingress.metadata.namespace, body, { manager: "cert-manager-certificates-trigger" });
    return;
  }
  changeObject(world, kind, present, "cert-manager-certificates-trigger", (live) => {
    if (JSON.stringify(live.spec.dnsNames) === JSON.stringify(hosts) && live.spec.issuerRef.name === issuer) {
      return null;
    }
    const generation = (live.metadata.generation ?? 1) + 1;
    return { ...live, metadata: { ...live.metadata, generation }, spec };
  });
}
