/**
 * Checks which requests each state of a hub allows.
 *
 *                      retry
 *               +------------------+
 *               v                  |
 *   (new) -> provisioning ----> failed
 *               |
 *               +----> active
 *
 *   and from each of these states, if the hub has no spokes: removing -> removed
 *
 * Spokes can be added while the hub is provisioning, active or failed. Spokes are installed one after another.
 */
import { Fault } from "#lib/base/errors.ts";
import type { HubState } from "#lib/model/states.ts";
import { HUB_OPERATIONS } from "#lib/operations/table.ts";
import { buildHubLane, type NewJob } from "#lib/jobs/job.ts";

export const FEDERATION_ACTIONS = ["retry"] as const;

/** Throws a `conflict` fault (`federation_state`) unless the hub's state is `failed`. */
export function requireFailedHub(state: HubState): void {
  if (state === "failed") return;
  const reason = state === "provisioning" ? "wait until it is active or failed" : "only a failed hub can be retried";
  throw new Fault("conflict", "federation_state", `Cannot retry a hub that is ${state}; ${reason}`);
}

/** Throws a `conflict` fault (`federation_not_empty`) if the hub has spokes. Spokes being removed also count. */
export function requireNoSpokes(slug: string, spokes: number): void {
  if (spokes === 0) return;
  const count = spokes === 1 ? "a spoke" : `${spokes} spokes`;
  const message = `Cannot remove the hub ${slug} while it has ${count}; remove all its spokes first`;
  throw new Fault("conflict", "federation_not_empty", message);
}

/**
 * Throws a `conflict` fault (`federation_state`) if the hub is being removed or was removed. `blocker` is a verb phrase
 * that names the refused change in the error message, for example `add a spoke to`.
 */
export function requireLiveHub(state: HubState, blocker: string): void {
  if (state !== "removing" && state !== "removed") return;
  const message = `Cannot ${blocker} a hub that is ${state}; the hub must be provisioning, active or failed`;
  throw new Fault("conflict", "federation_state", message);
}

/** Creates a job for an operation on a hub. It runs in the hub's lane (queue), as do the installs of its spokes. */
export function createHubJob(federationId: string, kind: keyof typeof HUB_OPERATIONS): NewJob {
  return { kind: HUB_OPERATIONS[kind].kind, lane: buildHubLane(federationId), federationId, spokeId: null };
}
