/** Stores hubs. The row of a removed hub is kept, but another hub can use the slug. Live hubs have unique slugs. */
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import * as v from "valibot";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { addNewestFirstOrder, type ListPage, type ListPageRequest, readPage } from "#lib/drivers/db/pages.ts";
import { buildLikePattern, buildPatternCondition, readNewestOrAll } from "#lib/drivers/db/text-search.ts";
import { prepareQuery, prepareReadOnSharedConnection } from "#lib/drivers/db/prepare.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { mayUseNewestHubs, selectHubsOfPage } from "#lib/domains/federations/live-hubs.ts";
import { canManageHub, isHubVisibleTo, type Viewer } from "#lib/domains/federations/viewer.ts";
import type { FederationFilter } from "#lib/domains/federations/views.ts";
import { isId } from "#lib/base/ids.ts";
import { Slug } from "#lib/base/schema.ts";
import { LIVE_STATES } from "#lib/model/states.ts";

export type FederationRow = Selectable<Schema["federations"]>;
type NewFederationRow = Insertable<Schema["federations"]>;

export type RemovedObjectVisibility = "hidden" | "shown";

interface HubKey {
  readonly id?: string;
  readonly slug?: string;
  readonly hidden?: true | undefined;
}

const findHubByKey = prepareReadOnSharedConnection((rows, { id, slug, hidden }: HubKey) => {
  const hubs = rows.selectFrom("federations").selectAll();
  const matching = id ? hubs.where("id", "=", id) : hubs.where("slug", "=", slug!);
  // Uses literal SQL without a parameter, so that PostgreSQL can use the partial index for hubs that are not removed.
  return (hidden ? matching.where(sql<boolean>`state <> 'removed'`) : matching)
    .orderBy(sql`state = 'removed'`).orderBy("createdAt", "desc").limit(sql.lit(1));
});

/** Finds a hub by ID or slug. Prefers a live hub with this slug to the newest removed hub. */
export async function findFederation(
  rows: RowQueries,
  name: string,
  removed: RemovedObjectVisibility,
): Promise<FederationRow | undefined> {
  const hidden = removed === "hidden" ? true : undefined;
  if (isId("fed", name)) return (await findHubByKey(rows, { id: name, hidden }))[0];
  return v.is(Slug, name) ? (await findHubByKey(rows, { slug: name, hidden }))[0] : undefined;
}

/** Lists the hubs that the viewer can see, newest first. */
export async function listFederations(
  rows: RowQueries,
  viewer: Viewer,
  { q: part, slug, ...page }: ListPageRequest & FederationFilter,
  removed: RemovedObjectVisibility,
): Promise<ListPage<FederationRow>> {
  const pattern = part === undefined ? undefined : buildLikePattern(part);
  const keyOf = ({ createdAt, id }: FederationRow) => [createdAt, id] as const;
  if (slug !== undefined) {
    let query = rows.selectFrom("federations").selectAll().where("slug", "=", slug)
      .where(isHubVisibleTo(viewer, sql.ref("federations.id")));
    if (removed === "hidden") query = query.where(sql<boolean>`state <> 'removed'`);
    if (page.state) query = query.where("state", "=", page.state);
    if (pattern) query = query.where(buildPatternCondition(["slug", "name"], pattern));
    return await readPage(page, (bounds) => addNewestFirstOrder(query, bounds).execute(), keyOf);
  }
  const withRemoved = removed === "shown" ? true as const : undefined;
  return await readPage(page, (bounds) => {
    const selection = { ...bounds, state: page.state, part, pattern, withRemoved };
    return readNewestOrAll(bounds, mayUseNewestHubs(viewer, selection), (newestRows) => {
      const ids = sql`select federation_id from (${selectHubsOfPage(viewer, { ...selection, newestRows })}) as page`;
      return rows.selectFrom("federations").selectAll().where(sql<boolean>`id = any(array(${ids}))`)
        .orderBy("createdAt", "desc").orderBy("id", "desc").execute();
    });
  }, keyOf);
}

/** Counts each hub's live spokes that the viewer can see. Omits hubs without visible spokes. */
export async function countSpokes(
  rows: RowQueries,
  viewer: Viewer,
  federationIds: readonly string[],
): Promise<Map<string, number>> {
  if (federationIds.length === 0) return new Map();
  const managed = federationIds.filter((id) => canManageHub(viewer, id));
  const others = viewer.role === "operator" ? [] : viewer.spokeIds;
  const total = sql.join(LIVE_STATES.map((state) => sql.ref(state)), sql` + `);
  const { rows: counts } = await sql<{ federationId: string; count: number }>`
    select federation_id, (${total})::integer as count from live_hubs where federation_id = any(${managed}::text[])
    union all
    select federation_id, count(*)::integer from live_spokes
    where spoke_id = any(${others}::text[]) and federation_id = any(${federationIds}::text[]) group by federation_id`
    .execute(rows);
  return new Map(counts.map((row) => [row.federationId, row.count]));
}

export async function countLiveSpokes(rows: RowQueries, federationId: string): Promise<number> {
  const { count } = await rows.selectFrom("spokes").select(sql<number>`count(*)::int`.as("count"))
    .where("federationId", "=", federationId).where("state", "<>", "removed").executeTakeFirstOrThrow();
  return count;
}

/** Adds a hub. Returns undefined if a live hub already has this slug. */
export async function insertFederation(tx: Tx, row: NewFederationRow): Promise<FederationRow | undefined> {
  return await tx.insertInto("federations").values(row).onConflict((conflict) => conflict.doNothing())
    .returningAll().executeTakeFirst();
}

/** Locks a hub's row against changes until the transaction ends. Rows that refer to the hub can still be added. */
export async function lockFederation(tx: Tx, id: string): Promise<FederationRow> {
  return await tx.selectFrom("federations").selectAll().where("id", "=", id).forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

/** Locks a hub's row until the transaction ends, against changes and against new rows that refer to the hub. */
export async function lockFederationExclusively(tx: Tx, id: string): Promise<FederationRow> {
  return await tx.selectFrom("federations").selectAll().where("id", "=", id).forUpdate().executeTakeFirstOrThrow();
}

/** Takes a shared lock on a hub's row, which blocks only removal: a removal takes an exclusive (`for update`) lock. */
export async function lockFederationShared(tx: Tx, id: string): Promise<FederationRow> {
  const [row] = await lockHubShared(tx, { id });
  if (!row) throw new Error(`The hub ${id} does not exist`);
  return row;
}

/** Reads a hub's row, and makes changes of it wait until the transaction ends. Waits for changes that are running. */
export async function readStableFederation(tx: Tx, id: string): Promise<FederationRow> {
  return await tx.selectFrom("federations").selectAll().where("id", "=", id).forShare().executeTakeFirstOrThrow();
}

export async function readHubTier(rows: RowQueries, id: string): Promise<string | null> {
  const { tier } = await rows.selectFrom("federations").select("tier").where("id", "=", id).executeTakeFirstOrThrow();
  return tier;
}

const lockHubShared = prepareQuery((rows, { id }: { readonly id: string }) =>
  rows.selectFrom("federations").selectAll().where("id", "=", id).forKeyShare()
);

export async function updateFederation(
  tx: Tx,
  id: string,
  change: Updateable<Schema["federations"]>,
): Promise<FederationRow> {
  return await tx.updateTable("federations").set({ ...change, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}
