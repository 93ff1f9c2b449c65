/** Defines what the mode of a hub brings to its sites. A hub without a mode, or with another text, only groups them. */

const HUB_MODES = ["content", "identity", "both"] as const;
type HubMode = (typeof HUB_MODES)[number];

/** Whether hubs of this mode give their spokes the hub's sign-in. */
export function sharesSignIn(mode: string | null): boolean {
  return mode === "identity" || mode === "both";
}

/** Whether hubs of this mode give their spokes the hub's courses. */
export function sharesCourses(mode: string | null): boolean {
  return mode === "content" || mode === "both";
}

/** Returns a sentence about a mode without effect; null for the other modes. */
export function describeModeLimits(mode: string | null): string | null {
  if (mode === null || HUB_MODES.includes(mode as HubMode)) return null;
  return `The mode ${mode} has no effect; ${HUB_MODES.join(", ")} have one`;
}
