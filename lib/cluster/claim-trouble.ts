/** What keeps a volume claim from being bound, read from its events. Pure. */
import { firstSeen, lastSeen } from "#lib/cluster/belongs.ts";
import type { KubeObject } from "#lib/cluster/cluster.ts";
import { type Clock, impossible, isFreshEvent, until, type Verdict, waiting } from "#lib/cluster/verdict.ts";

export function claimTrouble(name: string, events: readonly KubeObject[], clock: Clock): Verdict | undefined {
  const event = latest(name, events);
  const message = String(event?.["message"] ?? "");
  if (event?.["reason"] === "ProvisioningFailed") {
    // No such class stays so until somebody makes it; what a driver reports, it tries again.
    if (/storageclass\S* "[^"]*" not found/.test(message) && isFreshEvent(event, clock)) {
      const hint = "Make that storage class, or name another in the blueprint or catalogue.";
      return impossible("ProvisioningFailed", message, "operator", hint);
    }
    return waiting(`Volume claim ${name} cannot be provisioned: ${message}`);
  }
  if (event?.["reason"] === "FailedBinding") {
    return until(
      firstSeen(event) + clock.patience.unschedulableMs,
      clock,
      `Volume claim ${name} is not bound: ${message}`,
      impossible("FailedBinding", message, "operator", "Make a storage class the default one, or name one."),
    );
  }
  return undefined;
}

/** A claim that waits for its first consumer is bound by the pod that comes next: to wait for it would be for ever. */
export function waitsForConsumer(name: string, events: readonly KubeObject[]): boolean {
  return latest(name, events)?.["reason"] === "WaitForFirstConsumer";
}

function latest(name: string, events: readonly KubeObject[]): KubeObject | undefined {
  const about = events.filter((event) =>
    event["involvedObject"]?.kind === "PersistentVolumeClaim" && event["involvedObject"]?.name === name
  );
  return about.toSorted((a, b) => lastSeen(a) - lastSeen(b)).at(-1);
}
