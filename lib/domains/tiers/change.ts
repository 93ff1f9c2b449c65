/** Changes a hub, and starts the rollouts that bring its tier and its mode to its spokes. */
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import { toTierInputs } from "#lib/catalog/tier.ts";
import { type Actor, requireOperator } from "#lib/domains/auth/access.ts";
import { patchFederation } from "#lib/domains/federations/patch.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { rollOutMode } from "#lib/domains/policy/mode.ts";
import { startRollout } from "#lib/domains/rollouts/create.ts";
import { MAX_ROLLOUT_SPOKES } from "#lib/domains/rollouts/views.ts";
import { checkPlannedTiers, isToBeChanged, requireTierRight, TIER_ACTION } from "#lib/domains/tiers/check.ts";
import { planTier } from "#lib/domains/tiers/plan.ts";
import { markChangedTier, readTieredSpokes } from "#lib/domains/tiers/store.ts";
import type { ChangedFederationRecord, HubPatch } from "#lib/domains/tiers/views.ts";
import type { Tx } from "#lib/drivers/db/database.ts";

/**
 * Changes a hub. A new tier marks the spokes whose sites differ from it. With `rollOut`, the same transaction starts the
 * rollout. Throws the faults of `patchFederation`, `forbidden` (`operator_only`) or `impossible` (`rollout_too_large`).
 */
export async function changeHub(
  app: App,
  actor: Actor,
  federation: FederationRow,
  { rollOut = false, ...patch }: HubPatch,
): Promise<ChangedFederationRecord> {
  if (rollOut) requireOperator(actor); // as for a rollout of the same operation
  const changed = await patchFederation(app, actor, federation, patch, async (tx, { before, after: hub, changes }) => {
    requireTierRight(actor, app.catalog, before.tier, changes.tier);
    const policyRolloutId = await rollOutMode(tx, actor, before, hub);
    if (changes.tier !== undefined) await markChangedTier(tx, hub.id, toTierInputs(app.catalog.tierOf(hub.tier)));
    const metadata = rollOut ? await rollOutTier(app, tx, actor, hub) : null;
    return policyRolloutId === null ? metadata : { ...metadata, policyRolloutId };
  });
  return { ...changed, preview: null };
}

/** Starts a rollout on the spokes whose sites differ from the tier. Returns null if no site does. */
async function rollOutTier(app: App, tx: Tx, actor: Actor, { id, tier }: FederationRow): Promise<object | null> {
  const planned = await checkPlannedTiers(tx, planTier(app.catalog, tier, await readTieredSpokes(tx, id)));
  const ids = planned.filter(isToBeChanged).map(({ spoke }) => spoke.id);
  if (ids.length === 0) return null;
  if (ids.length > MAX_ROLLOUT_SPOKES) {
    const message = `The tier changes more than ${MAX_ROLLOUT_SPOKES} spokes; change the hub without a rollout, and ` +
      `start rollouts of ${TIER_ACTION} on parts of it`;
    throw new Fault("impossible", "rollout_too_large", message);
  }
  const rollout = await startRollout(app, tx, actor, { action: TIER_ACTION, selector: { ids } });
  return { rolloutId: rollout.id };
}
