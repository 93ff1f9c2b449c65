/** The restores that a spoke has behind it: whether one has left its site half-way, and what the way back leads to. */
import { sql } from "kysely";
import { listKept } from "#lib/domains/backups/kept.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { type Footing, footingOf } from "#lib/moodle/footing.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { claimNames, turnOf } from "#lib/moodle/names.ts";
import { OPERATIONS, type SpokeOperationKind } from "#lib/operations/table.ts";
import type { Job } from "#lib/records/jobs/job.ts";
import { toJob } from "#lib/records/jobs/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

/** Whether the site was touched by this very restore: everything before that leaves it as it was. */
export function hasTouched({ stepsDone }: Pick<Job, "stepsDone">): boolean {
  return stepsDone.includes("volumes");
}

/** The last one that touched the site and has ended, however it did. */
async function lastRestore(rows: Rows, spokeId: string): Promise<Job | null> {
  const row = await rows.selectFrom("jobs").selectAll().where("spokeId", "=", spokeId).where("visible", "=", true)
    .where("kind", "=", OPERATIONS.restore.name).where("state", "in", ["succeeded", "failed", "cancelled"])
    .where(sql<boolean>`'volumes' = any(steps_done)`).orderBy("seq", "desc").limit(1).executeTakeFirst();
  return row ? toJob(row) : null;
}

/** The one that left the site half-way; only another restore ends that. */
export async function findHalfRestored(rows: Rows, spokeId: string): Promise<Job | null> {
  const last = await lastRestore(rows, spokeId);
  return last && last.state !== "succeeded" ? last : null;
}

interface WayBack {
  readonly footing: Footing;
  /** When the site left it; null where it is what the row has still. */
  readonly since: Date | null;
}

/**
 * What the site stood on before its last restore, or by its row stands on still where that one failed; null where there was
 * none, or its volumes have had their time.
 */
export async function wayBack(rows: Rows, { id, blueprintInputs }: SpokeRow): Promise<WayBack | null> {
  const last = await lastRestore(rows, id);
  if (!last) return null;
  if (last.state !== "succeeded") return { footing: footingOf(blueprintInputs as SpokeInputs), since: null };
  const footing = last.progress.restore.before as Footing;
  const kept = (await listKept(rows, id)).map(({ claim }) => claim);
  const isThere = Object.values(claimNames(footing)).every((claim) => kept.includes(claim));
  return isThere ? { footing, since: last.finishedAt } : null;
}

/** Of the spoke's own making from a backup, and of all its restores: by these, what its volumes are made from has its names. */
export async function turnsOf(rows: Rows, { id, blueprintInputs }: SpokeRow): Promise<string[]> {
  const restores = await rows.selectFrom("jobs").select("id").where("spokeId", "=", id).where("visible", "=", true)
    .where("kind", "=", OPERATIONS.restore.name).where("startedAt", "is not", null).execute();
  const own = (blueprintInputs as SpokeInputs).origin?.turn;
  return [...new Set([...own === undefined ? [] : [own], ...restores.map((each) => turnOf(each.id))])];
}

/** Whether an operation of this kind has succeeded at the spoke since then. */
export async function hasSucceededSince(
  rows: Rows,
  spokeId: string,
  kind: SpokeOperationKind,
  since: Date,
): Promise<boolean> {
  const found = await rows.selectFrom("jobs").select("id").where("spokeId", "=", spokeId).where("visible", "=", true)
    .where("kind", "=", kind).where("state", "=", "succeeded").where("finishedAt", ">", since).limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
