/**
 * Declares the states of hubs, spokes and rollouts, and the types of the stream events about them. This module imports nothing,
 * because the portal's script in the browser includes it.
 */

/** The possible states of a spoke. The transitions between them are defined in check-action.ts. */
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

/** Whether a spoke's site works, as far as Wheelwright knows. */
export const HEALTH_STATES = ["healthy", "degraded", "unknown"] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** The possible states of a hub. The transitions between them are defined in lib/domains/federations/state.ts. */
export const HUB_STATES = ["provisioning", "active", "failed", "removing", "removed"] as const;
export type HubState = (typeof HUB_STATES)[number];

export const ROLLOUT_STATES = ["running", "paused", "completed", "aborted"] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];

/** Returns the type of a stream event, for example `SpokeUpdateActive` or `FederationUpdateProvisioning`. */
export function streamEventType(subject: "Spoke" | "Federation" | "Rollout", state: string): string {
  return `${subject}Update${state.charAt(0).toUpperCase()}${state.slice(1)}`;
}

/** The types of all stream events that report a state. */
export const STREAM_EVENT_TYPES: readonly string[] = [
  ...SPOKE_STATES.map((state) => streamEventType("Spoke", state)),
  ...HUB_STATES.map((state) => streamEventType("Federation", state)),
  ...ROLLOUT_STATES.map((state) => streamEventType("Rollout", state)),
];
