/**
 * Simulates cert-manager: marks ClusterIssuers as ready and creates a Secret for each Certificate whose issuer is
 * ready. While a fault withholds a certificate, its CertificateRequest, Order and Challenge stay in the cluster.
 */
import { DAY } from "#lib/base/time.ts";
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  createManagedObject,
  createOwnerReference,
  findCondition,
  isConditionTrue,
  mergeConditions,
  recordKubernetesEvent,
} from "#lib/dev/simulator/controllers/objects.ts";
import { formatTimestamp, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const VALIDITY = 90 * DAY;
const CHECK_INTERVAL = 500; // ms between checks whether a withheld certificate can be issued
const ISSUING = "cert-manager-certificates-issuing";
const ABSENT = { reason: "DoesNotExist", message: "Issuing certificate as Secret does not exist" };
const CHAIN = [["CertificateRequest", "1"], ["Order", "1-1"], ["Challenge", "1-1-1"]] as const;

export function clusterIssuerController(world: Simulation): Controller {
  return {
    kind: "ClusterIssuer",
    reconcile(issuer) {
      const reasonAndMessage = issuer.spec?.acme
        ? { reason: "ACMEAccountRegistered", message: "The ACME account was registered with the ACME server" }
        : { reason: "IsReady", message: "Signing CA verified" };
      const ready = {
        type: "Ready",
        status: "True",
        observedGeneration: issuer.metadata.generation,
        ...reasonAndMessage,
      };
      changeObjectStatus(world, issuer, "cert-manager-clusterissuers", (status) => ({
        ...status,
        conditions: mergeConditions(status.conditions, world.timers.stamp(), ready),
      }));
    },
  };
}

export function certificateController(world: Simulation): Controller {
  return {
    kind: "Certificate",
    also: ({ object: { kind, metadata } }) =>
      kind === "ClusterIssuer"
        ? world.store.list("Certificate").filter((each) =>
          each.spec.issuerRef?.name === metadata.name && !isConditionTrue(each, "Ready")
        )
        : [],
    reconcile(certificate, memory) {
      if (isCurrent(world, certificate)) return;
      const { namespace, name, generation } = certificate.metadata;
      const issuer = world.store.get("ClusterIssuer", undefined, certificate.spec.issuerRef?.name ?? "");
      const broken = world.faults.find("uncertified", namespace, name);
      if (broken) withholdCertificate(world, certificate, broken);
      // Never retries a failed certificate. The real cert-manager waits for an hour before it retries.
      if (broken?.final || findCondition(certificate, "Issuing")?.reason === "Failed") return;
      const ready = issuer !== undefined && isConditionTrue(issuer, "Ready") && !broken;
      const left = ready ? memory.left(certificate, world.delays.certificate, String(generation)) : 0;
      if (!ready || left > 0) {
        report(world, certificate, null);
        return left > 0 ? left : broken ? CHECK_INTERVAL : undefined;
      }
      for (const [kind] of CHAIN.toReversed()) removeLink(world, certificate, kind);
      issue(world, certificate);
      report(world, certificate, { reason: "Ready", message: "Certificate is up to date and has not expired" });
    },
  };
}

function isCurrent(world: Simulation, certificate: StoredObject): boolean {
  const { metadata: { namespace, generation }, spec } = certificate, ready = findCondition(certificate, "Ready");
  return world.store.get("Secret", namespace, spec.secretName) !== undefined && ready?.status === "True" &&
    ready.observedGeneration === generation;
}

function issue(world: Simulation, { metadata: { name, namespace }, spec }: StoredObject): void {
  if (world.store.get("Secret", namespace, spec.secretName)) return;
  const annotations = { "cert-manager.io/certificate-name": name };
  createManagedObject(world, ISSUING, {
    kind: "Secret",
    metadata: { name: spec.secretName, namespace, annotations },
    type: "kubernetes.io/tls",
    data: { "tls.crt": btoa("simulated certificate\n"), "tls.key": btoa("simulated key\n") },
  });
}

/** Writes the Certificate's Ready and Issuing conditions. `issued` is null until the certificate is issued. */
function report(world: Simulation, certificate: StoredObject, issued: Json): void {
  const now = world.timers.now(), observedGeneration = certificate.metadata.generation;
  const condition = (type: string, status: string) => ({ type, status, observedGeneration, ...issued ?? ABSENT });
  changeObjectStatus(world, certificate, "cert-manager-certificates-readiness", (status) => {
    const conditions = mergeConditions(
      status.conditions,
      formatTimestamp(now),
      condition("Ready", issued ? "True" : "False"),
    );
    if (!issued) {
      return { ...status, conditions: mergeConditions(conditions, formatTimestamp(now), condition("Issuing", "True")) };
    }
    const others = conditions.filter(({ type }) => type !== "Issuing");
    return {
      conditions: others,
      notBefore: formatTimestamp(now),
      notAfter: formatTimestamp(now + VALIDITY),
      revision: 1,
    };
  });
}

interface CertificateFault {
  readonly message: string;
  readonly final?: boolean;
}

function withholdCertificate(
  world: Simulation,
  certificate: StoredObject,
  { message, final = false }: CertificateFault,
): void {
  const at = world.timers.stamp();
  let owner = certificate;
  for (const [kind, suffix] of CHAIN) {
    if (final && kind === "Challenge") {
      removeLink(world, certificate, kind);
      continue;
    }
    const { namespace } = owner.metadata, name = `${certificate.metadata.name}-${suffix}`;
    const metadata = { name, namespace, ownerReferences: [createOwnerReference(owner)] };
    const link = world.store.get(kind, namespace, name) ??
      createManagedObject(world, "cert-manager", { kind, metadata, spec: {} });
    owner = changeObjectStatus(world, link, "cert-manager", (status) =>
      statusOf(kind, status, { message, final }, at)) ??
      link;
  }
  if (final) failCertificate(world, certificate, `order is in "errored" state: ${message}`, at);
}

function statusOf(kind: string, status: Json, { message, final }: CertificateFault, at: string): Json {
  if (kind === "Challenge") return { presented: true, processing: true, reason: message, state: "pending" };
  if (kind === "Order") {
    if (!final) return { state: "pending" };
    return { state: "errored", reason: message, failureTime: status.failureTime ?? at };
  }
  const ready = final
    ? { reason: "Failed", message: `Failed to wait for order resource to become ready: ${message}` }
    : { reason: "Pending", message: 'Waiting on certificate issuance from order: "pending"' };
  const conditions = mergeConditions(status.conditions, at, { type: "Ready", status: "False", ...ready });
  return { ...status, conditions };
}

function failCertificate(world: Simulation, certificate: StoredObject, why: string, at: string): void {
  const message = `The certificate request has failed to complete and will be retried: ${why}`;
  const ready = { type: "Ready", status: "False", ...ABSENT };
  const issuing = { type: "Issuing", status: "False", reason: "Failed", message };
  changeObjectStatus(world, certificate, ISSUING, (status) => ({
    ...status,
    conditions: mergeConditions(status.conditions, at, ready, issuing),
    failedIssuanceAttempts: 1,
    lastFailureTime: status.lastFailureTime ?? at,
  }));
  if (certificate.status?.lastFailureTime === undefined) {
    recordKubernetesEvent(world, certificate, { by: ISSUING, warning: "Failed", message });
  }
}

function removeLink(world: Simulation, { metadata: { name, namespace } }: StoredObject, kind: string): void {
  const suffix = CHAIN.find(([each]) => each === kind)![1];
  const found = world.store.get(kind, namespace, `${name}-${suffix}`);
  if (found) world.store.remove(found);
}
