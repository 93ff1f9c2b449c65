/** Plans a rollout: selects its spokes, checks the action on each of them, and divides them into waves. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { findFederation } from "#lib/domains/federations/store.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import {
  MAX_ROLLOUT_SPOKES,
  type NewRollout,
  ROLLOUT_DEFAULTS,
  type RolloutPreview,
  type RolloutSelector,
} from "#lib/domains/rollouts/views.ts";
import { assignWaves } from "#lib/domains/rollouts/waves.ts";
import {
  type ActionRequest,
  parseSpokeAction,
  readSpokeActionFacts,
  requireActionEffect,
} from "#lib/domains/spokes/actions.ts";
import { findVisibleSpokes, listSpokes, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { requireActionAllowed } from "#lib/operations/check-action.ts";

/** A selected spoke. `wave` is null if the action cannot change the spoke; `reason` then says why. */
export interface PlannedSpoke {
  readonly spoke: SpokeRow;
  readonly wave: number | null;
  readonly reason: string | null;
}

export interface RolloutPlan {
  readonly request: ActionRequest;
  readonly rules: Pick<RolloutPreview, "canary" | "batch" | "maxUnavailable" | "maxFailures" | "window">;
  readonly spokes: readonly PlannedSpoke[];
}

/**
 * Plans a rollout. Throws a fault: `forbidden` (`operator_only` or `federation_admin_only`), `invalid` (parameters of
 * the action) or `impossible` (`rollout_empty` or `rollout_too_large`).
 */
export async function planRollout(app: App, rows: RowQueries, actor: Actor, input: NewRollout): Promise<RolloutPlan> {
  const { selector, canary, batch, maxUnavailable, maxFailures, window, ...action } = input;
  const request = parseSpokeAction(app, actor, { ...action, moodleVersion: undefined });
  const rules = {
    canary: canary ?? ROLLOUT_DEFAULTS.canary,
    batch: batch ?? ROLLOUT_DEFAULTS.batch,
    maxUnavailable: maxUnavailable ?? ROLLOUT_DEFAULTS.maxUnavailable,
    maxFailures: maxFailures ?? ROLLOUT_DEFAULTS.maxFailures,
    window: window ?? null,
  };
  const checked = [];
  for (const spoke of await selectSpokes(app, rows, actor, selector)) {
    checked.push({ spoke, reason: await findRefusal(app, rows, spoke, request) });
  }
  const waves = assignWaves(checked.filter(({ reason }) => reason === null).length, {
    canary: rules.canary.spokes,
    batch: rules.batch,
  });
  const [first] = checked;
  if (waves.length === 0) {
    const why = first ? `: ${first.reason}` : ", because no spoke matches the selector";
    throw new Fault("impossible", "rollout_empty", `The rollout would change no spoke${why}`);
  }
  let next = 0;
  const spokes = checked.map((each) => ({ ...each, wave: each.reason === null ? waves[next++]! : null }));
  return { request, rules, spokes };
}

/** Selects the spokes in the order of the given IDs, or newest last. Throws if the actor may not change one of them. */
async function selectSpokes(
  { blueprint }: App,
  rows: RowQueries,
  actor: Actor,
  selector: RolloutSelector,
): Promise<SpokeRow[]> {
  const { ids, lmsVersion, size, region, federationId, health, q, outdated } = selector;
  const hub = federationId === undefined ? undefined : await findFederation(rows, federationId, "hidden");
  if (federationId !== undefined && !hub) return [];
  const filter = { ...(hub && { federationId: hub.id }), health, q };
  const listed = (await listSpokes(rows, actor, filter, "hidden")).items.toReversed();
  const chosen = ids && new Set(ids);
  const matching = listed.filter((spoke) =>
    (!chosen || chosen.has(spoke.id)) && (lmsVersion === undefined || spoke.lmsVersion === lmsVersion) &&
    (size === undefined || spoke.size === size) && (region === undefined || spoke.region === region)
  );
  if (matching.length > MAX_ROLLOUT_SPOKES) {
    const message = `The selector matches ${matching.length} spokes; select at most ${MAX_ROLLOUT_SPOKES}`;
    throw new Fault("impossible", "rollout_too_large", message);
  }
  if (matching.some((spoke) => !canManageHub(actor, spoke.federationId))) {
    const message = "Only operators and admins of the hub can start a rollout on its spokes";
    throw new Fault("forbidden", "federation_admin_only", message);
  }
  const order = new Map((ids ?? matching.map(({ id }) => id)).map((id, i) => [id, i]));
  const found = await findVisibleSpokes(rows, actor, matching.map(({ id }) => id));
  const selected = found.filter((spoke) => !outdated || spoke.blueprintRevision !== blueprint.revision);
  return selected.toSorted((a, b) => order.get(a.id)! - order.get(b.id)!);
}

/** Returns why the action cannot change the spoke, or null if it can. */
async function findRefusal(
  app: App,
  rows: RowQueries,
  spoke: SpokeRow,
  request: ActionRequest,
): Promise<string | null> {
  try {
    const facts = await readSpokeActionFacts(rows, spoke);
    requireActionAllowed(request.action, facts);
    requireActionEffect(app, spoke, facts, request);
    return null;
  } catch (error) {
    if (error instanceof Fault && ["conflict", "impossible"].includes(error.kind)) return error.message;
    throw error;
  }
}
