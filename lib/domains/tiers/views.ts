/** Defines the API schema for the preview of a change of a hub, which says what a new tier does to its spokes. */
import * as v from "valibot";
import { FederationPatch, FederationView } from "#lib/domains/federations/views.ts";
import { Flag, optionalOrNull } from "#lib/base/schema.ts";

/** The maximum number of spokes that a preview lists. */
export const MAX_LISTED_SPOKES = 1000;

/**
 * The effects of a tier on a spoke. If its pods move, the site is down for a short time; a change in place needs no
 * downtime. A suspended spoke is left out, because the operation would start its site.
 */
export const TIER_EFFECTS = ["moves", "in_place", "suspended", "refused", "unchanged"] as const;
export type TierEffect = (typeof TIER_EFFECTS)[number];

export const HubPatch = v.object({
  ...FederationPatch.entries,
  /** Whether to start a rollout that brings the tier to the hub's spokes. Only operators may. */
  rollOut: optionalOrNull(Flag),
});
export type HubPatch = v.InferOutput<typeof HubPatch>;

export const FederationPreview = v.object({
  changes: v.array(v.object({ field: v.string(), from: v.nullable(v.string()), to: v.string() })),
  /** The number of spokes with each effect of the tier. */
  counts: v.object(v.entriesFromList(TIER_EFFECTS, v.number())),
  /** The usual duration of the operation on one spoke. Null if it has never succeeded. */
  usualSeconds: v.nullable(v.number()),
  /** The number of sites that are down for about this time. */
  downtimes: v.number(),
  /** The least time in which a rollout with default rules can end. Null if the usual duration is unknown. */
  minimumSeconds: v.nullable(v.number()),
  spokes: v.array(v.object({
    spokeId: v.string(),
    slug: v.string(),
    domain: v.string(),
    effect: v.picklist(TIER_EFFECTS),
    /** Whether the tier allows the spoke's size. A spoke with another size keeps it. */
    sizeAllowed: v.boolean(),
    reason: v.nullable(v.string()),
  })),
  /** The number of spokes that are not listed. */
  more: v.number(),
  notes: v.array(v.string()),
});
export type FederationPreview = v.InferInput<typeof FederationPreview>;

/** The hub and, in a dry run, the preview. An addition to the record, so that older clients can read it. */
export const ChangedFederation = v.object({ ...FederationView.entries, preview: v.nullable(FederationPreview) });
export type ChangedFederationRecord = v.InferInput<typeof ChangedFederation>;
