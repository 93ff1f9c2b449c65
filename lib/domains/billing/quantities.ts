/**
 * Computes the quantities to bill: the number of spokes per size. A spoke is billed while it is active, updating or
 * suspending. A size without a price is free, unless the subscription still has an item for this size.
 */
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { PriceRequest } from "#lib/drivers/payments/payments.ts";

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
