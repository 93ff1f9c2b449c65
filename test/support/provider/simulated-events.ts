/** Simulates events at the payment provider that Wheelwright does not cause: payments, missed payments, and changes in
 * the provider's dashboard. */
import { advanceClock } from "#test/support/provider/clock.ts";
import { expireInvoice, finalizeInvoice, invoicesOf } from "#test/support/provider/invoices.ts";
import { failPayment, payInvoice, refundCharge } from "#test/support/provider/payments.ts";
import type { Invoice, Refund, Subscription } from "#test/support/provider/records.ts";
import { cancelSubscription, updateSubscription } from "#test/support/provider/subscriptions.ts";
import { changeRecord, findRecord, itemsOf, newId, NO_REQUEST, type World } from "#test/support/provider/world.ts";

export interface SimulatedEvents {
  /** Pays the oldest unpaid invoice. If the invoice is a draft, finalizes it first. */
  pay(subscription: string): Invoice;
  /** Simulates a missed payment: the subscription becomes `past_due`. If all is paid, misses the next payment. */
  missPayment(subscription: string): Invoice;
  /** Pays all open invoices, so that the subscription becomes `active` again. */
  recover(subscription: string): void;
  /** Simulates the end of the provider's payment retries: the subscription becomes `unpaid`. */
  giveUp(subscription: string): void;
  cancel(subscription: string): Subscription;
  editQuantity(subscription: string, price: string, quantity: number): Subscription;
  /** Refunds an amount of a charge or invoice payment. By default, refunds the whole remaining amount. */
  refund(chargeOrInvoice: string, amount?: number): Refund;
  /** Adds a payment card for the customer. With `refused`, the bank declines all payments with this card. */
  addCard(customer: string, refused?: "refused"): string;
}

export function createSimulatedEvents(world: World): SimulatedEvents {
  const alone = <Args extends unknown[], Result>(act: (...args: Args) => Result) => (...args: Args): Result => {
    world.request = NO_REQUEST;
    return act(...args);
  };
  return {
    pay: alone((id) => payOldest(world, id)),
    missPayment: alone((id) => miss(world, id)),
    recover: alone((id) => {
      for (const invoice of owed(world, id)) if (invoice.status === "open") payInvoice(world, invoice);
    }),
    giveUp: alone((id) => {
      const subscription = findRecord("subscription", world.subscriptions, id);
      changeRecord(world, "customer.subscription.updated", subscription, () => subscription.status = "unpaid");
    }),
    cancel: alone((id) => cancelSubscription(world, id, {})),
    editQuantity: alone((id, price, quantity) => {
      const item = itemsOf(findRecord("subscription", world.subscriptions, id)).find((each) => each.price.id === price);
      return updateSubscription(world, id, { items: [item ? { id: item.id, quantity } : { price, quantity }] });
    }),
    refund: alone((id, amount) => refundCharge(world, chargeOf(world, id), amount)),
    addCard: alone((id, refused) => {
      const customer = findRecord("customer", world.customers, id), card = newId("pm");
      world.cards.set(card, { customer: id, refused: refused !== undefined });
      changeRecord(world, "customer.updated", customer, () => {
        customer.invoice_settings = { ...customer.invoice_settings, default_payment_method: card };
      });
      return card;
    }),
  };
}

/** Returns the subscription's unpaid invoices, oldest first. */
function owed(world: World, subscription: string): Invoice[] {
  findRecord("subscription", world.subscriptions, subscription);
  return invoicesOf(world, subscription).filter(({ status }) => status === "draft" || status === "open");
}

function payOldest(world: World, id: string): Invoice {
  const [invoice] = owed(world, id);
  if (!invoice) throw new Error(`${id} has no open invoice`);
  finalizeInvoice(world, invoice);
  if (invoice.status === "open") payInvoice(world, invoice);
  return invoice;
}

function miss(world: World, id: string): Invoice {
  const subscription = findRecord("subscription", world.subscriptions, id);
  if (owed(world, id).length === 0) advanceClock(world, itemsOf(subscription)[0]!.current_period_end);
  const invoice = owed(world, id).at(-1);
  if (!invoice) throw new Error(`${id} will have no invoice`);
  if (subscription.collection_method === "charge_automatically") {
    for (const card of world.cards.values()) if (card.customer === subscription.customer) card.refused = true;
  }
  finalizeInvoice(world, invoice);
  if (invoice.status !== "open") throw new Error(`${id} has no open invoice: the total is zero`);
  if (subscription.collection_method === "send_invoice") expireInvoice(world, invoice);
  else if (invoice.attempt_count === 0) failPayment(world, invoice);
  return invoice;
}

function chargeOf(world: World, id: string): string {
  if (!world.invoices.has(id)) return id;
  const payment = [...world.payments.values()].find(({ invoice }) => invoice === id);
  if (!payment) throw new Error(`${id} has no payment`);
  return world.intents.get(payment.payment.payment_intent)!.latest_charge!;
}
