/**
 * Decides how a minute of a spoke counts. A contract can refer to this definition, which docs/operating.md states for
 * customers. Pure.
 */
import type { PageResult } from "#lib/domains/availability/login-page.ts";
import type { HealthState, SpokeState } from "#lib/model/states.ts";

export const MINUTE_KINDS = ["up", "down", "planned", "unknown"] as const;
export type MinuteKind = (typeof MINUTE_KINDS)[number];
export type MinuteCounts = Readonly<Record<MinuteKind, number>>;

/** The parts of a spoke that decide how its minutes count. */
export interface MeasuredSpoke {
  readonly state: SpokeState;
  readonly maintenance: boolean;
  readonly health: HealthState;
}

/** States in which the login page should work. In all other states, an operation changes the site, or it is suspended. */
const MEASURED_STATES: readonly SpokeState[] = ["active", "failed"];

/** Returns whether the login page should work now. Otherwise, the minute is planned work. */
export function shouldPageWork({ state, maintenance }: MeasuredSpoke): boolean {
  return MEASURED_STATES.includes(state) && !maintenance;
}

interface MinuteFacts {
  /** The result of the last request in this minute; null if there was none. */
  readonly result: PageResult | null;
  /** Whether the site's public address has answered before, so that a failed connection means an outage. */
  readonly wasReached: boolean;
  /** Whether an operation or a user changed the spoke since the first request of this minute. */
  readonly wasChanged: boolean;
}

export function decideMinute(spoke: MeasuredSpoke, { result, wasReached, wasChanged }: MinuteFacts): MinuteKind {
  if (!shouldPageWork(spoke)) return "planned";
  // The health of an active spoke is unknown while its cluster does not respond.
  if (result === null || result.kind === "unknown" || spoke.state === "active" && spoke.health === "unknown") {
    return "unknown";
  }
  if (result.kind === "works") return "up";
  if (wasChanged) return "planned";
  if (result.kind === "fails" || wasReached) return "down";
  // The control plane has no route to the site. The readiness probe in the site's pod requests the same page.
  if (spoke.state !== "active") return "unknown";
  return spoke.health === "healthy" ? "up" : "down";
}

/**
 * Returns the percentage of measured minutes in which the site was up, rounded down to three decimals. Planned and
 * unknown minutes do not count. Null if no minute was measured.
 */
export function computeAvailability({ up, down }: Pick<MinuteCounts, "up" | "down">): number | null {
  const measured = up + down;
  return measured === 0 ? null : Math.floor(up * 100_000 / measured) / 1000;
}
