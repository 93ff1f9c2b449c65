/** Stores spokes. The row of a removed spoke is kept for audit events, but the slug and domain become free. */
import { type Insertable, type Selectable, sql } from "kysely";
import * as v from "valibot";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, readPage } from "#lib/drivers/db/pages.ts";
import { buildLikePattern, buildPatternCondition, readNewestOrAll } from "#lib/drivers/db/text-search.ts";
import { prepareQuery, prepareReadOnSharedConnection } from "#lib/drivers/db/prepare.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { RemovedObjectVisibility } from "#lib/domains/federations/store.ts";
import { canManageHub, isObjectVisibleTo, type Viewer } from "#lib/domains/federations/viewer.ts";
import { isId } from "#lib/base/ids.ts";
import { HostName } from "#lib/base/schema.ts";
import { fieldsWith, pickFields } from "#lib/model/field.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import type { SpokeState } from "#lib/model/states.ts";
import {
  hasSparseFilters,
  mayUseNewestSpokes,
  selectSpokesOfPage,
  type SpokeSelection,
} from "#lib/domains/spokes/live-spokes.ts";
import { matchesValues, type SpokeFilter } from "#lib/domains/spokes/filter.ts";
import * as sorting from "#lib/domains/spokes/sort.ts";

export type SpokeRow = Selectable<Schema["spokes"]>;
export type NewSpokeRow = Insertable<Schema["spokes"]>;

/** Values that are not columns of a spoke. `busy` and `renamed` say whether further queries are needed. */
interface SpokeExtras {
  /** Whether an operation on the spoke is queued or running. */
  readonly busy: boolean;
  /** Whether the spoke has at least one former domain. */
  readonly renamed: boolean;
  /** Whether the spoke's site uses HTTPS. */
  readonly https: boolean;
  /** The port in the site's URL. Null for the default port. */
  readonly port: number | null;
}

export type SpokeWithExtras = SpokeRow & SpokeExtras;

/** Returns the extra values of a row that was read without them. Sets `busy` and `renamed`, so no query is skipped. */
export function createDefaultSpokeExtras({ blueprintInputs }: SpokeRow): SpokeExtras {
  return { busy: true, renamed: true, https: blueprintInputs.https, port: blueprintInputs.port ?? null };
}

const listedColumns = [
  ...fieldsWith(spokeFields, "shown"),
  ...["copyOf", "fromBackup", "createdAt", "updatedAt", "readyAt", "observedAt", "lastFailedAt", "drift"] as const,
];

export type ListedSpoke = Pick<SpokeRow, (typeof listedColumns)[number]> & SpokeExtras;

const extraColumns = [
  sql<boolean>`exists (select from jobs where spoke_id = spokes.id and visible and state in ('queued', 'running'))`
    .as("busy"),
  sql<boolean>`exists (select from former_domains where spoke_id = spokes.id)`.as("renamed"),
  sql<boolean>`(blueprint_inputs ->> 'https')::boolean`.as("https"),
  sql<number | null>`(blueprint_inputs ->> 'port')::integer`.as("port"),
];

// Uses literal SQL without a parameter, so that PostgreSQL can use the partial index for spokes that are not removed.
const isLive = sql<boolean>`state <> 'removed'`;

interface SpokeKey {
  readonly id?: string;
  readonly domain?: string;
  readonly hidden?: true | undefined;
}

const matchesKey = ({ id, domain, hidden }: SpokeKey) =>
  sql<boolean>`${id ? sql`id = ${id}` : sql`domain = ${domain}`} and ${hidden ? isLive : sql`true`}`;
const findByKey = prepareReadOnSharedConnection((rows, key: SpokeKey) =>
  rows.selectFrom("spokes").selectAll().select(extraColumns).where(matchesKey(key))
);
const findListedByKey = prepareReadOnSharedConnection((rows, key: SpokeKey) =>
  rows.selectFrom("spokes").select(listedColumns).select(extraColumns).where(matchesKey(key))
);

/** Finds a spoke by ID, or a live spoke by domain. An ID contains no dot, so an ID is never a domain. */
export async function findSpoke(
  rows: RowQueries,
  name: string,
  removed: RemovedObjectVisibility,
): Promise<SpokeWithExtras | undefined> {
  const key = parseSpokeKey(name, removed);
  return key && (await findByKey(rows, key))[0];
}

/** Finds a spoke by ID or domain, but reads only the columns for lists of spokes. */
export async function findSpokeForList(
  rows: RowQueries,
  name: string,
  removed: RemovedObjectVisibility,
): Promise<ListedSpoke | undefined> {
  const key = parseSpokeKey(name, removed);
  return key && (await findListedByKey(rows, key))[0];
}

function parseSpokeKey(name: string, removed: RemovedObjectVisibility): SpokeKey | undefined {
  if (isId("spk", name)) return { id: name, hidden: removed === "hidden" ? true : undefined };
  const domain = v.safeParse(HostName, name);
  return domain.success ? { domain: domain.output, hidden: true } : undefined;
}

/** Returns those of the live spokes that the viewer can see and that match the filters, in no particular order. */
export async function findVisibleSpokes(
  rows: RowQueries,
  viewer: Viewer,
  ids: readonly string[],
  { federationId, q, ...filter }: Omit<SpokeQuery, keyof ListPageRequest | "sort"> = {},
): Promise<SpokeRow[]> {
  const validIds = ids.filter((id) => isId("spk", id));
  if (validIds.length === 0) return [];
  let query = rows.selectFrom("spokes").selectAll().where("id", "in", validIds).where("state", "<>", "removed")
    .where(isObjectVisibleTo(viewer, sql.ref("federationId"), sql.ref("id"))).where(matchesValues(filter));
  if (federationId !== undefined) query = query.where("federationId", "=", federationId);
  if (q !== undefined) query = query.where(matchesText(buildLikePattern(q)));
  return await query.execute();
}

