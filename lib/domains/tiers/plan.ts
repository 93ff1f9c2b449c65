/** Decides what a tier does to each spoke of a hub. Pure. */
import { isDeepStrictEqual } from "node:util";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { toTierInputs } from "#lib/catalog/tier.ts";
import { findSizeProblem } from "#lib/domains/spokes/tier-limits.ts";
import type { TieredSpoke } from "#lib/domains/tiers/store.ts";
import type { TierEffect } from "#lib/domains/tiers/views.ts";
import { isPlacedDifferently } from "#lib/moodle/tier-inputs.ts";
import { describeTierChange } from "#lib/operations/reapply.ts";

export interface PlannedTier {
  readonly spoke: TieredSpoke;
  readonly effect: TierEffect;
  readonly sizeAllowed: boolean;
  readonly reason: string | null;
}

export function planTier(
  catalog: Pick<Catalog, "tierOf">,
  tier: string | null,
  spokes: readonly TieredSpoke[],
): readonly PlannedTier[] {
  const wanted = toTierInputs(catalog.tierOf(tier));
  return spokes.map((spoke) => {
    const sizeProblem = findSizeProblem(catalog, tier, spoke.size), sizeAllowed = sizeProblem === null;
    const present = spoke.tier ?? undefined, reason = sizeProblem && `${sizeProblem}; the spoke keeps its size`;
    const moves = spoke.isUnfinished || isPlacedDifferently(present, wanted);
    if (!moves && isDeepStrictEqual(present, wanted)) return { spoke, effect: "unchanged", sizeAllowed, reason };
    if (spoke.state === "suspended" || spoke.state === "suspending") {
      return {
        spoke,
        effect: "suspended",
        sizeAllowed,
        reason: "The site is suspended; reapply the blueprint once it runs",
      };
    }
    return { spoke, effect: moves ? "moves" : "in_place", sizeAllowed, reason };
  });
}

/** Describes the changes, one sentence each, without repetitions. */
export function listTierNotes(
  catalog: Pick<Catalog, "tierOf">,
  tier: string | null,
  planned: readonly PlannedTier[],
): readonly string[] {
  const described = catalog.tierOf(tier), wanted = toTierInputs(described), { bounds } = described ?? {};
  const changed = planned.filter(({ effect }) => effect !== "unchanged");
  const otherSizes = planned.filter(({ sizeAllowed }) => !sizeAllowed).length;
  const limit = bounds?.spokes, isFull = limit !== undefined && planned.length >= limit;
  return [
    ...new Set(changed.flatMap(({ spoke }) => describeTierChange(spoke.tier ?? undefined, wanted))),
    ...(otherSizes > 0 ? [`${otherSizes} of the spokes have a size that the tier does not allow, and keep it`] : []),
    ...(isFull ? [`The tier allows ${limit} in a hub: its ${planned.length} spokes stay, but none can be added`] : []),
  ];
}
