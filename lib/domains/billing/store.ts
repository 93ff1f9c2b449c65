/**
 * Stores subscriptions and refunds, and computes the quantities to bill: the number of spokes per size. A spoke is billed
 * while it is active, updating or suspending. A size without a price is free, unless the subscription still has an item
 * for this size. A removed hub's row is kept, because refunds may follow. Writers lock rows in this order: their job's
 * row, the subscription's row, the hub's event counter (stream head).
 */
import { type Selectable, sql, type UpdateObject } from "kysely";
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { RowQueries, Tx } from "#lib/drivers/db/database.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { PriceRequest, Refund, SubscriptionItem } from "#lib/drivers/payments/payments.ts";
import { type AuditEntry, buildHubSubject } from "#lib/audit/store.ts";

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

/** Returns the number of a hub's billable spokes per size, including sizes without a price. */
export async function countBilledSpokes(rows: RowQueries, federationId: string): Promise<BilledQuantities> {
  return (await countBilled(rows, [federationId])).get(federationId) ?? {};
}

export async function readBilledQuantities(
  rows: RowQueries,
  catalog: Pick<Catalog, "priceOf">,
  row: Pick<SubscriptionRow, "federationId" | "items">,
): Promise<BilledQuantities> {
  const counts = await countBilledSpokes(rows, row.federationId);
  return selectBilledQuantities(counts, catalog, row.items as SubscriptionItem[]);
}

/** The number of billed spokes per size. A missing size counts as 0. */
export type BilledQuantities = Readonly<Record<string, number>>;

export const BILLED_SPOKE_STATES: readonly Schema["spokes"]["state"][] = ["active", "updating", "suspending"];

/** Returns the number of spokes for each size with a price or a subscription item. Ignores items without a size. */
export function selectBilledQuantities(
  counts: BilledQuantities,
  catalog: Pick<Catalog, "priceOf">,
  items: readonly { readonly size: string | null }[],
): BilledQuantities {
  const hasItem = new Set(items.map(({ size }) => size));
  return Object.fromEntries(
    Object.entries(counts).filter(([size, count]) =>
      count > 0 && (hasItem.has(size) || catalog.priceOf(size) !== null)
    ),
  );
}

/** Returns whether both arguments contain the same quantities. A missing size counts as 0. */
export function areQuantitiesEqual(one: BilledQuantities, other: BilledQuantities): boolean {
  const sizes = [...Object.keys(one), ...Object.keys(other)];
  return sizes.every((size) => getBilledQuantity(one, size) === getBilledQuantity(other, size));
}

export function getBilledQuantity(quantities: BilledQuantities, size: string): number {
  return Object.hasOwn(quantities, size) ? quantities[size]! : 0;
}

/** Returns the catalog price for a size without a subscription item, or null if the size is free. */
export function getCatalogPrice(
  { priceOf, view }: Pick<Catalog, "priceOf" | "view">,
  size: string,
): PriceRequest | null {
  const price = priceOf(size), title = view.sizes.find(({ name }) => name === size)?.title ?? null;
  return price && { size, title, currency: price.currency, monthly: price.monthly };
}

/**
 * Stores successful refunds that are not stored yet. Returns audit events, which must be recorded last in the
 * transaction. Pending refunds are skipped, because the provider sends another event when a refund succeeds.
 */
export async function recordRefunds(tx: Tx, federationId: string, refunds: readonly Refund[]): Promise<AuditEntry[]> {
  const byId = new Map(refunds.map((refund) => [refund.id, refund])); // pages of a growing list may overlap
  const succeeded = [...byId.values()].filter(({ status }) => status === "succeeded");
  if (succeeded.length === 0) return [];
  const inserted = await tx.insertInto("billing_refunds").values(succeeded.map((
    { id, charge: chargeId, amount, currency, createdAt },
  ) => ({ id, federationId, chargeId, amount, currency, createdAt }))).onConflict((conflict) =>
    conflict.column("id").doNothing()
  ).returning("id").execute();
  const newIds = new Set(inserted.map(({ id }) => id));
  return succeeded.filter(({ id }) => newIds.has(id)).map(({ id, amount, currency }) => ({
    kind: "billing_subscription_refunded",
    ...buildHubSubject(federationId),
    metadata: { refund: id, amount, currency },
  }));
}
