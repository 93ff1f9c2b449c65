/** Plans a rollout: selects its spokes, checks the action on each of them, and divides them into waves. */
import type { App } from "#lib/app.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { canManageHub } from "#lib/domains/federations/viewer.ts";
import {
  MAX_ROLLOUT_SPOKES,
  type NewRollout,
  ROLLOUT_DEFAULTS,
  type RolloutPreview,
} from "#lib/domains/rollouts/views.ts";
import { assignWaves } from "#lib/domains/rollouts/waves.ts";
import {
  type ActionRequest,
  parseSpokeAction,
  readSpokeActionFacts,
  requireActionEffect,
  requireTierAllows,
} from "#lib/domains/spokes/actions.ts";
import type { SpokeSelector } from "#lib/domains/spokes/filter.ts";
import { selectSpokes } from "#lib/domains/spokes/select.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
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
  for (const spoke of await selectRolloutSpokes(app, rows, actor, selector)) {
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

/** Selects the spokes. Throws a fault if they are too many, or if the actor may not change one of them. */
async function selectRolloutSpokes(
  app: App,
  rows: RowQueries,
  actor: Actor,
  selector: SpokeSelector,
): Promise<SpokeRow[]> {
  const selected = await selectSpokes(app, rows, actor, selector, MAX_ROLLOUT_SPOKES);
  if (selected.length > MAX_ROLLOUT_SPOKES) {
    const message = `The selector matches more than ${MAX_ROLLOUT_SPOKES} spokes; select fewer`;
    throw new Fault("impossible", "rollout_too_large", message);
  }
  if (selected.some((spoke) => !canManageHub(actor, spoke.federationId))) {
    const message = "Only operators and admins of the hub can start a rollout on its spokes";
    throw new Fault("forbidden", "federation_admin_only", message);
  }
  return selected;
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
    await requireTierAllows(app, rows, spoke, request);
    return null;
  } catch (error) {
    if (error instanceof Fault && ["conflict", "impossible"].includes(error.kind)) return error.message;
    throw error;
  }
}
