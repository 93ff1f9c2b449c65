/** The states that a spoke can be in; judge.ts draws how they lead to each other. */
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

/** Those of a spoke that there is. */
export const LIVE_STATES = SPOKE_STATES.filter((state) => state !== "removed");

/** Of what changes a site that serves people, and leaves it serving them. */
export const UPDATE_TRANSITION = { through: "updating", to: "active" } as const;
