/** Restores the spokes of a rollout's wave from the backups that their operations took. Only a command on the server does this. */
import { sql } from "kysely";
import type { App } from "#lib/app.ts";
import type { Requester } from "#lib/audit/requester.ts";
import { Fault } from "#lib/base/errors.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { planRestore, requestRestoreInTransaction } from "#lib/domains/backups/restore.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { lockRollout, type RolloutRow } from "#lib/domains/rollouts/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import type { Job } from "#lib/jobs/job.ts";

export interface WaveRestorePlan {
  readonly rollout: RolloutRow;
  readonly wave: number;
  /** The wave's spokes whose operation has started. */
  readonly spokes: readonly SpokeToRestore[];
}

export interface SpokeToRestore {
  readonly spoke: SpokeRow;
  /** The backup that the operation took. Null if it took none. */
  readonly backupId: string | null;
  /** Why the spoke cannot be restored, or null if it can. */
  readonly reason: string | null;
}

/**
 * Plans the restores. The default is the last wave with a failed spoke. Throws a Refusal if the rollout runs, or if no
 * spoke of the wave can be restored.
 */
export async function planWaveRestore(rows: RowQueries, rolloutId: string, wave?: number): Promise<WaveRestorePlan> {
  const rollout = await rows.selectFrom("rollouts").selectAll().where("id", "=", rolloutId).executeTakeFirst();
  if (!rollout) {
    throw new Refusal("RolloutMissing", `There is no rollout ${rolloutId}`, "Run: wheelwright rollouts list.");
  }
  requirePaused(rollout);
  const chosen = wave ?? await findFailedWave(rows, rolloutId);
  const spokes = chosen === null ? [] : await readSpokesToRestore(rows, rolloutId, chosen);
  if (chosen !== null && spokes.some(({ reason }) => reason === null)) return { rollout, wave: chosen, spokes };
  const message = chosen === null
    ? `No spoke of the rollout ${rolloutId} failed`
    : "No spoke of the wave can be restored";
  const [first] = spokes;
  throw new Refusal(
    "NothingToRestore",
    message,
    first ? `${first.spoke.slug}: ${first.reason}.` : "Choose another wave.",
  );
}

function requirePaused({ id, state }: RolloutRow): void {
  if (state === "running") throw new Refusal("RolloutRunning", `The rollout ${id} is running`, "Pause it first.");
}

async function findFailedWave(rows: RowQueries, rolloutId: string): Promise<number | null> {
  const { wave } = await rows.selectFrom("rollout_spokes").select(sql<number | null>`max(wave)`.as("wave"))
    .where("rolloutId", "=", rolloutId).where("state", "=", "failed").executeTakeFirstOrThrow();
  return wave;
}

async function readSpokesToRestore(rows: RowQueries, rolloutId: string, wave: number): Promise<SpokeToRestore[]> {
  const found = await rows.selectFrom("rollout_spokes").innerJoin("jobs", "jobs.id", "operationId")
    .innerJoin("spokes", "spokes.id", "rollout_spokes.spokeId").selectAll("spokes")
    .select(sql<string | null>`jobs.progress -> 'backup' ->> 'id'`.as("backupId"))
    .where("rolloutId", "=", rolloutId).where("wave", "=", wave).orderBy("position").execute();
  const spokes = [];
  for (const { backupId, ...spoke } of found) {
    const reason = backupId === null ? "its operation took no backup" : await findRefusal(rows, spoke, backupId);
    spokes.push({ spoke, backupId, reason });
  }
  return spokes;
}

async function findRefusal(rows: RowQueries, spoke: SpokeRow, backupId: string): Promise<string | null> {
  try {
    await planRestore(rows, spoke, { backupId });
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

/**
 * Requests a restore, and marks the spoke as failed in the rollout, so that a resumed rollout tries it again or skips
 * it. Throws the faults of `planRestore`, or a Refusal if the rollout runs.
 */
export async function requestWaveRestore(
  { db }: Pick<App, "db">,
  requester: Requester,
  { id: rolloutId }: RolloutRow,
  { spoke, backupId }: SpokeToRestore,
): Promise<Job> {
  return await db.transact(async (tx) => {
    requirePaused(await lockRollout(tx, rolloutId));
    await tx.updateTable("rollout_spokes").set({
      state: "failed",
      reason: "Restored from the backup that was taken first",
    })
      .where("rolloutId", "=", rolloutId).where("spokeId", "=", spoke.id).execute();
    return await requestRestoreInTransaction(tx, requester, spoke.id, { backupId: backupId! });
  });
}
