/** Previews a change of a hub: what its tier does to its spokes, and how long their sites are down. Writes nothing. */
import type { App } from "#lib/app.ts";
import { requireOfferedValues } from "#lib/catalog/catalog.ts";
import { type Actor, requireOperator } from "#lib/domains/auth/access.ts";
import { listHubChanges } from "#lib/domains/federations/patch.ts";
import { showFederation } from "#lib/domains/federations/show.ts";
import { requireLiveHub } from "#lib/domains/federations/state.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { estimateMinimumSeconds } from "#lib/domains/rollouts/estimate.ts";
import { ROLLOUT_DEFAULTS } from "#lib/domains/rollouts/views.ts";
import { assignWaves } from "#lib/domains/rollouts/waves.ts";
import { checkPlannedTiers, isToBeChanged, requireTierRight, TIER_ACTION } from "#lib/domains/tiers/check.ts";
import { listTierNotes, type PlannedTier, planTier } from "#lib/domains/tiers/plan.ts";
import { readTieredSpokes } from "#lib/domains/tiers/store.ts";
import {
  type ChangedFederationRecord,
  type FederationPreview,
  type HubPatch,
  MAX_LISTED_SPOKES,
  TIER_EFFECTS,
} from "#lib/domains/tiers/views.ts";
import { readMedianDuration } from "#lib/jobs/durations.ts";

/** Returns the hub as it is, with a preview of the change. Throws the faults of the change. */
export async function previewHub(
  app: App,
  actor: Actor,
  federation: FederationRow,
  patch: HubPatch,
): Promise<ChangedFederationRecord> {
  if (patch.rollOut) requireOperator(actor);
  const preview = await planPreview(app, actor, federation, patch);
  return { ...await showFederation(app.db.rows, actor, federation), preview };
}

async function planPreview(
  app: App,
  actor: Actor,
  { id }: FederationRow,
  { rollOut = false, ...patch }: HubPatch,
): Promise<FederationPreview> {
  const { catalog, db: { rows } } = app;
  const hub = await rows.selectFrom("federations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  requireLiveHub(hub.state, "change");
  const changes = listHubChanges(hub, patch), tier = changes.tier ?? hub.tier;
  requireOfferedValues(catalog, changes);
  requireTierRight(actor, catalog, hub.tier, changes.tier);
  const isTierConcerned = changes.tier !== undefined || rollOut;
  const planned = isTierConcerned
    ? await checkPlannedTiers(rows, planTier(catalog, tier, await readTieredSpokes(rows, id)))
    : [];
  const listed = planned.filter(({ effect, sizeAllowed }) => effect !== "unchanged" || !sizeAllowed);
  const changing = planned.filter(isToBeChanged).map(({ spoke }) => spoke), counts = countEffects(planned);
  const usualSeconds = await readMedianDuration(rows, TIER_ACTION);
  return {
    changes: Object.entries(changes).map(([field, to]) => ({ field, from: hub[field as keyof typeof changes], to })),
    counts,
    usualSeconds,
    downtimes: counts.moves,
    minimumSeconds: usualSeconds === null || changing.length === 0 ? null : estimateSeconds(changing, usualSeconds),
    spokes: listed.slice(0, MAX_LISTED_SPOKES).map(({ spoke: { id: spokeId, slug, domain }, ...effect }) => ({
      ...{ spokeId, slug, domain, ...effect },
    })),
    more: Math.max(0, listed.length - MAX_LISTED_SPOKES),
    notes: [...listTierNotes(catalog, tier, planned), ...(changing.length > 0 ? [describeRollout(rollOut)] : [])],
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

/** Returns the least time in which a rollout with the default rules can end. */
function estimateSeconds(spokes: readonly { readonly cluster: string }[], usualSeconds: number): number {
  const { canary, batch, maxUnavailable } = ROLLOUT_DEFAULTS;
  const waves = assignWaves(spokes.length, { canary: canary.spokes, batch });
  const members = spokes.map(({ cluster }, i) => ({ cluster, wave: waves[i]! }));
  return estimateMinimumSeconds(members, { usualSeconds, maxUnavailable, canaryMinutes: canary.minutes });
}
