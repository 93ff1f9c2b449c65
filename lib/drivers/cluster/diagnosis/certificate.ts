/**
 * Explains why a certificate was not issued, based on the Certificate and the objects that cert-manager created for it.
 * Errors in a Challenge take precedence over errors in an Order, and those over errors in a CertificateRequest.
 */
import { createdAt, findStatusCondition, parseKubeTimestamp } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import {
  createDiagnosisWithDeadline,
  createPermanentDiagnosis,
  createWaitingDiagnosis,
  type Diagnosis,
  mayBeCurrentMessage,
  type WaitClock,
} from "#lib/drivers/cluster/diagnosis/diagnosis.ts";

interface IssuanceError {
  readonly text: string;
  /** Whether the failure is final: the certificate authority refused, or cert-manager will not retry for an hour. */
  readonly final: boolean;
  /** The time of the error in milliseconds since 1970, if known. */
  readonly at: number | undefined;
}

export function diagnoseCertificate(
  certificate: KubeObject,
  orders: readonly KubeObject[],
  clock: WaitClock,
): Diagnosis | undefined {
  const name = certificate.metadata.name;
  const issuanceError = findIssuanceError(certificate, findOwnedOrders(certificate, orders));
  if (!issuanceError) return undefined;
  const hosts: string[] = certificate["spec"]?.dnsNames ?? [];
  const forHosts = hosts.length ? ` for ${hosts.join(", ")}` : "";
  const [, code, ...texts] = CAUSES.find(([pattern]) => pattern.test(issuanceError.text))!;
  const [why, hint] = texts.map((text) => text.replaceAll("HOST", hosts[0] ?? "the site"));
  const sentence = `No certificate was issued${forHosts} because ${why}: ${issuanceError.text}`;
  if (issuanceError.final && issuanceError.at !== undefined && !mayBeCurrentMessage(issuanceError.at, clock)) {
    return createWaitingDiagnosis(sentence);
  }
  const failure = createPermanentDiagnosis(code, sentence, "operator", hint);
  if (issuanceError.final) return failure;
  const since = Math.max(createdAt(certificate), clock.since);
  return createDiagnosisWithDeadline(
    since + clock.patience.certificateMs,
    clock,
    `Waiting for the certificate ${name}${forHosts}: ${issuanceError.text}`,
    failure,
  );
}

/** Whether issuing the certificate has failed. After a failure, cert-manager waits at least an hour to retry. */
export function hasIssuanceFailed(certificate: KubeObject): boolean {
  const issuing = findStatusCondition(certificate, "Issuing");
  return issuing?.status === "False" && issuing.reason === "Failed";
}

/**
 * Returns the CertificateRequests, Orders and Challenges that belong to this certificate, newest first. A
 * CertificateRequest owns an Order, and an Order owns Challenges.
 */
function findOwnedOrders(certificate: KubeObject, orders: readonly KubeObject[]): KubeObject[] {
  const ownedObjects = new Set([certificate.metadata.uid]);
  // Finds all owned objects in one pass, because `orders` lists requests before orders and orders before challenges.
  const all = orders.filter(({ metadata }) => {
    const own = metadata.ownerReferences?.some(({ uid }) => ownedObjects.has(uid)) ?? false;
    if (own) ownedObjects.add(metadata.uid);
    return own;
  });
  return all.toSorted((a, b) => createdAt(b) - createdAt(a));
}

function findIssuanceError(certificate: KubeObject, ownedObjects: readonly KubeObject[]): IssuanceError | undefined {
  for (const kind of ["Challenge", "Order"]) {
    for (const { status } of ownedObjects.filter((each) => each.kind === kind)) {
      const final = ["invalid", "errored", "expired"].includes(status?.state);
      if (status?.reason && status.state !== "valid") {
        return { text: String(status.reason), final, at: parseKubeTimestamp(status.failureTime) };
      }
    }
  }
  for (const request of ownedObjects.filter((each) => each.kind === "CertificateRequest")) {
    const denied = findStatusCondition(request, "Denied"), ready = findStatusCondition(request, "Ready");
    const at = parseKubeTimestamp(ready?.lastTransitionTime);
    if (denied?.status === "True") return { text: denied.message ?? "the request was denied", final: true, at };
    // Ignores "Waiting on certificate issuance from order …", because that message does not show a problem.
    if (ready?.message && ready.status !== "True" && !/Waiting on certificate issuance/.test(ready.message)) {
      return { text: ready.message, final: ready.reason === "Failed", at };
    }
  }
  const issuing = findStatusCondition(certificate, "Issuing");
  if (!hasIssuanceFailed(certificate) || !issuing?.message) return undefined;
  return { text: issuing.message, final: true, at: parseKubeTimestamp(issuing.lastTransitionTime) };
}

/** Patterns for error messages with known causes. The first match counts. HOST stands for the site's host name. */
const CAUSES: readonly (readonly [words: RegExp, code: string, why: string, hint: string])[] = [
  [
    /rateLimited|too many (certificates|failed authorizations|new orders|requests)/i,
    "CertificateRateLimited",
    "the certificate authority's rate limit was reached",
    "Wait until the rate limit resets, then retry. Limits apply per domain and week.",
  ],
  [
    /caa\b|urn:ietf:params:acme:error:caa/i,
    "CertificateNotIssued",
    "the domain's CAA record does not allow this certificate authority",
    "Allow the certificate authority in the CAA records of HOST, then retry.",
  ],
  [
    /no such host|NXDOMAIN|error:dns\b|SERVFAIL|no valid (A|AAAA|IP)/i,
    "DomainNotFound",
    "the domain HOST has no address",
    "Create a DNS record for HOST that points to the cluster's ingress controller, then retry.",
  ],
  [
    /self check|error:(connection|unauthorized|tls)\b|wrong status code|did not match expected/i,
    "DomainNotHere",
    "HOST does not point to this cluster",
    "Point the DNS record of HOST to the cluster's ingress controller, open port 80, then retry.",
  ],
  [
    /rejectedIdentifier|forbidden by policy|not end with a (valid )?public suffix/i,
    "CertificateNotIssued",
    "the certificate authority does not issue certificates for HOST",
    "Choose another domain. The certificate authority refuses this domain.",
  ],
  [
    /Referenced .*(not found|does not have a Ready)/i,
    "IssuerNotReady",
    "the certificate's issuer is not ready",
    "Check the conditions of the ClusterIssuer and the setting ACME_EMAIL, then retry.",
  ],
  [
    /(?:)/,
    "CertificateNotIssued",
    "cert-manager could not obtain a certificate",
    "Check the Orders and Challenges in the namespace and cert-manager's log, then retry.",
  ],
];
