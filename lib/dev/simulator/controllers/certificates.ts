/** cert-manager: ClusterIssuers become ready; Certificates get their secret and become ready once their issuer is. */
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import { type Json, type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import { DAY } from "#lib/base/time.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject, createObject } from "#lib/dev/simulator/writes.ts";
import { clearOrders, withhold } from "#lib/dev/simulator/controllers/acme.ts";
import { type Controller, withConditions } from "#lib/dev/simulator/controllers/controller.ts";

const VALID = 90 * DAY;
const LOOK = 500; // ms between looks whether a challenge that was withheld goes through by now

export function issuerController(world: World): Controller {
  const kind = world.kinds.of("cert-manager.io/v1", "ClusterIssuer")!;
  return {
    kind,
    reconcile(issuer) {
      const kept = issuer.spec?.acme
        ? { reason: "ACMEAccountRegistered", message: "The ACME account was registered with the ACME server" }
        : { reason: "IsReady", message: "Signing CA verified" };
      const condition = { type: "Ready", status: "True", observedGeneration: issuer.metadata.generation, ...kept };
      changeObject(world, kind, issuer, "cert-manager-clusterissuers", (live) => ({
        ...live,
        status: {
          ...live.status,
          conditions: withConditions(live.status?.conditions, timestamp(world.timers.now()), condition),
        },
      }));
    },
  };
}

export function certificateController(world: World): Controller {
  const kind = world.kinds.of("cert-manager.io/v1", "Certificate")!;
  const issuers = world.kinds.of("cert-manager.io/v1", "ClusterIssuer")!;
  const due = new Map<string, number>();
  return {
    kind,
    also: (change) =>
      change.kind === issuers
        ? world.store.list(kind).filter((each) =>
          each.spec.issuerRef?.name === change.object.metadata.name && !isReady(each)
        )
        : [],
    gone: (certificate) => void due.delete(certificate.metadata.uid),
    reconcile(certificate) {
      if (certificate.metadata.deletionTimestamp !== undefined || isCurrent(world, certificate)) return;
      const issuer = world.store.get(issuers, undefined, certificate.spec.issuerRef?.name ?? "");
      const key = `${certificate.metadata.uid}/${certificate.metadata.generation}`;
      const now = world.timers.now(), at = due.get(key) ?? now + world.delayMs;
      const broken = world.faults.of("uncertified", certificate.metadata.namespace, certificate.metadata.name);
      if (broken) withhold(world, certificate, broken);
      if (broken?.final || hasFailed(certificate)) return; // a failed one is not tried again for an hour
      const ready = issuer !== undefined && isReady(issuer) && !broken;
      if (!ready || now < at) {
        report(world, kind, certificate, "False", "DoesNotExist", "Issuing certificate as Secret does not exist");
        if (!ready) return broken ? LOOK : undefined;
        due.set(key, at);
        return at - now;
      }
      clearOrders(world, certificate);
      issue(world, certificate);
      report(world, kind, certificate, "True", "Ready", "Certificate is up to date and has not expired");
    },
  };
}

function issue(world: World, certificate: KubeObject): void {
  const secrets = world.kinds.of("v1", "Secret")!;
  if (world.store.get(secrets, certificate.metadata.namespace, certificate.spec.secretName)) return;
  const body = {
    metadata: {
      name: certificate.spec.secretName,
      annotations: { "cert-manager.io/certificate-name": certificate.metadata.name },
    },
    type: "kubernetes.io/tls",
    data: { "tls.crt": btoa("simulated certificate\n"), "tls.key": btoa("simulated key\n") },
  };
  createObject(world, secrets, certificate.metadata.namespace, body, { manager: "cert-manager-certificates-issuing" });
}

function report(
  world: World,
  kind: Kind,
  certificate: KubeObject,
  status: string,
  reason: string,
  message: string,
): void {
  const now = world.timers.now();
  const ready = { type: "Ready", status, observedGeneration: certificate.metadata.generation, reason, message };
  changeObject(world, kind, certificate, "cert-manager-certificates-readiness", (live) => {
    const conditions = withConditions(live.status?.conditions, timestamp(now), ready).filter((each) =>
      each.type !== "Issuing"
    );
    if (status === "True") {
      return {
        ...live,
        status: { conditions, notBefore: timestamp(now), notAfter: timestamp(now + VALID), revision: 1 },
      };
    }
    const issuing = {
      type: "Issuing",
      status: "True",
      observedGeneration: certificate.metadata.generation,
      reason,
      message,
    };
    return {
      ...live,
      status: { ...live.status, conditions: withConditions(live.status?.conditions, timestamp(now), ready, issuing) },
    };
  });
}

function isCurrent(world: World, certificate: KubeObject): boolean {
  const secret = world.store.get(
    world.kinds.of("v1", "Secret")!,
    certificate.metadata.namespace,
    certificate.spec.secretName,
  );
  const ready = (certificate.status?.conditions ?? []).find((each: Json) =>
    each.type === "Ready" && each.status === "True"
  );
  return secret !== undefined && ready?.observedGeneration === certificate.metadata.generation;
}

function hasFailed(certificate: KubeObject): boolean {
  return (certificate.status?.conditions ?? []).some((each: Json) =>
    each.type === "Issuing" && each.reason === "Failed"
  );
}

function isReady(object: KubeObject): boolean {
  return (object.status?.conditions ?? []).some((each: Json) => each.type === "Ready" && each.status === "True");
}
