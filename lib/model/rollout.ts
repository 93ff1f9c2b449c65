/** Declares the states of a rollout (one action on many spokes, in waves), and of each spoke in it. */

export const ROLLOUT_STATES = ["running", "paused", "completed", "aborted"] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];

/**
 * The states of a spoke in a rollout: its operation has not started; its operation runs; its operation succeeded and
 * the spoke must still be found healthy; it is healthy; it failed; the action was not possible or not necessary.
 */
export const ROLLOUT_SPOKE_STATES = ["waiting", "running", "checking", "succeeded", "failed", "skipped"] as const;
export type RolloutSpokeState = (typeof ROLLOUT_SPOKE_STATES)[number];

/** The actions that a rollout can run. */
export const ROLLOUT_ACTIONS = ["upgrade", "resize", "reapply", "restart"] as const;
export type RolloutAction = (typeof ROLLOUT_ACTIONS)[number];

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
