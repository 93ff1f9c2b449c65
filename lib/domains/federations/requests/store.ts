/** The rows of requests for hubs. They stay for good; of those that are pending, one has a slug. */
import { type Insertable, type Selectable, sql } from "kysely";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, readNewest } from "#lib/drivers/db/pages.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { isId } from "#lib/base/ids.ts";
import type { RequestState } from "#lib/domains/federations/requests/views.ts";

export type RequestRow = Selectable<Schema["federation_requests"]>;

export interface RequestFilter extends ListPageRequest {
  readonly requestedBy?: string;
  readonly state?: RequestState | undefined;
}

export async function findRequest(rows: Rows, id: string): Promise<RequestRow | undefined> {
  if (!isId("frq", id)) return undefined;
  return await rows.selectFrom("federation_requests").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Newest first. */
export async function listRequests(rows: Rows, filter: RequestFilter): Promise<ListPage<RequestRow>> {
  let query = rows.selectFrom("federation_requests").selectAll();
  if (filter.requestedBy) query = query.where("requestedBy", "=", filter.requestedBy);
  if (filter.state) query = query.where("state", "=", filter.state);
  return await readNewest(query, filter);
}

/** Adds the request, or returns undefined when a pending one has its slug. It waits for another call that is adding that. */
export async function insertRequest(
  tx: Tx,
  row: Insertable<Schema["federation_requests"]>,
): Promise<RequestRow | undefined> {
  return await tx.insertInto("federation_requests").values(row).onConflict((conflict) => conflict.doNothing())
    .returningAll().executeTakeFirst();
}

/** The row as it stands, held until the transaction ends: of those who would decide it, the first does. */
export async function lockRequest(tx: Tx, id: string): Promise<RequestRow> {
  return await tx.selectFrom("federation_requests").selectAll().where("id", "=", id).forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

interface Decision {
  readonly state: Exclude<RequestState, "pending">;
  readonly decidedBy: string;
  readonly rejectReason?: string;
  readonly federationId?: string;
}

export async function saveDecision(tx: Tx, id: string, decision: Decision): Promise<RequestRow> {
  const now = sql<Date>`wheelwright_now()`;
  return await tx.updateTable("federation_requests").set({
    ...decision,
    decidedAt: now,
    updatedAt: now,
  }).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/** How many of the user's wait for a decision, and how many were made within the hour and taken back. */
export async function countRecent(
  rows: Rows,
  userId: string,
): Promise<{ readonly pending: number; readonly withdrawn: number }> {
  const isRecent = sql<boolean>`created_at > wheelwright_now() - interval '1 hour'`;
  return await rows.selectFrom("federation_requests").select([
    sql<number>`(count(*) filter (where state = 'pending'))::int`.as("pending"),
    sql<number>`(count(*) filter (where state = 'withdrawn'))::int`.as("withdrawn"),
  ]).where("requestedBy", "=", userId).where((where) => where.or([where("state", "=", "pending"), isRecent]))
    .executeTakeFirstOrThrow();
}
