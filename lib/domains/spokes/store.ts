/** Stores spokes. The row of a removed spoke is kept for audit events, but the slug and domain become free. */
import { type Insertable, type Selectable, sql } from "kysely";
import * as v from "valibot";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { ListPageRequest } from "#lib/drivers/db/pages.ts";
import { buildLikePattern, buildPatternCondition } from "#lib/drivers/db/text-search.ts";
import { prepareQuery, prepareReadOnSharedConnection } from "#lib/drivers/db/prepare.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { RemovedObjectVisibility } from "#lib/domains/federations/store.ts";
import { isObjectVisibleTo, type Viewer } from "#lib/domains/federations/viewer.ts";
import { isId } from "#lib/base/ids.ts";
import { HostName } from "#lib/base/schema.ts";
import { fieldsWith, pickFields } from "#lib/model/field.ts";
import { spokeFields } from "#lib/model/spoke.ts";
import type { SpokeState } from "#lib/model/states.ts";
import { matchesValues, type SpokeFilter } from "#lib/domains/spokes/filter.ts";
import type { SpokeSort } from "#lib/domains/spokes/sort.ts";

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

export const LISTED_SPOKE_COLUMNS = [
  ...fieldsWith(spokeFields, "shown"),
  ...["copyOf", "fromBackup", "createdAt", "updatedAt", "readyAt", "observedAt", "lastFailedAt", "drift"] as const,
];

export type ListedSpoke = Pick<SpokeRow, (typeof LISTED_SPOKE_COLUMNS)[number]> & SpokeExtras;

export const EXTRA_SPOKE_COLUMNS = [
  sql<boolean>`exists (select from jobs where spoke_id = spokes.id and visible and state in ('queued', 'running'))`
    .as("busy"),
  sql<boolean>`exists (select from former_domains where spoke_id = spokes.id)`.as("renamed"),
  sql<boolean>`(blueprint_inputs ->> 'https')::boolean`.as("https"),
  sql<number | null>`(blueprint_inputs ->> 'port')::integer`.as("port"),
];

// Uses literal SQL without a parameter, so that PostgreSQL can use the partial index for spokes that are not removed.
export const isLiveSpoke = sql<boolean>`state <> 'removed'`;

interface SpokeKey {
  readonly id?: string;
  readonly domain?: string;
  readonly hidden?: true | undefined;
}

const matchesKey = ({ id, domain, hidden }: SpokeKey) =>
  sql<boolean>`${id ? sql`id = ${id}` : sql`domain = ${domain}`} and ${hidden ? isLiveSpoke : sql`true`}`;
const findByKey = prepareReadOnSharedConnection((rows, key: SpokeKey) =>
  rows.selectFrom("spokes").selectAll().select(EXTRA_SPOKE_COLUMNS).where(matchesKey(key))
);
const findListedByKey = prepareReadOnSharedConnection((rows, key: SpokeKey) =>
  rows.selectFrom("spokes").select(LISTED_SPOKE_COLUMNS).select(EXTRA_SPOKE_COLUMNS).where(matchesKey(key))
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
    .where(isObjectVisibleTo(viewer, sql.ref("federationId"), sql.ref("id"))).where(matchesValues(filter, "spokes"));
  if (federationId !== undefined) query = query.where("federationId", "=", federationId);
  if (q !== undefined) query = query.where(matchesSpokeText(buildLikePattern(q)));
  return await query.execute();
}

export const matchesSpokeText = (pattern: string) => buildPatternCondition(["slug", "displayName", "domain"], pattern);

/** Filters and page limits for a list of spokes. */
export interface SpokeQuery extends ListPageRequest, SpokeFilter {
  readonly sort?: SpokeSort | undefined;
  readonly federationId?: string | undefined;
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
