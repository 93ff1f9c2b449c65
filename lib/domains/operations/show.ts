/**
 * Shows operations in the API: all operations of a hub or spoke, or one operation with its failure report. Also defines
 * the access rule for operations, which loads the operation in the URL path as `operation`.
 */
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, withPageItems } from "#lib/drivers/db/pages.ts";
import { findVisibleHub } from "#lib/domains/federations/access.ts";
import { canManageHub, canSeeObject, type Viewer } from "#lib/domains/federations/viewer.ts";
import type { Job } from "#lib/jobs/job.ts";
import {
  describeOperation,
  describeOperations,
  type OperationDetail,
  type OperationView,
} from "#lib/jobs/operation.ts";
import { hideOperatorDetails } from "#lib/base/operator-details.ts";
import { listOperationsOfMany, type OperationSelection } from "#lib/jobs/list.ts";
import { findOperation, listOperations } from "#lib/jobs/store.ts";
import { type AccessRule, type Actor, requireActor } from "#lib/domains/auth/access.ts";
import { Fault } from "#lib/base/errors.ts";
import { isId } from "#lib/base/ids.ts";

/** Finds a hub's operations, newest first. Spoke admins see only operations on their own spokes. */
export async function findHubOperations(
  rows: RowQueries,
  viewer: Viewer,
  federationId: string,
  page: ListPageRequest,
): Promise<ListPage<OperationView>> {
  const visibleSpokes = canManageHub(viewer, federationId) ? {} : { spokeIds: viewer.spokeIds };
  return await showPage(rows, viewer, await listOperations(rows, { ...page, federationId, ...visibleSpokes }));
}

/**
 * Finds the operations on all hubs and spokes that the viewer can see, newest first. `federationId` is the ID or slug
 * of the only hub. Throws a `missing` fault if the viewer cannot see it.
 */
export async function findVisibleOperations(
  rows: RowQueries,
  viewer: Viewer,
  { federationId: name, ...page }: Omit<OperationSelection, "owners">,
): Promise<ListPage<OperationView>> {
  const hub = name === undefined ? undefined : (await findVisibleHub(rows, viewer, name, "hidden")).id;
  const { role, federationIds, spokeIds } = viewer;
  const owners = hub !== undefined && canManageHub(viewer, hub)
    ? { federationIds: [hub], spokeIds: [] }
    : role === "operator"
    ? null
    : { federationIds: hub === undefined ? federationIds : [], spokeIds };
  return await showPage(rows, viewer, await listOperationsOfMany(rows, { ...page, owners, federationId: hub }));
}

/** Finds a spoke's operations, newest first. */
export async function findSpokeOperations(
  rows: RowQueries,
  viewer: Viewer,
  spokeId: string,
  page: ListPageRequest,
): Promise<ListPage<OperationView>> {
  return await showPage(rows, viewer, await listOperations(rows, { ...page, spokeId }));
}

async function showPage(rows: RowQueries, viewer: Viewer, page: ListPage<Job>): Promise<ListPage<OperationView>> {
  const descriptions = await describeOperations(rows, page.items, (job) => canSeeObject(viewer, job));
  return withPageItems(page, hideOperatorDetails(viewer, descriptions));
}

export async function showOperation(rows: RowQueries, viewer: Viewer, operation: Job): Promise<OperationDetail> {
  return hideOperatorDetails(viewer, await describeOperation(rows, operation, (job) => canSeeObject(viewer, job)));
}

/** Admits callers who can see the hub or spoke that the operation changes, even if the hub or spoke was removed. */
export function operationAccess(): AccessRule<Actor, { readonly operation: Job }> {
  return {
    name: "operation: see",
    async admit({ app, actor: caller, params }) {
      const actor = requireActor(caller);
      const id = params.operationId ?? "";
      const found = isId("op", id) ? await findOperation(app.db.rows, id) : null;
      if (!found || !canSeeObject(actor, found)) {
        throw new Fault("missing", "operation_missing", "There is no such operation, or you have no access to it");
      }
      return { actor, operation: found };
    },
  };
}
