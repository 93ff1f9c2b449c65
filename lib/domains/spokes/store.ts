/** The rows of spokes. A removed spoke keeps its row, because its history refers to it; its slug and domain are free. */
import { type Insertable, type Selectable, sql } from "kysely";
import * as v from "valibot";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import { like, patternOf } from "#lib/drivers/db/contains.ts";
import { prepare } from "#lib/drivers/db/prepared.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { ListPage, Removed } from "#lib/domains/federations/store.ts";
import { seenBy, type Viewer } from "#lib/domains/federations/viewer.ts";
import { isId } from "#lib/base/ids.ts";
import { HostName } from "#lib/base/schema.ts";
import type { SpokeState } from "#lib/operations/states.ts";
import type { SpokeFilter } from "#lib/domains/spokes/views.ts";

export type SpokeRow = Selectable<Schema["spokes"]>;
type NewSpokeRow = Insertable<Schema["spokes"]>;

/** A spoke, and whether there is more to tell of it that stands elsewhere: nearly always there is not. */
export interface FoundSpoke extends SpokeRow {
  /** Whether an operation of its is queued or running. */
  readonly busy: boolean;
  /** Whether it has left a name that still leads to it. */
  readonly renamed: boolean;
}

const more = [
  sql<boolean>`exists (select from jobs where spoke_id = spokes.id and visible and state in ('queued', 'running'))`
    .as("busy"),
  sql<boolean>`exists (select from former_domains where spoke_id = spokes.id)`.as("renamed"),
];

const spokes = (rows: Rows) => rows.selectFrom("spokes").selectAll("spokes").select(more);
const spokeOfId = prepare((rows, { id, shown }: { id: string; shown: boolean }) =>
  spokes(rows).where("id", "=", id).where(sql<boolean>`(state <> 'removed' or ${shown}::boolean)`)
);
const spokeOfDomain = prepare((rows, { domain }: { domain: string }) =>
  spokes(rows).where("domain", "=", domain).where("state", "<>", "removed")
);

/** The spoke of this id, or the live one that has this domain. An id is no host name: it has no dot. */
export async function findSpoke(rows: Rows, name: string, removed: Removed): Promise<FoundSpoke | undefined> {
  if (isId("spk", name)) return (await spokeOfId(rows, { id: name, shown: removed !== "hidden" }))[0];
  const domain = v.safeParse(HostName, name);
  return domain.success ? (await spokeOfDomain(rows, { domain: domain.output }))[0] : undefined;
}

/** The live ones among these spokes that the caller sees, in no order. */
export async function findVisible(rows: Rows, viewer: Viewer, ids: readonly string[]): Promise<SpokeRow[]> {
  const known = ids.filter((id) => isId("spk", id));
  if (known.length === 0) return [];
  return await rows.selectFrom("spokes").selectAll().where("id", "in", known).where("state", "<>", "removed")
    .where(seenBy(viewer, sql.ref("federationId"), sql.ref("id"))).execute();
}

/** Which spokes are asked for, among those that the caller sees. */
export interface SpokeQuestion extends ListPage, SpokeFilter {
  readonly federationId?: string;
}

interface ListedSpokes extends Omit<SpokeQuestion, "q"> {
  readonly pattern?: string | undefined;
  readonly hidden?: true | undefined;
  readonly operator?: true | undefined;
  readonly federationIds: readonly string[];
  readonly spokeIds: readonly string[];
}

const pageOfSpokes = prepare((rows, where: ListedSpokes) => {
  const viewer: Viewer = { ...where, role: where.operator ? "operator" : "hub_admin" };
  let query = spokes(rows).orderBy("createdAt", "desc").where(seenBy(viewer, sql.ref("federationId"), sql.ref("id")));
  if (where.federationId) query = query.where("federationId", "=", where.federationId);
  if (where.hidden) query = query.where("state", "<>", "removed");
  if (where.slug) query = query.where("slug", "=", where.slug);
  if (where.state) query = query.where("state", "=", where.state);
  if (where.health) query = query.where("health", "=", where.health);
  if (where.pattern) query = query.where(like(["slug", "displayName", "domain"], where.pattern));
  if (where.before) query = query.where("createdAt", "<", where.before);
  if (where.limit) query = query.modifyEnd(sql`fetch first ${where.limit} rows with ties`);
  return rows.selectFrom(query.as("page")).selectAll().orderBy("createdAt", "desc").orderBy("id", "desc");
});

/** The spokes that the caller sees, of one hub or of all, newest first. */
export async function listSpokes(
  rows: Rows,
  { role, federationIds, spokeIds }: Viewer,
  { q, ...where }: SpokeQuestion,
  removed: Removed,
): Promise<FoundSpoke[]> {
  return await pageOfSpokes(rows, {
    ...where,
    federationIds,
    spokeIds,
    operator: role === "operator" ? true : undefined,
    hidden: removed === "hidden" ? true : undefined,
    pattern: q === undefined ? undefined : patternOf(q),
  });
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
export async function updateWish(tx: Tx, { id, ...row }: SpokeRow): Promise<SpokeRow> {
  const { displayName, brand, adminEmail, domain, wishedDomain } = row;
  return await tx.updateTable("spokes")
    .set({ displayName, brand, adminEmail, domain, wishedDomain, updatedAt: sql<Date>`wheelwright_now()` })
    .where("id", "=", id).returningAll().executeTakeFirstOrThrow();
}

/** What a site has taken of what was wished since it was made; the blueprint's revision stays. */
export async function setInForce(tx: Tx, id: string, inputs: object): Promise<void> {
  await tx.updateTable("spokes").set({ blueprintInputs: JSON.stringify(inputs) }).where("id", "=", id).execute();
}

/** What it is to be made from, and the blueprint that this is for. */
export async function setInputs(tx: Tx, id: string, inputs: SpokeInputs, revision: string): Promise<void> {
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
export async function secondsUntilLink(rows: Rows, userId: string, most: number): Promise<number | null> {
  const found = await rows.selectFrom("audit_events")
    .select(sql<number>`extract(epoch from at + interval '1 hour' - wheelwright_now())::float8`.as("wait"))
    .where("actorId", "=", userId).where("kind", "=", "spoke_sign_in_link_created")
    .where("at", ">", sql<Date>`wheelwright_now() - interval '1 hour'`)
    .orderBy("at", "desc").offset(most - 1).limit(1).executeTakeFirst();
  return found?.wait ?? null;
}
