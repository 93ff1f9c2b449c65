/** Defines what the mode of a hub brings to its sites. A hub without a mode, or with another text, only groups them. */

const HUB_MODES = ["content", "identity", "both"] as const;
type HubMode = (typeof HUB_MODES)[number];

/** Whether hubs of this mode give their spokes the hub's sign-in. */
export function sharesSignIn(mode: string | null): boolean {
  return mode === "identity" || mode === "both";
}

/** Returns a sentence about a mode that does less than it seems to; null for the other modes. */
export function describeModeLimits(mode: string | null): string | null {
  if (mode === null || mode === "identity") return null;
  if (!HUB_MODES.includes(mode as HubMode)) return `The mode ${mode} has no effect; ${HUB_MODES.join(", ")} have one`;
  return "New sites get the hub's courses. Later changes of the courses do not reach the sites yet";
}
