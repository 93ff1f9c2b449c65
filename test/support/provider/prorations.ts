/** Computes the cost of a change within a billing period, to the second:
 * https://docs.stripe.com/billing/subscriptions/prorations
 *
 * Credits the unused part of the old charge, and charges the rest of the period at the new price, as separate lines. In
 * flexible billing mode, the credit is a part of the charged amount. In classic mode, it is a part of the current price
 * times the quantity. */
import type { Item, Line, Price, Subscription } from "#test/support/provider/records.ts";
import { type Debit, newId, type World } from "#test/support/provider/world.ts";

/** A subscription item before (`was`) and after (`becomes`) a change. Null before its creation or after its removal. */
export interface ProratedChange {
  readonly id: string;
  readonly was: Item | null;
  readonly becomes: { readonly price: Price; readonly quantity: number } | null;
}

export interface Proration {
  readonly lines: readonly Line[];
  /** The charge for each item's current period after the change; null for a removed item. */
  readonly debits: ReadonlyMap<string, Debit | null>;
}

export function computeProration(
  world: World,
  subscription: Subscription,
  changes: readonly ProratedChange[],
  at: number,
): Proration {
  const lines: Line[] = [], debits = new Map<string, Debit | null>();
  const { current_period_end: end } = subscription.items.data[0]!;
  for (const { id, was, becomes } of changes) {
    if (was && becomes && was.price.id === becomes.price.id && was.quantity === becomes.quantity) continue;
    if (was) {
      const { amount, start } = chargedFor(world, subscription, was);
      const credit = Math.round(amount * Math.min(1, (end - at) / Math.max(1, end - start)));
      const text = `Unused time on ${was.quantity} × ${titleOf(world, was.price)}`;
      if (credit !== 0) {
        lines.push(line(subscription, id, was.price, was.quantity, -credit, { start: at, end }, true, text));
      }
    }
    if (becomes) {
      const { price, quantity } = becomes, cycle = subscription.items.data[0]!.current_period_start;
      const amount = Math.round(price.unit_amount * quantity * (end - at) / (end - cycle));
      const text = `Remaining time on ${quantity} × ${titleOf(world, price)}`;
      if (amount !== 0) lines.push(line(subscription, id, price, quantity, amount, { start: at, end }, true, text));
      debits.set(id, { amount, quantity, start: at, end });
    } else {
      debits.set(id, null);
    }
  }
  return { lines, debits };
}

/** Returns an invoice line that charges an item for a whole billing period. */
export function buildPeriodLine(
  world: World,
  subscription: Subscription,
  { id, price, quantity }: Pick<Item, "id" | "price" | "quantity">,
  period: Line["period"],
): Line {
  const text = `${quantity} × ${titleOf(world, price)} (at ${price.unit_amount} / ${price.recurring!.interval})`;
  return line(subscription, id, price, quantity, price.unit_amount * quantity, period, false, text);
}

function chargedFor(world: World, { billing_mode: mode }: Subscription, item: Item): Pick<Debit, "amount" | "start"> {
  const debit = world.debits.get(item.id);
  if (mode.type === "flexible") return debit ?? { amount: 0, start: item.current_period_start };
  return { amount: item.price.unit_amount * item.quantity, start: item.current_period_start };
}

function titleOf(world: World, { product }: Price): string {
  return world.products.get(product)!.name;
}

function line(
  subscription: Subscription,
  item: string,
  price: Price,
  quantity: number,
  amount: number,
  period: Line["period"],
  proration: boolean,
  description: string,
): Line {
  return {
    ...{ discount_amounts: [], discountable: !proration, discounts: [], livemode: false, pretax_credit_amounts: [] },
    ...{ quantity_decimal: String(quantity), subtotal: amount, taxes: [] },
    id: newId("il"),
    object: "line_item",
    amount,
    currency: price.currency,
    description,
    invoice: null,
    metadata: {},
    parent: {
      type: "subscription_item_details",
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: proration ? newId("ii") : null,
        proration,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: item,
      },
    },
    period,
    pricing: {
      type: "price_details",
      price_details: { price: price.id, product: price.product },
      unit_amount_decimal: String(price.unit_amount),
    },
    quantity,
    subscription: subscription.id,
  };
}
