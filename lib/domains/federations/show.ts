/** Converts hubs to API records with the current operation and the number of spokes that the viewer can see. */
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, withPageItems } from "#lib/drivers/db/pages.ts";
import {
  countSpokes,
  type FederationRow,
  listFederations,
  type RemovedObjectVisibility,
} from "#lib/domains/federations/store.ts";
import { canSeeObject, type Viewer } from "#lib/domains/federations/viewer.ts";
import type { FederationFilter, FederationRecord } from "#lib/domains/federations/views.ts";
import { describeModeLimits } from "#lib/model/mode.ts";
import { describeOperations } from "#lib/jobs/operation.ts";
import { hideOperatorDetails } from "#lib/base/operator-details.ts";
import { readCurrentHubOperations } from "#lib/jobs/store.ts";

export async function showFederation(rows: RowQueries, viewer: Viewer, row: FederationRow): Promise<FederationRecord> {
  return (await showFederations(rows, viewer, [row]))[0]!;
}

/** Converts hub rows to API records in the same order, with a fixed number of queries. */
async function showFederations(
  rows: RowQueries,
  viewer: Viewer,
  hubs: readonly FederationRow[],
): Promise<FederationRecord[]> {
  const ids = hubs.map((row) => row.id);
  const isVisible = (job: Parameters<typeof canSeeObject>[1]) => canSeeObject(viewer, job);
  const [counts, jobs] = await Promise.all([countSpokes(rows, viewer, ids), readCurrentHubOperations(rows, ids)]);
  const operations = await describeOperations(rows, [...jobs.values()].filter(isVisible), isVisible);
  const byHub = new Map(operations.map((operation) => [operation.federationId, operation]));
  return hubs.map((row) => ({
    ...row,
    status: row.state,
    spokeCount: counts.get(row.id) ?? 0,
    modeNote: describeModeLimits(row.mode),
    ...hideOperatorDetails(viewer, { stateReason: row.stateReason, operation: byHub.get(row.id) ?? null }),
  }));
}

/** Finds the hubs that the viewer can see, newest first. */
export async function findFederations(
  rows: RowQueries,
  viewer: Viewer,
  request: ListPageRequest & FederationFilter,
  removed: RemovedObjectVisibility,
): Promise<ListPage<FederationRecord>> {
  const page = await listFederations(rows, viewer, request, removed);
  return withPageItems(page, await showFederations(rows, viewer, page.items));
}
