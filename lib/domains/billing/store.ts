/**
 * Stores subscriptions. A removed hub's row is kept, because refunds may follow. Writers lock rows in this order: their
 * job's row, the subscription's row, the hub's event counter (stream head).
 */
import { type Selectable, sql, type UpdateObject } from "kysely";
import { BILLED_SPOKE_STATES, type BilledQuantities, selectBilledQuantities } from "#lib/domains/billing/quantities.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { SubscriptionItem } from "#lib/drivers/payments/payments.ts";

export type SubscriptionRow = Selectable<Schema["subscriptions"]>;
type SubscriptionChange = Omit<UpdateObject<Schema, "subscriptions">, "federationId" | "updatedAt">;

export async function findSubscriptionRow(
  rows: RowQueries,
  federationId: string,
): Promise<SubscriptionRow | undefined> {
  return await rows.selectFrom("subscriptions").selectAll().where("federationId", "=", federationId)
    .executeTakeFirst();
}

export async function findSubscriptionByCustomer(
  rows: RowQueries,
  customerId: string,
): Promise<SubscriptionRow | undefined> {
  return await rows.selectFrom("subscriptions").selectAll().where("customerId", "=", customerId).executeTakeFirst();
}

/** Locks the subscription's row until the transaction ends. Returns undefined if the hub is not billed. */
export async function lockSubscription(tx: Tx, federationId: string): Promise<SubscriptionRow | undefined> {
  return await tx.selectFrom("subscriptions").selectAll().where("federationId", "=", federationId).forNoKeyUpdate()
    .executeTakeFirst();
}

/** Adds a row for a hub's subscription. Returns undefined if the hub already has a row. */
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

/** Returns the number of billable spokes per hub and size. Hubs without billable spokes are omitted. */
async function countBilled(rows: RowQueries, federationIds: readonly string[]): Promise<Map<string, BilledQuantities>> {
  const { rows: counts } = await sql<{ id: string; size: string; count: number }>`
    select federation_id as id, size, count(*)::integer as count from spokes
    where federation_id = any(${federationIds}::text[]) and state = any(${BILLED_SPOKE_STATES}::text[])
    group by federation_id, size`.execute(rows);
  const byHub = Map.groupBy(counts, ({ id }) => id);
  return new Map(
    [...byHub].map(([id, sizes]) => [id, Object.fromEntries(sizes.map(({ size, count }) => [size, count]))]),
  );
}

/** Returns the quantities that should currently be billed to the subscription's hub. */
export async function readBilledQuantities(
  rows: RowQueries,
  catalog: Pick<Catalog, "priceOf">,
  row: Pick<SubscriptionRow, "federationId" | "items">,
): Promise<BilledQuantities> {
  const counts = await countBilled(rows, [row.federationId]);
  return selectBilledQuantities(counts.get(row.federationId) ?? {}, catalog, row.items as SubscriptionItem[]);
}
