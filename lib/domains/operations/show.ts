/** Operations as the API shows them: of a hub and all its spokes, of one spoke, or one alone with what its failure left. */
import type { Rows } from "#lib/drivers/db/database.ts";
import { runsHub, sees, type Viewer } from "#lib/domains/federations/viewer.ts";
import type { Job } from "#lib/jobs/job.ts";
import {
  describeOperation,
  describeOperations,
  type OperationDetail,
  type OperationView,
} from "#lib/jobs/operation.ts";
import { shownMeans } from "#lib/base/means.ts";
import { listOperations } from "#lib/jobs/store.ts";

interface Page {
  readonly limit: number;
  readonly before?: Date | undefined;
}

/** Newest first. Who does not run the hub gets its own spokes' operations alone. */
export async function findHubOperations(
  rows: Rows,
  viewer: Viewer,
  federationId: string,
  page: Page,
): Promise<OperationView[]> {
  const narrowed = runsHub(viewer, federationId) ? {} : { spokeIds: viewer.spokeIds };
  const found = await listOperations(rows, { ...page, federationId, ...narrowed });
  return shownMeans(viewer, await describeOperations(rows, found, (job) => sees(viewer, job)));
}

/** Newest first. */
export async function findSpokeOperations(
  rows: Rows,
  viewer: Viewer,
  spokeId: string,
  page: Page,
): Promise<OperationView[]> {
  const found = await listOperations(rows, { ...page, spokeId });
  return shownMeans(viewer, await describeOperations(rows, found, (job) => sees(viewer, job)));
}

export async function showOperation(rows: Rows, viewer: Viewer, operation: Job): Promise<OperationDetail> {
  return shownMeans(viewer, await describeOperation(rows, operation, (job) => sees(viewer, job)));
}
