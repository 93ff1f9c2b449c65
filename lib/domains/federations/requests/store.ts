/**
 * Stores requests for new hubs, which are never deleted, and converts them to API records. For each slug, at most one
 * request is pending.
 */
import { type Insertable, type Selectable, sql } from "kysely";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, readNewestRows, withPageItems } from "#lib/drivers/db/pages.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { isId } from "#lib/base/ids.ts";
import type { HubRequestState } from "#lib/model/hub.ts";
import type { Actor } from "#lib/domains/auth/access.ts";
import type { FederationRequestRecord } from "#lib/domains/federations/requests/views.ts";

export type HubRequestRow = Selectable<Schema["federation_requests"]>;

export interface HubRequestFilter extends ListPageRequest {
  readonly requestedBy?: string;
  /** The IDs of the hubs to which a token is limited. Excludes requests from which none of these hubs was created. */
  readonly hubLimit?: readonly string[] | null;
  readonly state?: HubRequestState | undefined;
}

export async function findHubRequest(rows: RowQueries, id: string): Promise<HubRequestRow | undefined> {
  if (!isId("frq", id)) return undefined;
  return await rows.selectFrom("federation_requests").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function listHubRequests(rows: RowQueries, filter: HubRequestFilter): Promise<ListPage<HubRequestRow>> {
  let query = rows.selectFrom("federation_requests").selectAll();
  if (filter.requestedBy) query = query.where("requestedBy", "=", filter.requestedBy);
  if (filter.state) query = query.where("state", "=", filter.state);
  if (filter.hubLimit) query = query.where("federationId", "in", filter.hubLimit);
  return await readNewestRows(query, filter);
}

/** Adds a request for a hub. Returns undefined if another pending request has the same slug. */
export async function insertHubRequest(
  tx: Tx,
  row: Insertable<Schema["federation_requests"]>,
): Promise<HubRequestRow | undefined> {
  return await tx.insertInto("federation_requests").values(row).onConflict((conflict) => conflict.doNothing())
    .returningAll().executeTakeFirst();
}

/** Locks a request's row until the transaction ends, so that only the first of several decisions succeeds. */
export async function lockHubRequest(tx: Tx, id: string): Promise<HubRequestRow> {
  return await tx.selectFrom("federation_requests").selectAll().where("id", "=", id).forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

interface Decision {
  readonly state: Exclude<HubRequestState, "pending">;
  readonly decidedBy: string;
  readonly rejectReason?: string;
  readonly federationId?: string;
}

export async function saveRequestDecision(tx: Tx, id: string, decision: Decision): Promise<HubRequestRow> {
  const now = sql<Date>`wheelwright_now()`;
  return await tx.updateTable("federation_requests").set({
    ...decision,
    decidedAt: now,
    updatedAt: now,
  }).where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/** Counts the user's pending requests, and requests that the user both created and withdrew within the last hour. */
export async function countRecentRequests(
  rows: RowQueries,
  userId: string,
): Promise<{ readonly pending: number; readonly withdrawn: number }> {
  const isRecent = sql<boolean>`created_at > wheelwright_now() - interval '1 hour'`;
  return await rows.selectFrom("federation_requests").select([
    sql<number>`(count(*) filter (where state = 'pending'))::int`.as("pending"),
    sql<number>`(count(*) filter (where state = 'withdrawn'))::int`.as("withdrawn"),
  ]).where("requestedBy", "=", userId).where((where) => where.or([where("state", "=", "pending"), isRecent]))
    .executeTakeFirstOrThrow();
}

/** Finds requests for hubs, newest first. Operators see all requests; other users see only their own requests. */
export async function findVisibleHubRequests(
  rows: RowQueries,
  actor: Actor,
  request: Omit<HubRequestFilter, "requestedBy" | "hubLimit">,
): Promise<ListPage<FederationRequestRecord>> {
  const own = actor.role === "operator" ? {} : { requestedBy: actor.userId, hubLimit: actor.hubLimit };
  const page = await listHubRequests(rows, { ...request, ...own });
  return withPageItems(page, await showRequests(rows, page.items));
}

export async function showHubRequest(rows: RowQueries, row: HubRequestRow): Promise<FederationRequestRecord> {
  return (await showRequests(rows, [row]))[0]!;
}

/** Converts rows to API records in the same order. Loads the users of all requests in a single query. */
async function showRequests(rows: RowQueries, requests: readonly HubRequestRow[]): Promise<FederationRequestRecord[]> {
  if (requests.length === 0) return [];
  const ids = new Set(requests.flatMap((row) => [row.requestedBy, ...row.decidedBy === null ? [] : [row.decidedBy]]));
  const users = await rows.selectFrom("users").select(["id", "email"]).where("id", "in", [...ids]).execute();
  const people = new Map(users.map((user) => [user.id, user]));
  return requests.map((row) => ({
    ...row,
    requestedBy: people.get(row.requestedBy)!,
    decidedBy: row.decidedBy === null ? null : people.get(row.decidedBy)!,
  }));
}
