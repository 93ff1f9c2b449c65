/** Defines the API schema for the availability of a spoke, or of all spokes of a hub. */
import * as v from "valibot";
import { NullableTimestamp } from "#lib/base/schema.ts";

export const AvailabilityView = v.object({
  /** The months (UTC) with the newest first, at most two years. The last minutes are added a little later. */
  months: v.array(v.object({
    month: v.string(),
    availability: v.nullable(v.number()),
    up: v.number(),
    down: v.number(),
    planned: v.number(),
    unknown: v.number(),
  })),
});
/** The availability of one spoke, with the reason why its login page does not work now. */
export const SpokeAvailabilityView = v.object({
  problem: v.nullable(v.string()),
  /** When the certificate of the site's public address ends. Null without HTTPS, and until a request has seen it. */
  certificateEndsAt: NullableTimestamp,
  ...AvailabilityView.entries,
});
export type SpokeAvailability = v.InferInput<typeof SpokeAvailabilityView>;
export type Availability = v.InferOutput<typeof AvailabilityView>;
