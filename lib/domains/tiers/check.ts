/** Finds out which spokes of a hub cannot get the values of a tier now, and why. */
import { Fault } from "#lib/base/errors.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { isRestrictedTier } from "#lib/catalog/tier.ts";
import { type Actor, requireOperator } from "#lib/domains/auth/access.ts";
import { MAX_ROLLOUT_SPOKES } from "#lib/domains/rollouts/views.ts";
import { readSpokeActionFacts } from "#lib/domains/spokes/actions.ts";
import { findSpoke } from "#lib/domains/spokes/store.ts";
import type { PlannedTier } from "#lib/domains/tiers/plan.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { requireActionAllowed } from "#lib/operations/check-action.ts";
import { OPERATIONS } from "#lib/operations/table.ts";

/** The operation that gives a site the values of its hub's tier. */
export const TIER_ACTION = OPERATIONS.reapply.name;

/** Throws a `forbidden` fault (`operator_only`) if the hub leaves or gets a tier that only operators may change. */
export function requireTierRight(
  actor: Actor,
  { tierOf }: Pick<Catalog, "tierOf">,
  before: string | null,
  after: string | undefined,
): void {
  if (after === undefined || after === before) return;
  if (isRestrictedTier(tierOf(before)) || isRestrictedTier(tierOf(after))) requireOperator(actor);
}

/** Returns the plan in which such spokes are refused. Checks at most as many spokes as a rollout may have. */
export async function checkPlannedTiers(
  rows: RowQueries,
  planned: readonly PlannedTier[],
): Promise<readonly PlannedTier[]> {
  let checked = 0;
  const result: PlannedTier[] = [];
  for (const each of planned) {
    const reason = isToBeChanged(each) && checked++ < MAX_ROLLOUT_SPOKES
      ? await findRefusal(rows, each.spoke.id)
      : null;
    result.push(reason === null ? each : { ...each, effect: "refused", reason });
  }
  return result;
}

export function isToBeChanged({ effect }: PlannedTier): boolean {
  return effect === "moves" || effect === "in_place";
}

async function findRefusal(rows: RowQueries, id: string): Promise<string | null> {
  const spoke = await findSpoke(rows, id, "hidden");
  if (!spoke) return "The spoke no longer exists";
  try {
    requireActionAllowed(TIER_ACTION, await readSpokeActionFacts(rows, spoke));
    return null;
  } catch (error) {
    if (error instanceof Fault && ["conflict", "impossible"].includes(error.kind)) return error.message;
    throw error;
  }
}
