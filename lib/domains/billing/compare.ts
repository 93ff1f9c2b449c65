/**
 * What a look at a hub's subscription means, against what was known before: its state from now on, and what of it is news.
 *
 * Pure. The order of the provider's events plays no part in it, only the order of the looks: each compares what is with what
 * was last seen.
 */
import { type Quantities, quantityOf } from "#lib/domains/billing/billed.ts";
import {
  hasEnded,
  isDunning,
  type Subscription,
  type SubscriptionItem,
  type SubscriptionStatus,
} from "#lib/drivers/payments/payments.ts";

/** Where the spokes and the provider part: size by size, or a sentence where it is more than numbers. */
export type BillingDifference = readonly SizeDifference[] | string;

interface SizeDifference {
  readonly size: string;
  readonly spokes: number;
  /** What the provider counts. */
  readonly billed: number;
}

/** The row before the look, as far as it decides. */
export interface StoredBilling {
  readonly subscriptionId: string | null;
  readonly status: SubscriptionStatus | null;
  readonly items: readonly SubscriptionItem[];
  /** What the provider was last asked to count; null when it is to be told anew. */
  readonly told: Quantities | null;
  readonly difference: BillingDifference | null;
}

export interface BillingComparison {
  readonly status: SubscriptionStatus | null;
  readonly items: readonly SubscriptionItem[];
  readonly dunning: "begins" | "goes on" | "none";
  readonly difference: BillingDifference | null;
  readonly news: readonly BillingNews[];
}

export type BillingNews =
  | { readonly kind: "billing_subscription_past_due" }
  | { readonly kind: "billing_subscription_updated"; readonly changes: SubscriptionChanges }
  | { readonly kind: "billing_difference_found"; readonly difference: BillingDifference };

interface SubscriptionChanges {
  readonly status?: FromTo<SubscriptionStatus | null>;
  /** Of the sizes whose quantity is another. */
  readonly quantities?: FromTo<Quantities>;
}

interface FromTo<T> {
  readonly from: T;
  readonly to: T;
}

/** `seen` is null when the provider knows the subscription no more; `billed` is what is to be billed now. */
export function compareSubscription(
  stored: StoredBilling,
  observed: Subscription | null,
  billed: Quantities,
): BillingComparison {
  // Another subscription than the row's begins anew: nothing of it was ever said.
  const isSameSubscription = observed === null || observed.id === stored.subscriptionId;
  const before = isSameSubscription ? stored.status : null;
  const status = observed ? observed.status : stored.subscriptionId === null ? null : "canceled";
  const items = observed?.items ?? [];
  const dunning = !isDunning({ status }) ? "none" : isDunning({ status: before }) ? "goes on" : "begins";
  const difference = findDifference(stored, status, items, billed);
  const quantities = diffQuantities(countBySize(isSameSubscription ? stored.items : []), countBySize(items));
  const changes: SubscriptionChanges = {
    ...(before !== status && dunning !== "begins" && { status: { from: before, to: status } }),
    ...(quantities && { quantities }),
  };
  const news: BillingNews[] = [];
  if (dunning === "begins") news.push({ kind: "billing_subscription_past_due" });
  if (Object.keys(changes).length > 0) news.push({ kind: "billing_subscription_updated", changes });
  if (difference !== null && differenceKey(difference) !== differenceKey(stored.difference)) {
    news.push({ kind: "billing_difference_found", difference });
  }
  return { status, items, dunning, difference, news };
}

/**
 * While a change is on its way to the provider nothing can be said, and what was found before stands: what the provider
 * counts is held only against what it was told.
 */
function findDifference(
  { told, difference }: StoredBilling,
  status: SubscriptionStatus | null,
  items: readonly SubscriptionItem[],
  billed: Quantities,
): BillingDifference | null {
  if (told === null || diffQuantities(told, billed)) return difference;
  const counted = hasEnded({ status }) ? {} : countBySize(items);
  const parts = diffQuantities(billed, counted);
  if (hasEnded({ status })) return parts && `The subscription has ended (${status}), but there are spokes to bill`;
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

/** Items of one size count together: somebody may have put a second price beside ours. */
function countBySize(items: readonly SubscriptionItem[]): Quantities {
  const counts = new Map<string, number>();
  for (const { size, quantity } of items) if (size !== null) counts.set(size, (counts.get(size) ?? 0) + quantity);
  return Object.fromEntries(counts);
}

/** Both sides of the sizes whose quantities are not the same, in the order of their names; null where all are. */
function diffQuantities(from: Quantities, to: Quantities): FromTo<Quantities> | null {
  const sizes = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  const changed = sizes.filter((size) => quantityOf(from, size) !== quantityOf(to, size));
  if (changed.length === 0) return null;
  const pick = (of: Quantities) => Object.fromEntries(changed.map((size) => [size, quantityOf(of, size)]));
  return { from: pick(from), to: pick(to) };
}

/** The same for what is the same, in whatever order the database gave its fields back. */
function differenceKey(difference: BillingDifference | null): string {
  if (difference === null || typeof difference === "string") return difference ?? "";
  return difference.map(({ size, spokes, billed }) => `${size}: ${spokes}, ${billed}`).join("\n");
}
