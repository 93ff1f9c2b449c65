/**
 * Stores PersistentVolumeClaims (PVCs) that are kept although their site no longer uses them (table in sql/0044). Finds
 * the volumes that a site uses again after a rollback.
 */
import { type Selectable, sql } from "kysely";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { ROLLBACK_DAYS } from "#lib/operations/restore.ts";
import { extractVersionAndVolumes, type SiteVersionAndVolumes } from "#lib/moodle/site-base.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getAdoptionId, getSitePvcNames } from "#lib/moodle/names.ts";
import { findLastRestore, listStartedRestores } from "#lib/jobs/restores.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";

export type RetainedPvc = Selectable<Schema["retained_pvcs"]>;

/** A PersistentVolumeClaim's name and UID. The UID is null for names that are never used again. */
export interface PvcIdentity {
  readonly claim: string;
  readonly uid: string | null;
}

/** Lists the PersistentVolumeClaims that restores replaced and a rollback can use again, newest first. */
export async function listReplacedPvcs(rows: RowQueries, spokeId: string): Promise<RetainedPvc[]> {
  return await rows.selectFrom("retained_pvcs").selectAll().where("spokeId", "=", spokeId).where(
    "reason",
    "=",
    "replaced",
  )
    .where("deletingSince", "is", null).orderBy("operationId", "desc").orderBy("claim").execute();
}

/** Lists the PersistentVolumeClaims that failed restores left behind. Excludes PVCs of the given operation. */
export async function listUnusedPvcs(rows: RowQueries, spokeId: string, operationId: string): Promise<RetainedPvc[]> {
  return await rows.selectFrom("retained_pvcs").selectAll().where("spokeId", "=", spokeId).where(
    "reason",
    "=",
    "unused",
  )
    .where("operationId", "<>", operationId).execute();
}

/** Records PersistentVolumeClaims for later deletion. PVCs that a restore replaced are kept for several days. */
export async function retainPvcs(
  tx: Tx,
  { spokeId, operationId, reason }: Pick<RetainedPvc, "spokeId" | "operationId" | "reason">,
  claims: readonly PvcIdentity[],
): Promise<void> {
  if (claims.length === 0) return;
  const days = reason === "replaced" ? ROLLBACK_DAYS : 0;
  const until = sql<Date>`wheelwright_now() + make_interval(days => ${days}::integer)`;
  await tx.insertInto("retained_pvcs").values(claims.map((each) => ({ ...each, spokeId, operationId, reason, until })))
    .onConflict((conflict) =>
      conflict.columns(["spokeId", "claim"]).doUpdateSet({
        uid: sql`excluded.uid`,
        operationId,
        reason,
        since: sql<Date>`wheelwright_now()`,
        until,
        deletingSince: null,
      })
    ).execute();
}

/** Deletes the rows of PersistentVolumeClaims that the site uses again or that no longer exist. */
export async function deleteRetainedPvcRows(tx: Tx, spokeId: string, claims: readonly string[]): Promise<void> {
  await tx.deleteFrom("retained_pvcs").where("spokeId", "=", spokeId)
    .where(sql<boolean>`claim = any(${claims}::text[])`).execute();
}

/** Deletes the rows of removed spokes, whose PersistentVolumeClaims were deleted with the namespace. */
export async function deletePvcRowsOfRemovedSpokes(rows: RowQueries): Promise<void> {
  await sql`delete from retained_pvcs using spokes where spokes.id = spoke_id and spokes.state = 'removed'`.execute(
    rows,
  );
}

/** Finds active spokes that may have PersistentVolumeClaims to delete (see `markExpiredPvcs`). */
export async function findSpokesWithExpiredPvcs(rows: RowQueries, limit: number): Promise<string[]> {
  const { rows: found } = await sql<{ id: string }>`select distinct spoke_id as id from retained_pvcs
    where until <= (select wheelwright_now()) and spoke_id in (select id from spokes where state = 'active')
    order by 1 limit ${limit}`.execute(rows);
  return found.map(({ id }) => id);
}

/**
 * Marks an active spoke's expired PersistentVolumeClaims for deletion, so that no rollback uses them. PVCs that a
 * restore replaced are marked only if a usable backup was taken later. The caller must have locked the spoke's row.
 */
export async function markExpiredPvcs(tx: Tx, spokeId: string): Promise<RetainedPvc[]> {
  return await tx.updateTable("retained_pvcs").set({
    deletingSince: sql<Date>`coalesce(deleting_since, wheelwright_now())`,
  })
    .where("spokeId", "=", spokeId).where("until", "<=", sql<Date>`wheelwright_now()`)
    .where(sql<boolean>`reason = 'unused' or exists (select from backups where backups.spoke_id = retained_pvcs.spoke_id
      and state = 'ready' and backups.deleting_since is null and created_at > since)`)
    .returningAll().execute();
}

interface RollbackTarget {
  readonly siteBase: SiteVersionAndVolumes;
  /** The time when the site stopped using these volumes. Null if the spoke's row still refers to these volumes. */
  readonly since: Date | null;
}

/** Returns the site's volumes from before the last restore. Null if there was no restore or they have expired. */
export async function findRollbackVolumes(
  rows: RowQueries,
  { id, blueprintInputs }: SpokeRow,
): Promise<RollbackTarget | null> {
  const last = await findLastRestore(rows, id);
  if (!last) return null;
  if (last.state !== "succeeded") {
    return { siteBase: extractVersionAndVolumes(blueprintInputs as SpokeInputs), since: null };
  }
  const siteBase = last.progress.restore!.before;
  const replacedClaims = (await listReplacedPvcs(rows, id)).map(({ claim }) => claim);
  const isComplete = Object.values(getSitePvcNames(siteBase)).every((claim) => replacedClaims.includes(claim));
  return isComplete ? { siteBase, since: last.finishedAt } : null;
}

/** Returns the suffixes of the spoke's volume names: one per restore, and one if it was created from a backup. */
export async function listVolumeSuffixes(rows: RowQueries, { id, blueprintInputs }: SpokeRow): Promise<string[]> {
  const own = (blueprintInputs as SpokeInputs).origin?.adoptionId;
  const restores = (await listStartedRestores(rows, id)).map(getAdoptionId);
  return [...new Set([...own === undefined ? [] : [own], ...restores])];
}
