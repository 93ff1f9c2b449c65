/** The rows of spokes. A removed spoke keeps its row, because its history refers to it; its slug and domain are free. */
import { type Insertable, type Selectable, sql } from "kysely";
import * as v from "valibot";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import { type ListPage, type ListPageRequest, newestFirst, type PageBounds, readPage } from "#lib/drivers/db/pages.ts";
import { isLike, likePattern } from "#lib/drivers/db/text-search.ts";
import { prepare, prepareShared } from "#lib/drivers/db/prepare.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { RemovedVisibility } from "#lib/domains/federations/store.ts";
import { canManageHub, isVisibleTo, type Viewer } from "#lib/domains/federations/viewer.ts";
import { isId } from "#lib/base/ids.ts";
import { HostName } from "#lib/base/schema.ts";
import type { SpokeState } from "#lib/operations/states.ts";
import type { SpokeFilter } from "#lib/domains/spokes/views.ts";

export type SpokeRow = Selectable<Schema["spokes"]>;
export type NewSpokeRow = Insertable<Schema["spokes"]>;

/** Of a spoke, what stands elsewhere: nearly always there is no more to ask. */
interface SpokeExtras {
  /** Whether an operation of its is queued or running. */
  readonly busy: boolean;
  /** Whether it has left a name that still leads to it. */
  readonly renamed: boolean;
  /** Whether its site is reached by HTTPS. */
  readonly https: boolean;
  /** The port of its address; null for the default one. */
  readonly port: number | null;
}

export type FoundSpoke = SpokeRow & SpokeExtras;

/** Of a row that was found without it: there may be more to ask. */
export function defaultExtras({ blueprintInputs }: SpokeRow): SpokeExtras {
  return { busy: true, renamed: true, https: blueprintInputs.https, port: blueprintInputs.port ?? null };
}

/** What is shown of a spoke. */
const listedColumns = [
  ...["id", "federationId", "slug", "displayName", "domain", "size", "identity", "content", "contentMode", "brand"],
  ...[
    "adminEmail",
    "region",
    "lmsVersion",
    "seed",
    "copyOf",
    "fromBackup",
    "mail",
    "state",
    "stateReason",
    "health",
    "maintenance",
    "namespace",
  ],
  ...["createdAt", "updatedAt", "readyAt", "observedAt", "drift", "imageDigest"],
] as const;

export type ListedSpoke = Pick<SpokeRow, (typeof listedColumns)[number]> & SpokeExtras;

const extraColumns = [
  sql<boolean>`exists (select from jobs where spoke_id = spokes.id and visible and state in ('queued', 'running'))`
    .as("busy"),
  sql<boolean>`exists (select from former_domains where spoke_id = spokes.id)`.as("renamed"),
  sql<boolean>`(blueprint_inputs ->> 'https')::boolean`.as("https"),
  sql<number | null>`(blueprint_inputs ->> 'port')::integer`.as("port"),
];

// Said in the text and not by a value, so that an index of the live ones fits.
const isLive = sql<boolean>`state <> 'removed'`;

interface SpokeKey {
  readonly id?: string;
  readonly domain?: string;
  readonly hidden?: true | undefined;
}

const matchesKey = ({ id, domain, hidden }: SpokeKey) =>
  sql<boolean>`${id ? sql`id = ${id}` : sql`domain = ${domain}`} and ${hidden ? isLive : sql`true`}`;
const findByKey = prepareShared((rows, key: SpokeKey) =>
  rows.selectFrom("spokes").selectAll().select(extraColumns).where(matchesKey(key))
);
const findListedByKey = prepareShared((rows, key: SpokeKey) =>
  rows.selectFrom("spokes").select(listedColumns).select(extraColumns).where(matchesKey(key))
);

/** The spoke of this id, or the live one that has this domain. An id is no host name: it has no dot. */
export async function findSpoke(rows: Rows, name: string, removed: RemovedVisibility): Promise<FoundSpoke | undefined> {
  const key = parseSpokeKey(name, removed);
  return key && (await findByKey(rows, key))[0];
}

/** The same of what is shown of it, for who only looks. */
export async function findListedSpoke(
  rows: Rows,
  name: string,
  removed: RemovedVisibility,
): Promise<ListedSpoke | undefined> {
  const key = parseSpokeKey(name, removed);
  return key && (await findListedByKey(rows, key))[0];
}

function parseSpokeKey(name: string, removed: RemovedVisibility): SpokeKey | undefined {
  if (isId("spk", name)) return { id: name, hidden: removed === "hidden" ? true : undefined };
  const domain = v.safeParse(HostName, name);
  return domain.success ? { domain: domain.output, hidden: true } : undefined;
}

/** The live ones among these spokes that the caller sees, in no order. */
export async function findVisible(rows: Rows, viewer: Viewer, ids: readonly string[]): Promise<SpokeRow[]> {
  const validIds = ids.filter((id) => isId("spk", id));
  if (validIds.length === 0) return [];
  return await rows.selectFrom("spokes").selectAll().where("id", "in", validIds).where("state", "<>", "removed")
    .where(isVisibleTo(viewer, sql.ref("federationId"), sql.ref("id"))).execute();
}

/** Which spokes are asked for, among those that the caller sees. */
export interface SpokeQuery extends ListPageRequest, SpokeFilter {
  readonly federationId?: string;
}

interface SpokesPage extends Omit<SpokeQuery, "q" | keyof ListPageRequest>, PageBounds {
  readonly pattern?: string | undefined;
  readonly hidden?: true | undefined;
  /** Whose spokes, and which, besides; both absent where the caller sees all that is asked for. */
  readonly federationIds?: readonly string[];
  readonly spokeIds?: readonly string[];
}

