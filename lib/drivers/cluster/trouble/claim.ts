/** What keeps a volume claim from being bound, read from its events. Pure. */
import { eventsOf, firstSeen, latestOf } from "#lib/drivers/cluster/trouble/belongs.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import {
  type Clock,
  type Diagnosis,
  impossible,
  isFreshEvent,
  until,
  waiting,
} from "#lib/drivers/cluster/trouble/verdict.ts";

export const CLAIM = "PersistentVolumeClaim";

export function isOfClaim(event: KubeObject): boolean {
  return event["involvedObject"]?.kind === CLAIM;
}

/**
 * Events outlive what they tell of by an hour. Those of a claim that is bound, or of one of the same name that lived
 * before it, say nothing of the present.
 */
export function withoutSettledClaims(events: readonly KubeObject[], claims: readonly KubeObject[]): KubeObject[] {
  const pending = claims.filter((claim) => claim["status"]?.phase !== "Bound");
  const theirs = new Set(pending.flatMap((claim) => eventsOf(claim, events)));
  return events.filter((event) => !isOfClaim(event) || theirs.has(event));
}

export function claimTrouble(name: string, events: readonly KubeObject[], clock: Clock): Diagnosis | undefined {
  const event = latest(name, events);
  const message = String(event?.["message"] ?? "");
  const sentence = `No volume can be made for claim ${name}: ${message}`;
  switch (event?.["reason"]) {
    case "ProvisioningFailed": {
      // No such class stays so until somebody makes it; what a driver reports, it tries again.
      const [, missing] = /storageclass\S* "([^"]*)" not found/.exec(message) ?? [];
      if (missing === undefined) return driverTrouble(event, sentence, clock);
      if (!isFreshEvent(event, clock)) return waiting(sentence);
      const hint = `Make the storage class ${missing}, or name another in surroundings.yaml or the region (CATALOG).`;
      return impossible("ProvisioningFailed", sentence, "operator", hint);
    }
    case "FailedBinding":
      return until(
        firstSeen(event) + clock.patience.unschedulableMs,
        clock,
        sentence,
        impossible(
          "FailedBinding",
          sentence,
          "operator",
          "Make a storage class the cluster's default, or name one in surroundings.yaml or the region (CATALOG).",
        ),
      );
    case "ExternalProvisioning":
      return waiting(`Waiting for the volume of claim ${name}: ${message}`);
    default:
      return undefined;
  }
}

function driverTrouble(event: KubeObject, sentence: string, clock: Clock): Diagnosis {
  const [, storageClass] = /StorageClass "([^"]+)"/.exec(sentence) ?? [];
  const whose = storageClass ? `of the storage class ${storageClass}` : "of the storage class";
  const hint = `See what the storage driver ${whose} says, and its capacity and credentials; then retry.`;
  const moment = Math.max(firstSeen(event), clock.since) + clock.patience.volumeMs;
  return until(moment, clock, sentence, impossible("ProvisioningFailed", sentence, "operator", hint));
}

/** A claim that waits for its first consumer is bound by the pod that comes next: to wait for it would be for ever. */
export function waitsForConsumer(name: string, events: readonly KubeObject[]): boolean {
  return latest(name, events)?.["reason"] === "WaitForFirstConsumer";
}

function latest(name: string, events: readonly KubeObject[]): KubeObject | undefined {
  const about = events.filter((event) => isOfClaim(event) && event["involvedObject"]?.name === name);
  return latestOf(about);
}
