/**
 * What is to be billed: how many spokes of each size. Pure.
 *
 * A spoke is paid for while its row says that it serves people, or may: being active, updated, or on its way to being
 * suspended. Billing stops when the row says suspended, since no pod was seen by then; it begins when an install or a resume
 * has succeeded. A size without a price in the catalogue is free, unless the subscription has an item for it from the time
 * when it had one: what was agreed to is not given away by a catalogue that forgot it.
 */
import type { Catalog } from "#lib/catalog/catalog.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";
import type { PriceRequest } from "#lib/drivers/payments/payments.ts";

/** How many spokes of each size; a size that is not named has none. */
export type Quantities = Readonly<Record<string, number>>;

/** A spoke in one of these states is paid for. */
export const BILLED_STATES: readonly Schema["spokes"]["state"][] = ["active", "updating", "suspending"];

/** Of what is counted, what has a price or an item. Items are the subscription's; those of no size are none of ours. */
export function selectBilled(
  counts: Quantities,
  catalog: Pick<Catalog, "priceOf">,
  items: readonly { readonly size: string | null }[],
): Quantities {
  const hasItem = new Set(items.map(({ size }) => size));
  return Object.fromEntries(
    Object.entries(counts).filter(([size, count]) =>
      count > 0 && (hasItem.has(size) || catalog.priceOf(size) !== null)
    ),
  );
}

/** Whether both count the same, whichever of the two names a size that has none. */
export function equalQuantities(one: Quantities, other: Quantities): boolean {
  const sizes = [...Object.keys(one), ...Object.keys(other)];
  return sizes.every((size) => quantityOf(one, size) === quantityOf(other, size));
}

export function quantityOf(quantities: Quantities, size: string): number {
  return Object.hasOwn(quantities, size) ? quantities[size]! : 0;
}

/** What one spoke of a size is to cost, for a size that the subscription has no item of yet; null where it is free. */
export function priceForSize({ priceOf, view }: Pick<Catalog, "priceOf" | "view">, size: string): PriceRequest | null {
  const price = priceOf(size), title = view.sizes.find(({ name }) => name === size)?.title ?? null;
  return price && { size, title, currency: price.currency, monthly: price.monthly };
}