const pageOfSpokes = prepare((rows, { federationIds, spokeIds, ...where }: SpokesPage) => {
  let query = rows.selectFrom("spokes").select(listedColumns).select(extraColumns);
  if (federationIds && spokeIds) {
    const viewer: Viewer = { role: "hub_admin", federationIds, spokeIds };
    query = query.where(isVisibleTo(viewer, sql.ref("federationId"), sql.ref("id")));
  }
  if (where.federationId) query = query.where("federationId", "=", where.federationId);
  if (where.hidden) query = query.where(isLive);
  if (where.slug) query = query.where("slug", "=", where.slug);
  if (where.state) query = query.where("state", "=", where.state);
  if (where.health) query = query.where("health", "=", where.health);
  if (where.pattern) query = query.where(isLike(["slug", "displayName", "domain"], where.pattern));
  return newestFirst(query, where);
});

/** The spokes that the caller sees, of one hub or of all, newest first. */
export async function listSpokes(
  rows: Rows,
  viewer: Viewer,
  { q, limit, before, ...where }: SpokeQuery,
  removed: RemovedVisibility,
): Promise<ListPage<ListedSpoke>> {
  const federationId = where.federationId ?? findOnlyHub(viewer);
  // Of one hub that they run they see all: for one hub alone PostgreSQL keeps its plan, and for a list it never does.
  const all = viewer.role === "operator" || federationId !== undefined && canManageHub(viewer, federationId);
  const { federationIds, spokeIds } = viewer;
  const conditions = {
    ...where,
    ...(federationId !== undefined && { federationId }),
    ...(!all && { federationIds, spokeIds }),
    hidden: removed === "hidden" ? true as const : undefined,
    pattern: q === undefined ? undefined : likePattern(q),
  };
  return await readPage(
    { limit, before },
    (bounds) => pageOfSpokes(rows, { ...conditions, ...bounds }),
    ({ createdAt, id }) => [createdAt, id],
  );
}

/** The hub that holds all that the caller sees, if it is one that they run. */
function findOnlyHub({ role, federationIds, spokeIds }: Viewer): string | undefined {
  return role !== "operator" && federationIds.length === 1 && spokeIds.length === 0 ? federationIds[0] : undefined;
}

/**
 * Adds the spoke, or returns undefined when a live one has its slug or its domain. It waits for another call that is
 * adding the same and has not committed, so that the unique indexes decide every race and no error breaks the
 * transaction.
 */
export async function insertSpoke(tx: Tx, row: NewSpokeRow): Promise<SpokeRow | undefined> {
  return await tx.insertInto("spokes").values(row).onConflict((conflict) => conflict.doNothing()).returningAll()
    .executeTakeFirst();
}

export async function hasSlug(rows: Rows, federationId: string, slug: string): Promise<boolean> {
  const found = await rows.selectFrom("spokes").select("id").where("federationId", "=", federationId)
    .where("slug", "=", slug).where("state", "<>", "removed").executeTakeFirst();
  return found !== undefined;
}

/**
 * The row as it stands, held against other changes until the transaction ends, so that of two callers the second
 * judges what the first has made of it. Those who only refer to it need not wait.
 */
export async function lockSpoke(tx: Tx, id: string): Promise<SpokeRow> {
  return await tx.selectFrom("spokes").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirstOrThrow();
}

/** What went wrong before is forgotten with the state that it explained. */
export async function moveSpoke(tx: Tx, id: string, state: SpokeState): Promise<SpokeRow> {
  return await tx.updateTable("spokes")
    .set({ state, stateReason: null, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/** What a spoke is to be, as far as that can be changed. What its site has taken of it, its inputs say. */
export async function updateDesired(tx: Tx, { id, ...row }: SpokeRow): Promise<SpokeRow> {
  const { displayName, brand, adminEmail, domain, wishedDomain, mail } = row;
  return await tx.updateTable("spokes")
    .set({ displayName, brand, adminEmail, domain, wishedDomain, mail, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/** What a site has taken of what was wished since it was made; the blueprint's revision stays. */
export async function setAppliedInputs(tx: Tx, id: string, inputs: object): Promise<void> {
  await tx.updateTable("spokes").set({ blueprintInputs: JSON.stringify(inputs) }).where("id", "=", id).execute();
}

/** What it is to be made from, and the blueprint that this is for. */
export async function setBlueprintInputs(tx: Tx, id: string, inputs: SpokeInputs, revision: string): Promise<void> {
  await tx.updateTable("spokes").set({ blueprintInputs: JSON.stringify(inputs), blueprintRevision: revision })
    .where("id", "=", id).execute();
}

/** Until the transaction ends, of one person's links one at a time is counted and written down. */
export async function lockLinks(tx: Tx, userId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`wheelwright: sign-in links of ${userId}`}, 0))`.execute(
    tx,
  );
}

/** Seconds until the person has made fewer than so many sign-in links within an hour; null where it has not made so many. */
export async function secondsUntilLink(rows: Rows, userId: string, limit: number): Promise<number | null> {
  const found = await rows.selectFrom("audit_events")
    .select(sql<number>`extract(epoch from at + interval '1 hour' - wheelwright_now())::float8`.as("wait"))
    .where("actorId", "=", userId).where("kind", "=", "spoke_sign_in_link_created")
    .where("at", ">", sql<Date>`wheelwright_now() - interval '1 hour'`)
    .orderBy("at", "desc").offset(limit - 1).limit(1).executeTakeFirst();
  return found?.wait ?? null;
}
