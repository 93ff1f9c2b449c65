/** Stores which PersistentVolumeClaims (PVCs) are kept although the site no longer uses them (sql/0044). */
import { type Selectable, sql } from "kysely";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { REPLACED_VOLUMES_KEPT_DAYS } from "#lib/operations/restore.ts";

export type RetainedPvc = Selectable<Schema["retained_pvcs"]>;

/** Identifies a PersistentVolumeClaim. The UID is null if no other claim ever gets the same name. */
export interface PvcIdentity {
  readonly claim: string;
  readonly uid: string | null;
}

/** Lists the PersistentVolumeClaims that restores replaced and that a rollback can use again, newest first. */
export async function listReplacedPvcs(rows: Rows, spokeId: string): Promise<RetainedPvc[]> {
  return await rows.selectFrom("retained_pvcs").selectAll().where("spokeId", "=", spokeId).where(
    "reason",
    "=",
    "replaced",
  )
    .where("deletingSince", "is", null).orderBy("operationId", "desc").orderBy("claim").execute();
}

/** Lists the PersistentVolumeClaims left by failed restores, except those that belong to this operation. */
export async function listUnusedPvcs(rows: Rows, spokeId: string, operationId: string): Promise<RetainedPvc[]> {
  return await rows.selectFrom("retained_pvcs").selectAll().where("spokeId", "=", spokeId).where(
    "reason",
    "=",
    "unused",
  )
    .where("operationId", "<>", operationId).execute();
}

/** Records unused PersistentVolumeClaims. Those that a restore replaced are kept for several days. */
export async function retainPvcs(
  tx: Tx,
  { spokeId, operationId, reason }: Pick<RetainedPvc, "spokeId" | "operationId" | "reason">,
  claims: readonly PvcIdentity[],
): Promise<void> {
  if (claims.length === 0) return;
  const days = reason === "replaced" ? REPLACED_VOLUMES_KEPT_DAYS : 0;
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

/** Deletes the rows for PersistentVolumeClaims that the site uses again or that no longer exist. */
export async function deleteRetainedPvcRows(tx: Tx, spokeId: string, claims: readonly string[]): Promise<void> {
  await tx.deleteFrom("retained_pvcs").where("spokeId", "=", spokeId)
    .where(sql<boolean>`claim = any(${claims}::text[])`).execute();
}

/** Deletes the rows for removed spokes, whose PersistentVolumeClaims were deleted with the namespace. */
export async function deletePvcRowsOfRemovedSpokes(rows: Rows): Promise<void> {
  await sql`delete from retained_pvcs using spokes where spokes.id = spoke_id and spokes.state = 'removed'`.execute(
    rows,
  );
}

/** Finds spokes that have PersistentVolumeClaims to delete, according to the rules of `markExpiredPvcs`. */
export async function findSpokesWithExpiredPvcs(rows: Rows, limit: number): Promise<string[]> {
  const { rows: found } = await sql<{ id: string }>`select distinct spoke_id as id from retained_pvcs
    where until <= (select wheelwright_now()) and spoke_id in (select id from spokes where state = 'active')
    order by 1 limit ${limit}`.execute(rows);
  return found.map(({ id }) => id);
}

/**
 * Marks an active spoke's PersistentVolumeClaims that can be deleted now, so that no rollback uses them. A claim that a
 * restore replaced is marked only if a usable backup was taken since. The caller must have locked the spoke's row.
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
