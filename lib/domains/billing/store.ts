/**
 * The rows of subscriptions: a hub that has one is billed. A removed hub keeps its row, as refunds may come later.
 *
 * A writer to a row locks it first; of what else is locked only the hub's head comes later, and a job's own row
 * before. Spokes are read here by queries of billing's own: they are not this domain's to change.
 */
import { type Selectable, sql, type UpdateObject } from "kysely";
import { BILLED_STATES, type Quantities, selectBilled } from "#lib/domains/billing/billed.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { Rows, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { SubscriptionItem } from "#lib/drivers/payments/payments.ts";

export type SubscriptionRow = Selectable<Schema["subscriptions"]>;
type SubscriptionChange = Omit<UpdateObject<Schema, "subscriptions">, "federationId" | "updatedAt">;

export async function findSubscriptionRow(rows: Rows, federationId: string): Promise<SubscriptionRow | undefined> {
  return await rows.selectFrom("subscriptions").selectAll().where("federationId", "=", federationId)
    .executeTakeFirst();
}

export async function findByCustomer(rows: Rows, customerId: string): Promise<SubscriptionRow | undefined> {
  return await rows.selectFrom("subscriptions").selectAll().where("customerId", "=", customerId).executeTakeFirst();
}

/** The row as it stands, held against other changes until the transaction ends; undefined for a hub that is not billed. */
export async function lockSubscription(tx: Tx, federationId: string): Promise<SubscriptionRow | undefined> {
  return await tx.selectFrom("subscriptions").selectAll().where("federationId", "=", federationId).forNoKeyUpdate()
    .executeTakeFirst();
}

/** Adds the row, or returns undefined where there is one: also when that one was committed just now. */
export async function insertSubscription(
  tx: Tx,
  row: { readonly federationId: string; readonly email: string },
): Promise<SubscriptionRow | undefined> {
  return await tx.insertInto("subscriptions").values({ federationId: row.federationId, email: row.email })
    .onConflict((conflict) => conflict.column("federationId").doNothing()).returningAll().executeTakeFirst();
}

export async function updateSubscription(
  tx: Tx,
  federationId: string,
  change: SubscriptionChange,
): Promise<SubscriptionRow> {
  return await tx.updateTable("subscriptions").set({ ...change, updatedAt: sql<Date>`wheelwright_now()` })
    .where("federationId", "=", federationId).returningAll().executeTakeFirstOrThrow();
}

/**
 * The spokes of each of these hubs that are paid for, by size, whether or not the size has a price; a hub without is
 * absent.
 */
async function countBilled(rows: Rows, federationIds: readonly string[]): Promise<Map<string, Quantities>> {
  const { rows: counts } = await sql<{ id: string; size: string; count: number }>`
    select federation_id as id, size, count(*)::integer as count from spokes
    where federation_id = any(${federationIds}::text[]) and state = any(${BILLED_STATES}::text[])
    group by federation_id, size`.execute(rows);
  const byHub = Map.groupBy(counts, ({ id }) => id);
  return new Map(
    [...byHub].map(([id, sizes]) => [id, Object.fromEntries(sizes.map(({ size, count }) => [size, count]))]),
  );
}

/** What is to be billed now for this row's hub. */
export async function readBilledQuantities(
  rows: Rows,
  catalog: Pick<Catalog, "priceOf">,
  row: Pick<SubscriptionRow, "federationId" | "items">,
): Promise<Quantities> {
  const counts = await countBilled(rows, [row.federationId]);
  return selectBilled(counts.get(row.federationId) ?? {}, catalog, row.items as SubscriptionItem[]);
}
