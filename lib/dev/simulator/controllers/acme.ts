/**
 * What cert-manager makes on the way to a certificate, where a fault withholds it: a request, its order, and the
 * challenge whose reason says what is wrong, each owned by the one before.
 *
 * Where the authority has decided, the challenge is gone and the certificate says that it has failed; cert-manager then
 * tries nothing for an hour. A certificate that comes through leaves none of this behind here.
 */
import { type Json, type KubeObject, timestamp } from "#lib/dev/simulator/object.ts";
import { say } from "#lib/dev/simulator/events.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject, createObject } from "#lib/dev/simulator/writes.ts";
import { ownerReference, withConditions } from "#lib/dev/simulator/controllers/controller.ts";

const CHAIN = [
  ["cert-manager.io/v1", "CertificateRequest", "1"],
  ["acme.cert-manager.io/v1", "Order", "1-1"],
  ["acme.cert-manager.io/v1", "Challenge", "1-1-1"],
] as const;

interface Withheld {
  readonly message: string;
  readonly final?: boolean;
}

export function withhold(world: World, certificate: KubeObject, { message, final = false }: Withheld): void {
  const at = timestamp(world.timers.now());
  let owner = certificate;
  for (const [apiVersion, name, suffix] of CHAIN) {
    if (final && name === "Challenge") remove(world, certificate, name);
    else {
      const made = make(world, apiVersion, name, `${certificate.metadata.name}-${suffix}`, owner);
      owner = changeObject(world, world.kinds.of(apiVersion, name)!, made, "cert-manager", (live) => ({
        ...live,
        status: statusOf(live, { message, final }, at),
      })) ?? made;
    }
  }
  if (final) giveUp(world, certificate, `order is in "errored" state: ${message}`, at);
}

export function clearOrders(world: World, certificate: KubeObject): void {
  for (const [, name] of CHAIN.toReversed()) remove(world, certificate, name);
}

function make(world: World, apiVersion: string, name: string, called: string, owner: KubeObject): KubeObject {
  const kind = world.kinds.of(apiVersion, name)!, namespace = owner.metadata.namespace;
  const body = { metadata: { name: called, ownerReferences: [ownerReference(owner)] }, spec: {} };
  return world.store.get(kind, namespace, called) ??
    createObject(world, kind, namespace, body, { manager: "cert-manager" });
}

function statusOf(live: KubeObject, { message, final }: Withheld, at: string): Json {
  if (live.kind === "Challenge") return { presented: true, processing: true, reason: message, state: "pending" };
  if (live.kind === "Order") {
    return final ? { state: "errored", reason: message, failureTime: live.status?.failureTime ?? at } : {
      state: "pending",
    };
  }
  const ready = final
    ? { reason: "Failed", message: `Failed to wait for order resource to become ready: ${message}` }
    : { reason: "Pending", message: 'Waiting on certificate issuance from order: "pending"' };
  return {
    ...live.status,
    conditions: withConditions(live.status?.conditions, at, { type: "Ready", status: "False", ...ready }),
  };
}

function giveUp(world: World, certificate: KubeObject, why: string, at: string): void {
  const kind = world.kinds.of("cert-manager.io/v1", "Certificate")!;
  const message = `The certificate request has failed to complete and will be retried: ${why}`;
  const issuing = { type: "Issuing", status: "False", reason: "Failed", message };
  const ready = {
    type: "Ready",
    status: "False",
    reason: "DoesNotExist",
    message: "Issuing certificate as Secret does not exist",
  };
  const before = certificate.status?.lastFailureTime;
  changeObject(world, kind, certificate, "cert-manager-certificates-issuing", (live) => ({
    ...live,
    status: {
      ...live.status,
      conditions: withConditions(live.status?.conditions, at, ready, issuing),
      failedIssuanceAttempts: 1,
      lastFailureTime: live.status?.lastFailureTime ?? at,
    },
  }));
  if (before === undefined) {
    say(world, certificate, { type: "Warning", reason: "Failed", message, by: "cert-manager-certificates-issuing" });
  }
}

function remove(world: World, certificate: KubeObject, name: string): void {
  const [apiVersion, , suffix] = CHAIN.find((each) => each[1] === name)!;
  const kind = world.kinds.of(apiVersion, name)!;
  const found = world.store.get(kind, certificate.metadata.namespace, `${certificate.metadata.name}-${suffix}`);
  if (found) world.store.remove(kind, found);
}
