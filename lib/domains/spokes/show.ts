/** Converts spokes to API records that include the current operation. */
import { type AuditEvent, listAuditEvents, redactAuditEvent } from "#lib/audit/store.ts";
import { formatSpokeUrl } from "#lib/catalog/inputs.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, withPageItems } from "#lib/drivers/db/pages.ts";
import type { RemovedObjectVisibility } from "#lib/domains/federations/store.ts";
import { findVisibleHub } from "#lib/domains/federations/access.ts";
import { canSeeObject, type Viewer } from "#lib/domains/federations/viewer.ts";
import { describeOperations } from "#lib/jobs/operation.ts";
import { hideOperatorDetails } from "#lib/base/operator-details.ts";
import { readCurrentOperations } from "#lib/jobs/store.ts";
import { listFormerDomains } from "#lib/domains/spokes/names.ts";
import { listSpokes } from "#lib/domains/spokes/list.ts";
import {
  createDefaultSpokeExtras,
  type ListedSpoke,
  type SpokeQuery,
  type SpokeRow,
} from "#lib/domains/spokes/store.ts";
import type { SpokeRecord } from "#lib/domains/spokes/views.ts";

export async function showSpoke(rows: RowQueries, viewer: Viewer, row: SpokeRow): Promise<SpokeRecord> {
  return (await showSpokes(rows, viewer, [row]))[0]!;
}

/** Converts spoke rows to API records in the same order, with a fixed number of queries. */
export async function showSpokes(
  rows: RowQueries,
  viewer: Viewer,
  spokes: readonly SpokeRow[],
): Promise<SpokeRecord[]> {
  return await showListedSpokes(
    rows,
    viewer,
    spokes.map((row) => ({ ...row, ...createDefaultSpokeExtras(row) })),
  );
}

/** Converts spoke rows to API records. */
export async function showListedSpokes(
  rows: RowQueries,
  viewer: Viewer,
  spokes: readonly ListedSpoke[],
): Promise<SpokeRecord[]> {
  const [jobs, former] = await Promise.all([
    readCurrentOperations(rows, spokes.filter(({ busy }) => busy).map(({ id }) => id)),
    listFormerDomains(rows, spokes.filter(({ renamed }) => renamed).map(({ id }) => id)),
  ]);
  const operations = await describeOperations(rows, [...jobs.values()], (job) => canSeeObject(viewer, job));
  const bySpoke = new Map(operations.map((operation) => [operation.spokeId, operation]));
  return spokes.map((row) => toSpokeRecord(viewer, row, former.get(row.id) ?? [], bySpoke.get(row.id) ?? null));
}

/** Converts a spoke's row, former domains and current operation to an API record. */
export function toSpokeRecord(
  viewer: Viewer,
  row: ListedSpoke,
  formerDomains: SpokeRecord["formerDomains"],
  operation: SpokeRecord["operation"],
): SpokeRecord {
  return {
    ...row,
    formerDomains,
    url: formatSpokeUrl({ https: row.https, host: row.domain, ...(row.port !== null && { port: row.port }) }),
    moodleVersion: row.lmsVersion,
    from: row.copyOf === null ? null : { spokeId: row.copyOf, backupId: row.fromBackup! },
    status: row.state,
    ...hideOperatorDetails(viewer, { stateReason: row.stateReason, operation }),
  };
}

/** Finds the spokes in one hub or in all hubs that the viewer can see. */
export async function findSpokes(
  rows: RowQueries,
  viewer: Viewer,
  where: SpokeQuery,
  removed: RemovedObjectVisibility,
): Promise<ListPage<SpokeRecord>> {
  const page = await listSpokes(rows, viewer, where, removed);
  return withPageItems(page, await showListedSpokes(rows, viewer, page.items));
}

/** Does the same as `findSpokes`, but finds the hub by its slug too. Throws a `missing` fault if it is not visible. */
export async function findSpokesInAnyHub(
  rows: RowQueries,
  viewer: Viewer,
  { federationId: name, ...where }: SpokeQuery,
  removed: RemovedObjectVisibility,
): Promise<ListPage<SpokeRecord>> {
  const hub = name === undefined ? undefined : await findVisibleHub(rows, viewer, name, removed);
  return await findSpokes(rows, viewer, { ...where, federationId: hub?.id }, removed);
}

/** Finds the audit events about a spoke, newest first, without details that the viewer may not see. */
export async function findSpokeActivity(
  rows: RowQueries,
  viewer: Viewer,
  { id }: Pick<SpokeRow, "id">,
  request: ListPageRequest,
): Promise<ListPage<AuditEvent>> {
  const page = await listAuditEvents(rows, { spokeId: id }, request);
  return withPageItems(page, page.items.map((event) => redactAuditEvent(viewer, event)));
}
