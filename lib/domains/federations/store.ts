/** Stores hubs. The row of a removed hub is kept, but another hub can use the slug. Live hubs have unique slugs. */
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import * as v from "valibot";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, readNewestRows } from "#lib/drivers/db/pages.ts";
import { buildTextSearchCondition } from "#lib/drivers/db/text-search.ts";
import { prepareQuery, prepareReadOnSharedConnection } from "#lib/drivers/db/prepare.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import { isHubVisibleTo, isObjectVisibleTo, type Viewer } from "#lib/domains/federations/viewer.ts";
import type { FederationFilter } from "#lib/domains/federations/views.ts";
import { isId } from "#lib/base/ids.ts";
import { Slug } from "#lib/base/schema.ts";

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
  page: ListPageRequest & FederationFilter,
  removed: RemovedObjectVisibility,
): Promise<ListPage<FederationRow>> {
  let query = rows.selectFrom("federations").selectAll().where(isHubVisibleTo(viewer, sql.ref("federations.id")));
  if (removed === "hidden") query = query.where("state", "<>", "removed");
  if (page.slug) query = query.where("slug", "=", page.slug);
  if (page.state) query = query.where("state", "=", page.state);
  if (page.q) query = query.where(buildTextSearchCondition(["slug", "name"], page.q));
  return await readNewestRows(query, page);
}

/** Counts each hub's live spokes that the viewer can see. Omits hubs without visible spokes. */
export async function countSpokes(
  rows: RowQueries,
  viewer: Viewer,
  federationIds: readonly string[],
): Promise<Map<string, number>> {
  if (federationIds.length === 0) return new Map();
  const counts = await rows.selectFrom("spokes").select(["federationId", sql<number>`count(*)::int`.as("count")])
    .where("federationId", "in", federationIds).where("state", "<>", "removed")
    .where(isObjectVisibleTo(viewer, sql.ref("federationId"), sql.ref("id")))
    .groupBy("federationId").execute();
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
