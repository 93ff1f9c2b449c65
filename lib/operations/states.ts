/** The states of a spoke; check-action.ts shows their transitions. */
export const SPOKE_STATES = [
  "provisioning",
  "active",
  "failed",
  "suspending",
  "suspended",
  "resuming",
  "updating",
  "removing",
  "removed",
] as const;
export type SpokeState = (typeof SPOKE_STATES)[number];

export const LIVE_STATES = SPOKE_STATES.filter((state) => state !== "removed");

/** The transition of operations that change an active site. */
export const UPDATE_TRANSITION = { through: "updating", to: "active" } as const;
