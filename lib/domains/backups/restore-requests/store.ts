/** Stores requests to restore a backup. A spoke has at most one open request for each of its backups. */
import { type Selectable, sql } from "kysely";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RestoreRequestRecord } from "#lib/domains/backups/restore-requests/views.ts";
import type { RestoreRequestState } from "#lib/model/backup.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, readNewestRows, withPageItems } from "#lib/drivers/db/pages.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";

export type RestoreRequestRow = Selectable<Schema["restore_requests"]>;

interface Filter extends ListPageRequest {
  readonly spokeId?: string;
  readonly state?: RestoreRequestState | undefined;
}

export async function listRestoreRequests(
  rows: RowQueries,
  actor: Pick<Actor, "role">,
  { spokeId, state, ...request }: Filter,
): Promise<ListPage<RestoreRequestRecord>> {
  let query = rows.selectFrom("restore_requests").selectAll();
  if (spokeId !== undefined) query = query.where("spokeId", "=", spokeId);
  if (state) query = query.where("state", "=", state);
  const page = await readNewestRows(query, request);
  return withPageItems(page, await showRestoreRequests(rows, actor, page.items));
}

/** Converts restore request rows to API records, in the same order. */
export async function showRestoreRequests(
  rows: RowQueries,
  { role }: Pick<Actor, "role">,
  requests: readonly RestoreRequestRow[],
): Promise<RestoreRequestRecord[]> {
  if (requests.length === 0) return [];
  const ids = [...new Set(requests.flatMap((row) => [row.requestedBy, row.decidedBy ?? row.requestedBy]))];
  const users = await rows.selectFrom("users").select(["id", "email"]).where("id", "in", ids).execute();
  const people = new Map(users.map((user) => [user.id, user]));
  return requests.map(({ updatedAt: _, ...row }) => ({
    ...row,
    requestedBy: people.get(row.requestedBy)!,
    decidedBy: row.decidedBy === null ? null : people.get(row.decidedBy)!,
    command: role === "operator" ? formatRestoreCommand(row) : null,
  }));
}

/** Returns the server command that restores the backup. Uses IDs, which work even if the spoke was removed. */
export function formatRestoreCommand({ spokeId, backupId }: Pick<RestoreRequestRow, "spokeId" | "backupId">): string {
  return `wheelwright restore ${spokeId} --backup ${backupId}`;
}

export async function lockRestoreRequest(tx: Tx, id: string): Promise<RestoreRequestRow | undefined> {
  return await tx.selectFrom("restore_requests").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
}

interface Decision {
  readonly state: Exclude<RestoreRequestState, "open">;
  /** The ID of the operator who closed the request. Null if a successful restore closed the request. */
  readonly decidedBy: string | null;
  readonly declineReason?: string;
}

export async function closeRestoreRequests(
  tx: Tx,
  selector: { readonly id: string } | { readonly spokeId: string; readonly backupId: string },
  decision: Decision,
): Promise<RestoreRequestRow[]> {
  const now = sql<Date>`wheelwright_now()`;
  let query = tx.updateTable("restore_requests").set({ ...decision, decidedAt: now, updatedAt: now })
    .where("state", "=", "open");
  query = "id" in selector
    ? query.where("id", "=", selector.id)
    : query.where("spokeId", "=", selector.spokeId).where("backupId", "=", selector.backupId);
  return await query.returningAll().execute();
}