const matchesText = (pattern: string) => buildPatternCondition(["slug", "displayName", "domain"], pattern);

/** Filters and page limits for a list of spokes. */
export interface SpokeQuery extends ListPageRequest, SpokeFilter {
  readonly sort?: sorting.SpokeSort | undefined;
  readonly federationId?: string | undefined;
}

interface SpokesPage extends Omit<SpokeQuery, "q" | "sort" | keyof ListPageRequest>, sorting.SpokeOrder {
  readonly pattern?: string | undefined;
  readonly hidden?: true | undefined;
  /** The IDs of the hubs and spokes that the viewer may see. Both undefined if they may see every spoke in the list. */
  readonly federationIds?: readonly string[];
  readonly spokeIds?: readonly string[];
}

const pageOfSpokes = prepareReadOnSharedConnection((rows, { federationIds, spokeIds, ...where }: SpokesPage) => {
  let query = rows.selectFrom("spokes").select(listedColumns).select(extraColumns);
  if (federationIds && spokeIds) {
    const viewer: Viewer = { role: "hub_admin", federationIds, spokeIds };
    query = query.where(isObjectVisibleTo(viewer, sql.ref("federationId"), sql.ref("id")));
  }
  if (where.federationId) query = query.where("federationId", "=", where.federationId);
  if (where.hidden) query = query.where(isLive);
  query = query.where(matchesValues(where)).where(sorting.isAfterCursor(where, "id"));
  if (where.pattern) query = query.where(matchesText(where.pattern));
  return query.modifyEnd(
    sql`${sorting.orderOf(where, "id")} ${where.maxRows === undefined ? sql`` : sql`limit ${where.maxRows}`}`,
  );
}, { batched: false, isFast: ({ maxRows, pattern }) => maxRows !== undefined && pattern === undefined });

const pageOfManyHubs = prepareQuery((rows, selection: SpokeSelection) =>
  rows.selectFrom("spokes").select(listedColumns).select(extraColumns)
    .where(sql<boolean>`id = any(array(select spoke_id from (${selectSpokesOfPage(selection)}) as page))`)
    .modifyEnd(sorting.orderOf(selection, "id"))
);

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
      );
    },
    (row) => [sorting.cursorTimeOf(order, row), row.id],
  );
}

/** Returns the ID of the viewer's only hub. Undefined for operators, and for viewers with other hubs or spokes. */
function findOnlyHub({ role, federationIds, spokeIds }: Viewer): string | undefined {
  return role !== "operator" && federationIds.length === 1 && spokeIds.length === 0 ? federationIds[0] : undefined;
}

/**
 * Adds a spoke. Returns undefined if a live spoke has the same slug or domain. Waits for other transactions that are
 * adding the same slug or domain.
 */
export async function insertSpoke(tx: Tx, row: NewSpokeRow): Promise<SpokeRow | undefined> {
  return (await insertSpokeRow(tx, row))[0];
}

const insertSpokeRow = prepareQuery((rows, row: NewSpokeRow) =>
  rows.insertInto("spokes").values(row).onConflict((conflict) => conflict.doNothing()).returningAll()
);

export async function isSlugInUse(rows: RowQueries, federationId: string, slug: string): Promise<boolean> {
  const found = await rows.selectFrom("spokes").select("id").where("federationId", "=", federationId)
    .where("slug", "=", slug).where("state", "<>", "removed").executeTakeFirst();
  return found !== undefined;
}

/** Locks a spoke's row against changes until the transaction ends. Rows that refer to the spoke can still be added. */
export async function lockSpoke(tx: Tx, id: string): Promise<SpokeRow> {
  return await tx.selectFrom("spokes").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

/** Changes the spoke's state, and clears the reason that was stored for the previous state. */
export async function setSpokeState(tx: Tx, id: string, state: SpokeState): Promise<SpokeRow> {
  return await tx.updateTable("spokes")
    .set({ state, stateReason: null, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/** Stores a spoke's desired values. The applied values are stored separately, as blueprint inputs. */
export async function updateDesiredValues(tx: Tx, { id, ...row }: SpokeRow): Promise<SpokeRow> {
  const changeable = pickFields(row, fieldsWith(spokeFields, "changeable")), { requestedDomain } = row;
  return await tx.updateTable("spokes")
    .set({ ...changeable, requestedDomain, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/** Stores the blueprint inputs (manifest values) that were applied to the site. Keeps the blueprint revision. */
export async function setAppliedInputs(tx: Tx, id: string, inputs: object): Promise<void> {
  await tx.updateTable("spokes").set({ blueprintInputs: JSON.stringify(inputs) }).where("id", "=", id).execute();
}

/** Stores the values (blueprint inputs) and the blueprint revision from which the site's manifests are rendered. */
export async function setBlueprintInputs(tx: Tx, id: string, inputs: SpokeInputs, revision: string): Promise<void> {
  await tx.updateTable("spokes").set({ blueprintInputs: JSON.stringify(inputs), blueprintRevision: revision })
    .where("id", "=", id).execute();
}
