/** Decides what a rollout does next. These functions are pure: they neither read nor write the database. */
import type { RolloutSpokeState, RolloutWindow } from "#lib/model/rollout.ts";
import type { RolloutState, SpokeState } from "#lib/model/states.ts";
import type { JobState } from "#lib/jobs/job.ts";
import { findNextOpening, isWindowOpen } from "#lib/domains/rollouts/window.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

/** How long a spoke may take to become healthy after its operation, in milliseconds. */
export const HEALTH_LIMIT = 15 * MINUTE;
/** Milliseconds between two looks at spokes that must become healthy, and at a closed window. */
const LOOK_INTERVAL = 5 * SECOND, WINDOW_INTERVAL = MINUTE;

export interface RolloutRules {
  readonly state: RolloutState;
  readonly canaryMinutes: number;
  readonly maxUnavailable: number;
  readonly maxFailures: number;
  readonly timeWindow: RolloutWindow | null;
}

/** A spoke in a rollout. */
export interface RolloutSpoke {
  readonly spokeId: string;
  readonly cluster: string;
  readonly wave: number | null;
  readonly state: RolloutSpokeState;
  readonly operationId: string | null;
  readonly endedAt: Date | null;
}

/** A spoke in a rollout, with the current state of its site and of its operation. */
export interface ObservedRolloutSpoke extends RolloutSpoke {
  readonly spokeState: SpokeState;
  readonly health: "healthy" | "degraded" | "unknown";
  /** When the site's health was last checked. */
  readonly observedAt: Date | null;
  /** Null if there is no operation, or if it was deleted because it is old. */
  readonly operation:
    | { readonly state: JobState; readonly finishedAt: Date | null; readonly message: string | null }
    | null;
}

/** The new state of a spoke in a rollout. */
export interface RolloutSpokeChange {
  readonly spokeId: string;
  readonly state: RolloutSpokeState;
  readonly reason: string | null;
  readonly endedAt: Date | null;
}

/** The next step of a rollout. `note` is a sentence for users about what the rollout waits for. */
export type RolloutStep =
  | { readonly kind: "start"; readonly spokeIds: readonly string[] }
  | { readonly kind: "await"; readonly operationId: string; readonly note: string }
  | { readonly kind: "wait"; readonly milliseconds: number; readonly note: string }
  | { readonly kind: "pause"; readonly reason: string }
  | { readonly kind: "complete" }
  | { readonly kind: "stop" };

/** Returns the new state of a spoke if it has changed, otherwise null. */
export function settleSpoke(
  spoke: ObservedRolloutSpoke,
  { canaryMinutes, now }: { readonly canaryMinutes: number; readonly now: Date },
): RolloutSpokeChange | null {
  const { spokeId, state, operation, health, observedAt } = spoke;
  const change = (next: RolloutSpokeState, reason: string | null, endedAt: Date | null = spoke.endedAt) => ({
    spokeId,
    state: next,
    reason,
    endedAt,
  });
  if (state === "running") {
    if (operation === null) return change("failed", "The operation no longer exists", now);
    if (operation.state === "succeeded") return change("checking", null, operation.finishedAt);
    if (operation.state === "failed") return change("failed", operation.message, operation.finishedAt);
    return operation.state === "cancelled"
      ? change("failed", "The operation was cancelled", operation.finishedAt)
      : null;
  }
  const endedAt = spoke.endedAt?.getTime() ?? 0;
  if (state === "checking") {
    // Nobody checks the health of a site that is not active, for example after a user has suspended it.
    if (spoke.spokeState !== "active" && spoke.spokeState !== "updating") return change("succeeded", null);
    if (health === "healthy" && observedAt !== null && observedAt.getTime() > endedAt) return change("succeeded", null);
    const minutes = HEALTH_LIMIT / MINUTE, reason = `The site was not healthy within ${minutes} minutes`;
    return now.getTime() > endedAt + HEALTH_LIMIT ? change("failed", reason) : null;
  }
  const isWatched = state === "succeeded" && spoke.wave === 0 && now.getTime() <= endedAt + canaryMinutes * MINUTE;
  return isWatched && health === "degraded" ? change("failed", "The site became degraded while it was watched") : null;
}

/** Decides the next step of a rollout, from its spokes in the order in which they are changed. */
export function decideRolloutStep(rules: RolloutRules, spokes: readonly RolloutSpoke[], now: Date): RolloutStep {
  const inState = (...states: RolloutSpokeState[]) => spokes.filter(({ state }) => states.includes(state));
  const waiting = inState("waiting"), active = inState("running", "checking"), failed = inState("failed").length;
  const waitForActive = (): RolloutStep => {
    const [running] = active.filter(({ state }) => state === "running");
    const note = `Waiting for ${active.length} of ${spokes.length} spokes`;
    return running?.operationId
      ? { kind: "await", operationId: running.operationId, note }
      : { kind: "wait", milliseconds: LOOK_INTERVAL, note: `${note} to become healthy` };
  };
  if (rules.state !== "running") return active.length > 0 ? waitForActive() : { kind: "stop" };
  if (failed >= rules.maxFailures) return { kind: "pause", reason: formatFailures(failed) };
  if (waiting.length + active.length === 0) {
    const left = canaryTimeLeft(rules, spokes, now);
    return left > 0 ? watchCanary(left) : { kind: "complete" };
  }
  const wave = Math.min(...[...waiting, ...active].map((each) => each.wave ?? 0));
  const due = waiting.filter((each) => each.wave === wave);
  if (due.length === 0) return waitForActive();
  if (wave > 0) {
    const left = canaryTimeLeft(rules, spokes, now);
    if (left > 0) return watchCanary(left);
  }
  if (rules.timeWindow && !isWindowOpen(rules.timeWindow, now)) {
    if (active.length > 0) return waitForActive();
    const next = findNextOpening(rules.timeWindow, now);
    const note = `Waiting for the time window, which opens at ${next?.toISOString() ?? "no time"}`;
    return { kind: "wait", milliseconds: WINDOW_INTERVAL, note };
  }
  const free = listFree(due, active, rules.maxUnavailable);
  return free.length > 0 ? { kind: "start", spokeIds: free } : waitForActive();
}

/** Returns the spokes that can start now, so that no cluster has more than `limit` unavailable spokes. */
function listFree(due: readonly RolloutSpoke[], active: readonly RolloutSpoke[], limit: number): string[] {
  const counts = new Map<string, number>();
  const count = (cluster: string) => {
    const next = (counts.get(cluster) ?? 0) + 1;
    counts.set(cluster, next);
    return next;
  };
  for (const { cluster } of active) count(cluster);
  return due.filter(({ cluster }) => count(cluster) <= limit).map(({ spokeId }) => spokeId);
}

/** Returns the milliseconds for which the canary must still be watched. */
function canaryTimeLeft({ canaryMinutes }: RolloutRules, spokes: readonly RolloutSpoke[], now: Date): number {
  const ends = spokes.filter(({ wave }) => wave === 0).map(({ endedAt }) => endedAt?.getTime() ?? 0);
  return ends.length === 0 ? 0 : Math.max(...ends) + canaryMinutes * MINUTE - now.getTime();
}

function watchCanary(left: number): RolloutStep {
  const minutes = Math.ceil(left / MINUTE);
  const note = `Watching the first spokes for another ${minutes === 1 ? "minute" : `${minutes} minutes`}`;
  return { kind: "wait", milliseconds: Math.min(left, WINDOW_INTERVAL), note };
}

function formatFailures(count: number): string {
  return count === 1 ? "One spoke failed" : `${count} spokes failed`;
}
