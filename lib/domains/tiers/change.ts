/** Changes a hub, previews a change of its tier, and starts the rollout that brings a tier to the hub's spokes. */
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import { requireOfferedValues } from "#lib/catalog/catalog.ts";
import { toTierInputs } from "#lib/catalog/tier.ts";
import { type Actor, requireOperator } from "#lib/domains/auth/access.ts";
import { listHubChanges, patchFederation } from "#lib/domains/federations/patch.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import type { FederationRecord } from "#lib/domains/federations/views.ts";
import { startRollout } from "#lib/domains/rollouts/create.ts";
import { estimateMinimumSeconds } from "#lib/domains/rollouts/estimate.ts";
import { MAX_ROLLOUT_SPOKES, ROLLOUT_DEFAULTS } from "#lib/domains/rollouts/views.ts";
import { assignWaves } from "#lib/domains/rollouts/waves.ts";
import { readSpokeActionFacts } from "#lib/domains/spokes/actions.ts";
import { findSpoke } from "#lib/domains/spokes/store.ts";
import { listTierNotes, type PlannedTier, planTier } from "#lib/domains/tiers/plan.ts";
import { markChangedTier, readTieredSpokes } from "#lib/domains/tiers/store.ts";
import { type FederationPreview, type HubPatch, MAX_LISTED_SPOKES, TIER_EFFECTS } from "#lib/domains/tiers/views.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { readMedianDuration } from "#lib/jobs/durations.ts";
import { requireActionAllowed } from "#lib/operations/check-action.ts";

const ACTION = "reapply";

/**
 * Changes a hub. A new tier marks the spokes whose sites differ from it. With `rollOut`, the same transaction starts the
 * rollout. Throws the faults of `patchFederation`, `forbidden` (`operator_only`) or `impossible` (`rollout_too_large`).
 */
export async function changeHub(
  app: App,
  actor: Actor,
  federation: FederationRow,
  { rollOut = false, ...patch }: HubPatch,
): Promise<FederationRecord> {
  if (rollOut) requireOperator(actor);
  return await patchFederation(app, actor, federation, patch, async (tx, hub, changes) => {
    if (changes.tier !== undefined) await markChangedTier(tx, hub.id, toTierInputs(app.catalog.tierOf(hub.tier)));
    return rollOut ? await rollOutTier(app, tx, actor, hub) : null;
  });
}

/** Starts a rollout on the spokes whose sites differ from the tier. Returns null if no site does. */
async function rollOutTier(app: App, tx: Tx, actor: Actor, { id, tier }: FederationRow): Promise<object | null> {
  const planned = await checkPlan(tx, planTier(app.catalog, tier, await readTieredSpokes(tx, id)));
  const ids = planned.flatMap(({ spoke, effect }) => effect === "moves" || effect === "in_place" ? spoke.id : []);
  if (ids.length === 0) return null;
  if (ids.length > MAX_ROLLOUT_SPOKES) {
    const message =
      `The tier changes more than ${MAX_ROLLOUT_SPOKES} spokes; start rollouts of ${ACTION} on parts of them`;
    throw new Fault("impossible", "rollout_too_large", message);
  }
  const rollout = await startRollout(app, tx, actor, { action: ACTION, selector: { ids } });
  return { rolloutId: rollout.id };
}

/** Shows what a change of the hub would do to its spokes. Writes nothing. */
export async function previewHub(
  app: App,
  actor: Actor,
  { id }: FederationRow,
  { rollOut = false, ...patch }: HubPatch,
): Promise<FederationPreview> {
  if (rollOut) requireOperator(actor);
  const { rows } = app.db;
  const hub = await rows.selectFrom("federations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  requireLiveHub(hub.state, "change");
  const changes = listHubChanges(hub, patch), tier = changes.tier ?? hub.tier;
  requireOfferedValues(app.catalog, changes);
  const planned = changes.tier === undefined && !rollOut
    ? []
    : await checkPlan(rows, planTier(app.catalog, tier, await readTieredSpokes(rows, id)));
  const listed = planned.filter(({ effect, sizeAllowed }) => effect !== "unchanged" || !sizeAllowed);
  const moving = planned.filter(({ effect }) => effect === "moves" || effect === "in_place").map(({ spoke }) => spoke);
  const usualSeconds = await readMedianDuration(rows, ACTION), count = countEffects(planned);
  return {
    dryRun: true,
    federationId: id,
    changes: Object.entries(changes).map(([field, to]) => ({ field, from: hub[field as keyof typeof changes], to })),
    counts: count,
    usualSeconds,
    downtimes: count.moves,
    minimumSeconds: usualSeconds === null || moving.length === 0 ? null : estimateLeastSeconds(moving, usualSeconds),
    spokes: listed.slice(0, MAX_LISTED_SPOKES).map(({ spoke, effect, sizeAllowed, reason }) => ({
      ...{ spokeId: spoke.id, slug: spoke.slug, domain: spoke.domain, effect, sizeAllowed, reason },
    })),
    more: Math.max(0, listed.length - MAX_LISTED_SPOKES),
    notes: [...listTierNotes(app.catalog, tier, planned), ...(moving.length > 0 ? [describeRollout(rollOut)] : [])],
  };
}

function describeRollout(rollOut: boolean): string {
  return rollOut
    ? "A rollout changes one site first, then the others in batches, and pauses if a site fails"
    : "The sites stay as they are until an operator starts a rollout, and count as outdated until then";
}

function countEffects(planned: readonly PlannedTier[]): FederationPreview["counts"] {
  const counts = TIER_EFFECTS.map((effect) => [effect, planned.filter((each) => each.effect === effect).length]);
  return Object.fromEntries(counts) as FederationPreview["counts"];
}

function estimateLeastSeconds(spokes: readonly { readonly cluster: string }[], usualSeconds: number): number {
  const { canary, batch, maxUnavailable } = ROLLOUT_DEFAULTS;
  const waves = assignWaves(spokes.length, { canary: canary.spokes, batch });
  const members = spokes.map(({ cluster }, i) => ({ cluster, wave: waves[i]! }));
  return estimateMinimumSeconds(members, { usualSeconds, maxUnavailable, canaryMinutes: canary.minutes });
}

/** Finds out which of the spokes cannot be changed now, and why. Checks no more spokes than a rollout may have. */
async function checkPlan(rows: RowQueries, planned: readonly PlannedTier[]): Promise<readonly PlannedTier[]> {
  let checked = 0;
  const result: PlannedTier[] = [];
  for (const each of planned) {
    const isChanged = each.effect === "moves" || each.effect === "in_place";
    const reason = isChanged && checked++ < MAX_ROLLOUT_SPOKES ? await findRefusal(rows, each.spoke.id) : null;
    result.push(reason === null ? each : { ...each, effect: "refused", reason });
  }
  return result;
}

async function findRefusal(rows: RowQueries, id: string): Promise<string | null> {
  const spoke = await findSpoke(rows, id, "hidden");
  if (!spoke) return "The spoke no longer exists";
  try {
    requireActionAllowed(ACTION, await readSpokeActionFacts(rows, spoke));
    return null;
  } catch (error) {
    if (error instanceof Fault && ["conflict", "impossible"].includes(error.kind)) return error.message;
    throw error;
  }
}
