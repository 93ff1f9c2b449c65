/** The states of a spoke. check-action.ts shows the transitions between them. */
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

/** The spoke's states during and after an operation that updates an active site. */
export const UPDATE_TRANSITION = { through: "updating", to: "active" } as const;
