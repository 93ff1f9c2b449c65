/** Declares the parts of a rollout (one action on many spokes, in waves), and the states of each spoke in it. */

/**
 * The states of a spoke in a rollout: its operation has not started; its operation runs; its operation succeeded and
 * the spoke must still be found healthy; it is healthy; it failed; the action was not possible or not necessary.
 */
export const ROLLOUT_SPOKE_STATES = ["waiting", "running", "checking", "succeeded", "failed", "skipped"] as const;
export type RolloutSpokeState = (typeof ROLLOUT_SPOKE_STATES)[number];

/** The actions that a rollout can run. */
export const ROLLOUT_ACTIONS = ["upgrade", "resize", "reapply", "restart", "configure"] as const;
export type RolloutAction = (typeof ROLLOUT_ACTIONS)[number];

/** Describes a rollout's action, for example `upgrade to 5.2.2`. */
export function describeRolloutAction(action: RolloutAction, parameters: Readonly<Record<string, unknown>>): string {
  const values = Object.values(parameters).filter((value) => typeof value === "string");
  return values.length === 0 ? action : `${action} to ${values.join(" ")}`;
}

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** The hours in which a rollout may start operations. */
export interface RolloutWindow {
  /** The days on which the window opens. A window that ends at or before its start ends on the next day. */
  readonly days: readonly Weekday[];
  /** Times of day, such as `22:00`, in the time zone. */
  readonly from: string;
  readonly to: string;
  /** An IANA time zone, such as `Europe/Berlin`. */
  readonly timeZone: string;
}
