/** Converts requests for hubs to API records that include the requester and the user who decided the request. */
import type { Actor } from "#lib/domains/auth/access.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { type ListPage, withPageItems } from "#lib/drivers/db/pages.ts";
import { type HubRequestFilter, type HubRequestRow, listHubRequests } from "#lib/domains/federations/requests/store.ts";
import type { FederationRequestRecord } from "#lib/domains/federations/requests/views.ts";

/** Finds requests for hubs, newest first. Operators see all requests; other users see only their own requests. */
export async function findVisibleHubRequests(
  rows: RowQueries,
  actor: Actor,
  request: Omit<HubRequestFilter, "requestedBy">,
): Promise<ListPage<FederationRequestRecord>> {
  const own = actor.role === "operator" ? {} : { requestedBy: actor.userId };
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
