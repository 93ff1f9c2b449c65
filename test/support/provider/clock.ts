/** Simulates the provider's work over time: finalizes drafts, records missed payments and ends billing periods. */
import { billSubscription, expireInvoice, finalizeInvoice, invoicesOf } from "#test/support/provider/invoices.ts";
import { periodEnd } from "#test/support/provider/periods.ts";
import { buildPeriodLine } from "#test/support/provider/prorations.ts";
import type { Invoice, Subscription } from "#test/support/provider/records.ts";
import { endSubscription } from "#test/support/provider/subscriptions.ts";
import { changeRecord, itemsOf, NO_REQUEST, type World } from "#test/support/provider/world.ts";

const FIRST_PAYMENT = 23 * 60 * 60;

interface Due {
  readonly at: number;
  readonly act: () => void;
}

/** Sets the provider's clock, and does all work that is now due, oldest first. An earlier time causes no work. */
export function advanceClock(world: World, to: number): void {
  world.request = NO_REQUEST;
  for (;;) {
    const next = dues(world).reduce<Due | null>((first, due) => first && first.at <= due.at ? first : due, null);
    if (!next || next.at > to) break;
    world.now = Math.max(world.now, next.at);
    next.act();
  }
  world.now = to;
}

function dues(world: World): Due[] {
  return [
    ...[...world.invoices.values()].flatMap((invoice) => dueOf(world, invoice)),
    ...[...world.subscriptions.values()].flatMap((subscription) => endOf(world, subscription)),
  ];
}

function dueOf(world: World, invoice: Invoice): Due[] {
  const { status, automatically_finalizes_at: final, due_date: due } = invoice;
  if (status === "draft" && final !== null) return [{ at: final, act: () => finalizeInvoice(world, invoice) }];
  if (status !== "open" || due === null || world.overdue.has(invoice.id)) return [];
  return [{ at: due + 1, act: () => expireInvoice(world, invoice) }];
}

function endOf(world: World, subscription: Subscription): Due[] {
  const { status, created, ended_at } = subscription;
  if (ended_at !== null || status === "incomplete_expired") return [];
  if (status === "incomplete") return [{ at: created + FIRST_PAYMENT, act: () => expire(world, subscription) }];
  const [{ current_period_end: at }] = itemsOf(subscription) as [Subscription["items"]["data"][0]];
  const act = () =>
    subscription.cancel_at_period_end ? endSubscription(world, subscription, {}) : renew(world, subscription);
  return [{ at, act }];
}

function renew(world: World, subscription: Subscription): void {
  const [{ current_period_start: begun, current_period_end: start, price }] = itemsOf(subscription) as [
    Subscription["items"]["data"][0],
  ];
  const end = periodEnd(subscription.billing_cycle_anchor, price.recurring!, start);
  changeRecord(world, "customer.subscription.updated", subscription, () => {
    for (const item of itemsOf(subscription)) {
      item.current_period_start = start;
      item.current_period_end = end;
      const { id, quantity } = item;
      world.debits.set(id, { amount: item.price.unit_amount * quantity, quantity, start, end });
    }
    const lines = itemsOf(subscription).map((item) => buildPeriodLine(world, subscription, item, { start, end }));
    billSubscription(world, subscription, lines, "subscription_cycle", { start: begun, end: start });
  });
}

/** Expires a subscription for which the first payment is missing. */
function expire(world: World, subscription: Subscription): void {
  for (const invoice of invoicesOf(world, subscription.id)) {
    if (invoice.status !== "open") continue;
    changeRecord(world, "invoice.voided", invoice, () => invoice.status = "void");
  }
  changeRecord(world, "customer.subscription.updated", subscription, () => {
    subscription.status = "incomplete_expired";
    subscription.ended_at = world.now;
  });
}
