/** Updates the quantities in a hub's subscription at the payment provider, with as few API calls as possible. */
import type { Catalog } from "#lib/catalog/catalog.ts";
import { type BilledQuantities, getBilledQuantity, getCatalogPrice } from "#lib/domains/billing/store.ts";
import type {
  PaymentProvider,
  Subscription,
  SubscriptionItem,
  SubscriptionRequest,
} from "#lib/drivers/payments/payments.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";

/** A change of a subscription: a new quantity for an existing item, or a new item for a size. */
export type SubscriptionItemChange =
  | { readonly item: string; readonly quantity: number }
  | { readonly size: string; readonly quantity: number };

/**
 * Computes which subscription items must change so that the quantities become `desired`. If no spoke has an item's
 * size, the item's quantity becomes 0. If two items have the same size, the first gets the whole quantity. Items
 * without a size are not changed.
 */
export function planItemChanges(
  items: readonly SubscriptionItem[],
  desired: BilledQuantities,
): SubscriptionItemChange[] {
  const sizes = new Set<string>();
  const changes = items.flatMap((item): SubscriptionItemChange[] => {
    if (item.size === null) return [];
    const quantity = sizes.has(item.size) ? 0 : getBilledQuantity(desired, item.size);
    sizes.add(item.size);
    return quantity === item.quantity ? [] : [{ item: item.id, quantity }];
  });
  const missing = Object.keys(desired).filter((size) => desired[size]! > 0 && !sizes.has(size)).sort();
  return [...changes, ...missing.map((size) => ({ size, quantity: desired[size]! }))];
}

type NewItem = SubscriptionRequest["items"][number];

export interface ProviderSubscription {
  readonly federationId: string;
  readonly customer: string;
  /** The subscription that was last read from the payment provider; null if the hub has no subscription. */
  readonly subscription: Subscription | null;
}

/** Creates missing prices at the provider, then updates or creates the subscription in one call and returns it. */
export async function applyItemChanges(
  payments: PaymentProvider,
  catalog: Catalog,
  run: JobRun,
  { federationId, customer, subscription }: ProviderSubscription,
  changes: readonly SubscriptionItemChange[],
): Promise<Subscription> {
  const items = changes.filter((change) => "item" in change), added: NewItem[] = [];
  for (const { size, quantity } of changes.filter((change) => "size" in change)) {
    added.push({ size, quantity, price: await priceOf(payments, catalog, run, size) });
  }
  run.throwIfStopped();
  if (subscription) return await payments.setQuantities(subscription.id, [...items, ...added], run.signal);
  return await payments.createSubscription({ federationId, customer, items: added }, run.signal);
}

async function priceOf(payments: PaymentProvider, catalog: Catalog, run: JobRun, size: string): Promise<string> {
  const price = getCatalogPrice(catalog, size);
  if (!price) throw new Error(`The billed size ${size} has neither a subscription item nor a price`);
  run.throwIfStopped();
  return await payments.priceFor(price, run.signal);
}
