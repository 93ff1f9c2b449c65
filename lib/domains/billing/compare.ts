/** Compares a hub's subscription at the payment provider with the stored data. Returns new values and changes. */
import { type BilledQuantities, getBilledQuantity } from "#lib/domains/billing/store.ts";
import {
  hasSubscriptionEnded,
  isPaymentOverdue,
  type Subscription,
  type SubscriptionItem,
  type SubscriptionStatus,
} from "#lib/drivers/payments/payments.ts";

/** The difference between billed and existing spokes: a list by size, or a sentence for any other difference. */
export type BillingDifference = readonly SizeDifference[] | string;

interface SizeDifference {
  readonly size: string;
  readonly spokes: number;
  readonly billed: number;
}

/** A hub's subscription as stored in the database before the comparison. */
export interface StoredSubscription {
  readonly subscriptionId: string | null;
  readonly status: SubscriptionStatus | null;
  readonly items: readonly SubscriptionItem[];
  /** The quantities last sent to the payment provider. Null if the quantities must be sent again. */
  readonly sentQuantities: BilledQuantities | null;
  readonly difference: BillingDifference | null;
}

export interface BillingComparison {
  readonly status: SubscriptionStatus | null;
  readonly items: readonly SubscriptionItem[];
  readonly dunning: "begins" | "goes on" | "none";
  readonly difference: BillingDifference | null;
  readonly changes: readonly BillingChange[];
}

export type BillingChange =
  | { readonly kind: "billing_subscription_past_due" }
  | { readonly kind: "billing_subscription_updated"; readonly changes: SubscriptionChanges }
  | { readonly kind: "billing_difference_found"; readonly difference: BillingDifference };

interface SubscriptionChanges {
  readonly status?: FromTo<SubscriptionStatus | null>;
  /** The old and the new quantity of each size that has a changed quantity. */
  readonly quantities?: FromTo<BilledQuantities>;
}

interface FromTo<T> {
  readonly from: T;
  readonly to: T;
}

/**
 * Compares the subscription observed at the payment provider with the stored subscription. `observed` is null if the
 * provider no longer has the subscription. `billed` contains the quantities that should be billed now.
 */
export function compareSubscription(
  stored: StoredSubscription,
  observed: Subscription | null,
  billed: BilledQuantities,
): BillingComparison {
  // Compares items and status only if the provider and the database refer to the same subscription.
  const isSameSubscription = observed === null || observed.id === stored.subscriptionId;
  const before = isSameSubscription ? stored.status : null;
  const status = observed ? observed.status : stored.subscriptionId === null ? null : "canceled";
  const items = observed?.items ?? [];
  const dunning = !isPaymentOverdue({ status }) ? "none" : isPaymentOverdue({ status: before }) ? "goes on" : "begins";
  const difference = findDifference(stored, status, items, billed);
  const quantities = diffQuantities(countBySize(isSameSubscription ? stored.items : []), countBySize(items));
  const changes: SubscriptionChanges = {
    ...(before !== status && dunning !== "begins" && { status: { from: before, to: status } }),
    ...(quantities && { quantities }),
  };
  const reported: BillingChange[] = [];
  if (dunning === "begins") reported.push({ kind: "billing_subscription_past_due" });
  if (Object.keys(changes).length > 0) reported.push({ kind: "billing_subscription_updated", changes });
  if (difference !== null && differenceKey(difference) !== differenceKey(stored.difference)) {
    reported.push({ kind: "billing_difference_found", difference });
  }
  return { status, items, dunning, difference, changes: reported };
}

/** Returns the difference between billed and existing spokes. While a change is being sent, returns the stored one. */
function findDifference(
  { sentQuantities, difference }: StoredSubscription,
  status: SubscriptionStatus | null,
  items: readonly SubscriptionItem[],
  billed: BilledQuantities,
): BillingDifference | null {
  if (sentQuantities === null || diffQuantities(sentQuantities, billed)) return difference;
  const actual = hasSubscriptionEnded({ status }) ? {} : countBySize(items);
  const parts = diffQuantities(billed, actual);
  if (hasSubscriptionEnded({ status })) {
    return parts && `The subscription has ended (${status}), but the hub still has billable spokes`;
  }
  const sizes = Object.keys(parts?.from ?? {}).map((size) => ({
    size,
    spokes: parts!.from[size]!,
    billed: parts!.to[size]!,
  }));
  const foreign = items.filter(({ size }) => size === null).map(({ price, quantity }) => `${quantity} of ${price}`);
  if (foreign.length === 0) return parts ? sizes : null;
  const others = sizes.map(({ size, spokes, billed }) => `${billed} of size ${size} for ${spokes} spokes`);
  return `The subscription has items that are not spokes: ${foreign.join(", ")}${
    others.length > 0 ? `; and ${others.join(", ")}` : ""
  }`;
}

/** Adds up the quantities for each size. A size can have several items, for example with different prices. */
function countBySize(items: readonly SubscriptionItem[]): BilledQuantities {
  const counts = new Map<string, number>();
  for (const { size, quantity } of items) if (size !== null) counts.set(size, (counts.get(size) ?? 0) + quantity);
  return Object.fromEntries(counts);
}

/** Returns the old and new quantity for each size with a changed quantity, sorted by size. Null if none changed. */
function diffQuantities(from: BilledQuantities, to: BilledQuantities): FromTo<BilledQuantities> | null {
  const sizes = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  const changed = sizes.filter((size) => getBilledQuantity(from, size) !== getBilledQuantity(to, size));
  if (changed.length === 0) return null;
  const pick = (of: BilledQuantities) => Object.fromEntries(changed.map((size) => [size, getBilledQuantity(of, size)]));
  return { from: pick(from), to: pick(to) };
}

/** Returns a string for comparing differences. The order of object fields does not affect the string. */
function differenceKey(difference: BillingDifference | null): string {
  if (difference === null || typeof difference === "string") return difference ?? "";
  return difference.map(({ size, spokes, billed }) => `${size}: ${spokes}, ${billed}`).join("\n");
}
