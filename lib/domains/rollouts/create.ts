/** Creates and previews rollouts. */
import type { App } from "#lib/app.ts";
import { createId } from "#lib/base/ids.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createRolloutJob } from "#lib/domains/rollouts/job.ts";
import { estimateMinimumSeconds, estimatePriceChange } from "#lib/domains/rollouts/estimate.ts";
import { planRollout } from "#lib/domains/rollouts/plan.ts";
import { recordRolloutChange } from "#lib/domains/rollouts/record.ts";
import { type RolloutRow, showRollout } from "#lib/domains/rollouts/store.ts";
import type { NewRollout, RolloutDetail, RolloutPreview } from "#lib/domains/rollouts/views.ts";
import { readMedianDuration } from "#lib/jobs/durations.ts";
import { getOperationRules } from "#lib/operations/check-action.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import { type IdempotencyKey, runIdempotently } from "#lib/idempotency/store.ts";
import type { RolloutAction } from "#lib/model/rollout.ts";

/** Creates a rollout, with a job that carries it out. Throws the faults of `planRollout`. */
export async function createRollout(
  app: App,
  actor: Actor,
  input: NewRollout,
  key: IdempotencyKey | null,
): Promise<RolloutDetail> {
  return await runIdempotently(
    app.db,
    key,
    async (tx) => await showRollout(tx, actor, await startRollout(app, tx, actor, input)),
  );
}

/** Writes a rollout and its job. Must be the last change of a hub's stream in the transaction. */
export async function startRollout(app: App, tx: Tx, actor: Actor, input: NewRollout): Promise<RolloutRow> {
  const { request, rules, spokes } = await planRollout(app, tx, actor, input);
  const row = await tx.insertInto("rollouts").values({
    id: createId("rol"),
    action: request.action as RolloutAction,
    parameters: JSON.stringify(request.parameters),
    canarySpokes: rules.canary.spokes,
    canaryMinutes: rules.canary.minutes,
    batch: rules.batch,
    maxUnavailable: rules.maxUnavailable,
    maxFailures: rules.maxFailures,
    timeWindow: rules.window && JSON.stringify(rules.window),
    federationIds: [...new Set(spokes.map(({ spoke }) => spoke.federationId))],
    note: null,
    reason: null,
    requestedBy: actor.userId,
  }).returningAll().executeTakeFirstOrThrow();
  await tx.insertInto("rollout_spokes").values(spokes.map(({ spoke, wave, reason }, position) => ({
    rolloutId: row.id,
    spokeId: spoke.id,
    position,
    wave,
    state: wave === null ? "skipped" as const : "waiting" as const,
    operationId: null,
    reason,
  }))).execute();
  const jobs = [createRolloutJob(row.id)];
  await recordRolloutChange(tx, actor, row, "rollout_created", { metadata: { spokes: spokes.length }, jobs });
  return row;
}

/** Shows which spokes a rollout would change, in which waves, and how long it takes. Writes nothing. */
export async function previewRollout(app: App, actor: Actor, input: NewRollout): Promise<RolloutPreview> {
  const { request, rules, spokes } = await planRollout(app, app.db.rows, actor, input);
  const changed = spokes.flatMap(({ wave }) => wave ?? []);
  const members = spokes.flatMap(({ spoke, wave }) => wave === null ? [] : [{ ...spoke, wave }]);
  const usualSeconds = await readMedianDuration(app.db.rows, request.action);
  const { downtime = false, affectsPrice } = getOperationRules(request.action);
  const { size } = request.parameters as { readonly size?: string };
  return {
    dryRun: true,
    action: request.action as RolloutAction,
    parameters: { ...request.parameters },
    ...rules,
    waves: Array.from({ length: Math.max(...changed) + 1 }, (_, i) => changed.filter((wave) => wave === i).length),
    skipped: spokes.length - changed.length,
    usualSeconds,
    downtimes: typeof downtime === "boolean" ? (downtime ? changed.length : 0) : null,
    minimumSeconds: usualSeconds === null ? null : estimateMinimumSeconds(members, {
      usualSeconds,
      maxUnavailable: rules.maxUnavailable,
      canaryMinutes: rules.canary.minutes,
    }),
    price: affectsPrice && size !== undefined ? estimatePriceChange(members, size, app.catalog) : null,
    spokes: spokes.map(({ spoke: { id, federationId, slug, domain }, wave, reason }) => ({
      ...{ spokeId: id, federationId, slug, domain, wave, reason },
    })),
  };
}
