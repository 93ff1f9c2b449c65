/** Pauses, resumes and aborts rollouts. Operations that have started are not stopped. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import { createRolloutJob } from "#lib/domains/rollouts/job.ts";
import { recordRolloutChange } from "#lib/domains/rollouts/record.ts";
import { lockRollout, type RolloutRow, showRollout, updateRollout } from "#lib/domains/rollouts/store.ts";
import type { RolloutDetail, RolloutResumption } from "#lib/domains/rollouts/views.ts";
import type { RolloutState } from "#lib/model/states.ts";

/** Pauses a rollout: further operations wait until it is resumed. Throws a `conflict` fault (`rollout_state`). */
export async function pauseRollout(app: App, actor: Actor, rollout: RolloutRow): Promise<RolloutDetail> {
  return await changeRollout(app, actor, rollout, "pause", ["running"], async (tx) => {
    const row = await updateRollout(tx, rollout.id, {
      state: "paused",
      note: null,
      reason: `Paused by ${actor.email}`,
    });
    await recordRolloutChange(tx, actor, row, "rollout_paused", { metadata: { reason: row.reason } });
    return row;
  });
}

/** Continues a paused rollout. Failed spokes are tried again or skipped. Throws a `conflict` fault (`rollout_state`). */
export async function resumeRollout(
  app: App,
  actor: Actor,
  rollout: RolloutRow,
  { failed }: RolloutResumption,
): Promise<RolloutDetail> {
  return await changeRollout(app, actor, rollout, "resume", ["paused"], async (tx) => {
    const row = await updateRollout(tx, rollout.id, { state: "running", note: null, reason: null });
    const change = failed === "retry" ? { state: "waiting" as const, reason: null } : { state: "skipped" as const };
    await tx.updateTable("rollout_spokes").set(change).where("rolloutId", "=", row.id).where("state", "=", "failed")
      .execute();
    const jobs = [createRolloutJob(row.id)];
    await recordRolloutChange(tx, actor, row, "rollout_resumed", { metadata: { failed }, jobs });
    return row;
  });
}

/** Ends a rollout. Spokes that are waiting stay unchanged. Throws a `conflict` fault (`rollout_state`). */
export async function abortRollout(app: App, actor: Actor, rollout: RolloutRow): Promise<RolloutDetail> {
  return await changeRollout(app, actor, rollout, "abort", ["running", "paused"], async (tx) => {
    const reason = `Aborted by ${actor.email}`;
    const row = await updateRollout(tx, rollout.id, { state: "aborted", note: null, reason });
    await tx.updateTable("rollout_spokes").set({ state: "skipped", reason: sql`'The rollout was aborted'` })
      .where("rolloutId", "=", row.id).where("state", "=", "waiting").execute();
    await recordRolloutChange(tx, actor, row, "rollout_aborted", { metadata: { reason } });
    return row;
  });
}

async function changeRollout(
  { db }: App,
  actor: Actor,
  { id }: RolloutRow,
  verb: string,
  from: readonly RolloutState[],
  change: (tx: Tx) => Promise<RolloutRow>,
): Promise<RolloutDetail> {
  return await db.transact(async (tx) => {
    const { state } = await lockRollout(tx, id);
    if (!from.includes(state)) {
      throw new Fault("conflict", "rollout_state", `Cannot ${verb} a rollout that is ${state}`);
    }
    return await showRollout(tx, actor, await change(tx));
  });
}
