/** Simulates the ingress controller and cert-manager's ingress-shim, which creates Certificates for Ingresses. */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  createManagedObject,
  createOwnerReference,
  listOwnedObjects,
  listOwners,
} from "#lib/dev/simulator/controllers/objects.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

const ADDRESS = "203.0.113.10"; // from a range reserved for documentation (RFC 5737)
const ISSUER = "cert-manager.io/cluster-issuer";
const SHIM = "cert-manager-certificates-trigger";

export function ingressController(world: Simulation): Controller {
  return {
    kind: "Ingress",
    // Reconciles the Ingress when its Certificate is deleted, so that the Certificate is created again.
    also: ({ type, object }) =>
      object.kind === "Certificate" && type === "DELETED" ? listOwners(world, "Ingress", object) : [],
    reconcile(ingress, memory) {
      const { spec, status, metadata } = ingress, issuer = metadata.annotations?.[ISSUER];
      if (issuer !== undefined) { for (const tls of spec.tls ?? []) applyCertificate(world, ingress, issuer, tls); }
      dropCertificates(world, ingress);
      if (status?.loadBalancer?.ingress) return;
      // Ignores an Ingress whose IngressClass does not exist. On a real cluster, no controller would handle it either.
      if (!world.store.get("IngressClass", undefined, spec.ingressClassName ?? "")) return;
      const left = memory.left(ingress, world.delays.address);
      if (left > 0) return left;
      changeObjectStatus(
        world,
        ingress,
        "nginx-ingress-controller",
        () => ({ loadBalancer: { ingress: [{ ip: ADDRESS }] } }),
      );
    },
  };
}

/** Deletes Certificates that the Ingress no longer lists, as ingress-shim does. Their Secrets remain. */
function dropCertificates(world: Simulation, ingress: StoredObject): void {
  const named = (ingress.spec.tls ?? []).map(({ secretName }: Json) => secretName);
  for (const certificate of listOwnedObjects(world, "Certificate", ingress)) {
    if (!named.includes(certificate.spec.secretName)) world.store.remove(certificate);
  }
}

/** Creates or updates the Certificate for one TLS entry in the Ingress, as ingress-shim does. */
function applyCertificate(world: Simulation, ingress: StoredObject, issuer: string, { secretName, hosts }: Json): void {
  if (!secretName || !hosts?.length) return;
  const { namespace } = ingress.metadata;
  const spec = {
    dnsNames: hosts,
    issuerRef: { group: "cert-manager.io", kind: "ClusterIssuer", name: issuer },
    secretName,
    usages: ["digital signature", "key encipherment"],
  };
  const present = world.store.get("Certificate", namespace, secretName);
  if (!present) {
    const metadata = { name: secretName, namespace, ownerReferences: [createOwnerReference(ingress)] };
    return void createManagedObject(world, SHIM, { kind: "Certificate", metadata, spec });
  }
  changeObject(world, present, SHIM, (live) => {
    if (JSON.stringify(live.spec.dnsNames) === JSON.stringify(hosts) && live.spec.issuerRef.name === issuer) {
      return null;
    }
    const generation = (live.metadata.generation ?? 1) + 1;
    return { ...live, metadata: { ...live.metadata, generation }, spec };
  });
}
