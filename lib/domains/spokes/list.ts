/** Lists spokes in one hub or in many hubs, page by page. */
import { sql } from "kysely";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, readPage } from "#lib/drivers/db/pages.ts";
import { buildLikePattern, readNewestOrAll } from "#lib/drivers/db/text-search.ts";
import { prepareQuery, prepareReadOnSharedConnection } from "#lib/drivers/db/prepare.ts";
import type { RemovedObjectVisibility } from "#lib/domains/federations/store.ts";
import { canManageHub, isObjectVisibleTo, type Viewer } from "#lib/domains/federations/viewer.ts";
import { hasValueFilters, matchesValues } from "#lib/domains/spokes/filter.ts";
import {
  countFirstSpokes,
  hasSparseFilters,
  mayUseNewestSpokes,
  selectSpokesOfPage,
  type SpokeSelection,
} from "#lib/domains/spokes/live-spokes.ts";
import * as sorting from "#lib/domains/spokes/sort.ts";
import {
  EXTRA_SPOKE_COLUMNS,
  isLiveSpoke,
  LISTED_SPOKE_COLUMNS,
  type ListedSpoke,
  matchesSpokeText,
  type SpokeQuery,
} from "#lib/domains/spokes/store.ts";

interface SpokesPage extends Omit<SpokeQuery, "q" | "sort" | keyof ListPageRequest>, sorting.SpokeOrder {
  readonly pattern?: string | undefined;
  readonly hidden?: true | undefined;
  /** The IDs of the hubs and spokes that the viewer may see. Both undefined if they may see every spoke in the list. */
  readonly federationIds?: readonly string[];
  readonly spokeIds?: readonly string[];
}

const pageOfSpokes = prepareReadOnSharedConnection((rows, { federationIds, spokeIds, ...where }: SpokesPage) => {
  let query = rows.selectFrom("spokes").select(LISTED_SPOKE_COLUMNS).select(EXTRA_SPOKE_COLUMNS);
  if (federationIds && spokeIds) {
    const viewer: Viewer = { role: "hub_admin", federationIds, spokeIds };
    query = query.where(isObjectVisibleTo(viewer, sql.ref("federationId"), sql.ref("id")));
  }
  if (where.federationId) query = query.where("federationId", "=", where.federationId);
  if (where.hidden) query = query.where(isLiveSpoke);
  query = query.where(matchesValues(where, "spokes")).where(sorting.isAfterCursor(where, "spokes"));
  if (where.pattern) query = query.where(matchesSpokeText(where.pattern));
  return query.modifyEnd(
    sql`${sorting.orderOf(where, "spokes")} ${where.maxRows === undefined ? sql`` : sql`limit ${where.maxRows}`}`,
  );
}, { batched: false, isFast: ({ maxRows, pattern }) => maxRows !== undefined && pattern === undefined });

const pageOfManyHubs = prepareQuery((rows, selection: SpokeSelection) =>
  rows.selectFrom("spokes").select(LISTED_SPOKE_COLUMNS).select(EXTRA_SPOKE_COLUMNS)
    .where(sql<boolean>`id = any(array(select spoke_id from (${selectSpokesOfPage(selection)}) as page))`)
    .modifyEnd(sorting.orderOf(selection, "spokes"))
);

const countFirst = prepareQuery((_, selection: SpokeSelection) => countFirstSpokes(selection));

/** Lists the spokes in one hub or in all hubs that the viewer can see, by default newest first. */
export async function listSpokes(
  rows: RowQueries,
  viewer: Viewer,
  { q, limit, before, sort, ...filters }: SpokeQuery,
  removed: RemovedObjectVisibility,
): Promise<ListPage<ListedSpoke>> {
  const federationId = filters.federationId ?? findOnlyHub(viewer);
  // If the viewer can manage this hub, filters only by hub, because PostgreSQL can reuse the plan of such a query, but
  // not the plan of a query with arrays of IDs.
  const all = viewer.role === "operator" || federationId !== undefined && canManageHub(viewer, federationId);
  const { federationIds, spokeIds } = viewer, pattern = q === undefined ? undefined : buildLikePattern(q);
  const order = sorting.resolveSpokeSort(sort);
  const conditions = { ...filters, ...order, pattern, ...(!all && { federationIds, spokeIds }) };
  return await readPage(
    { limit, before },
    async (limits) => {
      const bounds = sorting.resolveSpokeBounds(order, limits);
      if (federationId !== undefined || bounds.maxRows === undefined) {
        const hidden = removed === "hidden" ? true as const : undefined;
        return await pageOfSpokes(rows, { ...conditions, ...(federationId && { federationId }), hidden, ...bounds });
      }
      const selection: SpokeSelection = {
        ...conditions,
        ...bounds,
        part: q,
        withRemoved: removed === "shown" ? true : undefined,
        isSparse: hasSparseFilters(filters) ? true : undefined,
      };
      return await readNewestOrAll(
        bounds,
        mayUseNewestSpokes(selection),
        (newestRows) => pageOfManyHubs(rows, { ...selection, newestRows }),
        async (newestRows) => {
          if (!hasValueFilters(filters) && !order.isByFailure) return false;
          return (await countFirst(rows, { ...selection, maxRows: newestRows }))[0]!.count < newestRows;
        },
      );
    },
    (row) => [sorting.cursorTimeOf(order, row), row.id],
  );
}

/** Returns the ID of the viewer's only hub. Undefined for operators, and for viewers with other hubs or spokes. */
function findOnlyHub({ role, federationIds, spokeIds }: Viewer): string | undefined {
  return role !== "operator" && federationIds.length === 1 && spokeIds.length === 0 ? federationIds[0] : undefined;
}
