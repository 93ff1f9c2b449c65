import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diagnoseCertificate, hasIssuanceFailed } from "#lib/drivers/cluster/diagnosis/certificate.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { diagnoseObject } from "#lib/drivers/cluster/diagnosis/diagnose.ts";
import { HOUR, MINUTE, SECOND } from "#lib/base/time.ts";
import { assertImpossible, assertWaiting, metadataOf, timestampAt, waitClockAt } from "#test/support/kube/samples.ts";

const test = suite("diagnoseCertificate");

const HOST = "moodle.school.example";
const ISSUING = "Issuing certificate as Secret does not exist";
const certificate = (...conditions: object[]): KubeObject => ({
  apiVersion: "cert-manager.io/v1",
  kind: "Certificate",
  metadata: metadataOf("moodle-tls", { generation: 1 }),
  spec: { dnsNames: [HOST], secretName: "moodle-tls" },
  status: { conditions: [{ type: "Ready", status: "False", reason: "DoesNotExist", message: ISSUING }, ...conditions] },
});
const made = (kind: string, of: string, status: object): KubeObject => ({
  apiVersion: kind === "CertificateRequest" ? "cert-manager.io/v1" : "acme.cert-manager.io/v1",
  kind,
  metadata: metadataOf(kind, { ownerReferences: [{ apiVersion: "x", kind: "x", name: of, uid: `uid-${of}` }] }),
  status,
});
const ready = (reason: string, message: string) => ({
  conditions: [{ type: "Ready", status: "False", reason, message, lastTransitionTime: timestampAt(0) }],
});
const WAITING = ready("Pending", 'Waiting on certificate issuance from order ns/x: "pending"');
const chain = (order: object, challenge?: object): KubeObject[] => [
  made("CertificateRequest", "moodle-tls", WAITING),
  made("Order", "CertificateRequest", order),
  ...(challenge ? [made("Challenge", "Order", challenge)] : []),
];
const pending = (reason: string) => chain({ state: "pending" }, { state: "pending", presented: true, reason });
const errored = (reason: string) => chain({ state: "errored", reason, failureTime: timestampAt(0) });

const SELF = "Waiting for HTTP-01 challenge propagation:";
const GET =
  `failed to perform self check GET request 'http://${HOST}/.well-known/acme-challenge/x': Get "http://${HOST}/":`;
/** Messages while cert-manager waits, and their diagnosis after ten minutes. */
const PENDING: readonly (readonly [says: string, code: string, hint: RegExp])[] = [
  [`${SELF} ${GET} dial tcp: lookup ${HOST} on 10.96.0.10:53: no such host`, "DomainNotFound", /Create a DNS record/],
  [`${SELF} wrong status code '404', expected '200'`, "DomainNotHere", /DNS record of moodle/],
  [`${SELF} ${GET} dial tcp 203.0.113.9:80: connect: connection refused`, "DomainNotHere", /port 80/],
  [
    `${SELF} ${GET} context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    "DomainNotHere",
    /port 80/,
  ],
  ["something that cert-manager has never said before", "CertificateNotIssued", /Orders and Challenges/],
];
for (const [issuerMessage, code, hint] of PENDING) {
  test(`waits ten minutes for a problem that may resolve: ${code}`, () => {
    assertWaiting(
      diagnoseObject(certificate(), [], [], waitClockAt(9 * MINUTE), pending(issuerMessage)),
      /^Waiting for the certificate moodle-tls for /,
    );
    const verdict = diagnoseObject(certificate(), [], [], waitClockAt(10 * MINUTE), pending(issuerMessage));
    assertImpossible(verdict, code, issuerMessage);
    assert.match(verdict.is === "impossible" ? verdict.hint! : "", hint);
  });
}

/** Final decisions of the certificate authority. */
const DECIDED: readonly (readonly [says: string, code: string])[] = [
  [
    "Failed to create Order: 429 urn:ietf:params:acme:error:rateLimited: Error creating new order :: too many failed authorizations recently",
    "CertificateRateLimited",
  ],
  [
    `Error accepting authorization: acme: authorization error for ${HOST}: 400 urn:ietf:params:acme:error:dns: DNS problem: NXDOMAIN looking up A for ${HOST}`,
    "DomainNotFound",
  ],
  [
    `Error accepting authorization: acme: authorization error for ${HOST}: 403 urn:ietf:params:acme:error:unauthorized: 203.0.113.5: Invalid response`,
    "DomainNotHere",
  ],
  [
    `acme: authorization error for ${HOST}: 403 urn:ietf:params:acme:error:caa: CAA record prevents issuance`,
    "CertificateNotIssued",
  ],
  [
    "Failed to create Order: 400 urn:ietf:params:acme:error:rejectedIdentifier: Domain name does not end with a valid public suffix",
    "CertificateNotIssued",
  ],
];
for (const [issuerMessage, code] of DECIDED) {
  test(`fails immediately on a decision of the authority: ${code}`, () => {
    assertImpossible(
      diagnoseObject(certificate(), [], [], waitClockAt(SECOND), errored(issuerMessage)),
      code,
      issuerMessage,
    );
  });
}

test("reports nothing for normal states", () => {
  assert.is(diagnoseCertificate(certificate(), chain({ state: "pending" }), waitClockAt(HOUR)), undefined);
  assertWaiting(
    diagnoseObject(certificate(), [], [], waitClockAt(HOUR), []),
    /Issuing certificate as Secret does not exist/,
  );
});

test("reports a missing issuer", () => {
  const issuerMessage = 'Referenced "ClusterIssuer" not found: clusterissuer.cert-manager.io "wheelwright" not found';
  const requests = [made("CertificateRequest", "moodle-tls", ready("Pending", issuerMessage))];
  assertWaiting(diagnoseObject(certificate(), [], [], waitClockAt(SECOND), requests), /ClusterIssuer" not found/);
  assertImpossible(
    diagnoseObject(certificate(), [], [], waitClockAt(10 * MINUTE), requests),
    "IssuerNotReady",
    issuerMessage,
  );
});

test("uses the certificate's own message if the other objects cannot be read", () => {
  const message =
    'The certificate request has failed to complete and will be retried: order is in "errored" state: 429 ' +
    "urn:ietf:params:acme:error:rateLimited";
  const failed = certificate({
    type: "Issuing",
    status: "False",
    reason: "Failed",
    message,
    lastTransitionTime: timestampAt(0),
  });
  assertImpossible(diagnoseObject(failed, [], [], waitClockAt(SECOND)), "CertificateRateLimited", message);
  assert.is(hasIssuanceFailed(failed), true);
  assert.is(hasIssuanceFailed(certificate({ type: "Issuing", status: "True", reason: "DoesNotExist" })), false);
});

test("waits for a new decision if the last one is from before a retry", () => {
  const orders = errored("429 rateLimited");
  assertWaiting(diagnoseObject(certificate(), [], [], waitClockAt(HOUR + SECOND, HOUR), orders), /rateLimited/);
});

test("ignores objects of other certificates", () => {
  const others = [made("CertificateRequest", "other", ready("Failed", "no luck"))];
  assert.is(diagnoseCertificate(certificate(), others, waitClockAt(HOUR)), undefined);
});

test.run();
