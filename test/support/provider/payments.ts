/** Implements invoice payments and refunds, with payment intents and charges. */
import { invoicesOf, subscriptionOf } from "#test/support/provider/invoices.ts";
import type { Charge, Invoice, InvoicePayment, PaymentIntent, Refund } from "#test/support/provider/records.ts";
import { ProviderError } from "#test/support/provider/api-error.ts";
import { changeRecord, emit, findRecord, newId, type World } from "#test/support/provider/world.ts";

/** Charges the customer's card. The payment fails without a card, or if the bank declines the card. */
export function attemptPayment(world: World, invoice: Invoice): void {
  const subscription = subscriptionOf(world, invoice);
  if (subscription?.status === "incomplete" && world.awaiting.has(subscription.id)) return;
  const card = subscription?.default_payment_method ??
    world.customers.get(invoice.customer)?.invoice_settings.default_payment_method ?? null;
  if (card !== null && world.cards.get(card)?.refused === false) return payInvoice(world, invoice);
  failPayment(world, invoice);
}

/** Records a payment of the invoice by the customer. */
export function payInvoice(world: World, invoice: Invoice): void {
  const { intent } = charge(world, invoice, true);
  settlePayment(world, invoice, intent);
}

/** Marks an invoice as paid, after a payment or if nothing is due. Sets the invoice's subscription to `active`, unless
 * another invoice is overdue. */
export function settlePayment(world: World, invoice: Invoice, intent: PaymentIntent | null): void {
  changeRecord(world, "invoice.paid", invoice, () => {
    invoice.status = "paid";
    invoice.amount_paid = invoice.amount_due;
    invoice.amount_remaining = 0;
    invoice.attempted = intent !== null || invoice.attempted;
    invoice.status_transitions = { ...invoice.status_transitions, paid_at: world.now };
  });
  emit(world, "invoice.payment_succeeded", invoice);
  if (intent) {
    const payment: InvoicePayment = {
      ...{ amount_requested: invoice.amount_due, is_default: true, currency: invoice.currency },
      ...{ status_transitions: { canceled_at: null, paid_at: world.now } },
      ...{ id: newId("inpay"), object: "invoice_payment", created: world.now, livemode: false },
      amount_paid: invoice.amount_due,
      invoice: invoice.id,
      payment: { type: "payment_intent", payment_intent: intent.id },
      status: "paid",
    };
    world.payments.set(payment.id, payment);
    emit(world, "invoice_payment.paid", payment);
  }
  const subscription = subscriptionOf(world, invoice);
  if (!subscription || !["past_due", "unpaid", "incomplete"].includes(subscription.status)) return;
  if (isBehind(world, subscription.id)) return;
  changeRecord(world, "customer.subscription.updated", subscription, () => subscription.status = "active");
}

/** Whether a payment for the subscription is overdue. Only the latest final invoice counts; others may stay unpaid. */
function isBehind(world: World, subscription: string): boolean {
  const final = invoicesOf(world, subscription).filter(({ status }) => status !== "draft" && status !== "void");
  if (final.at(-1)?.status === "paid") return false;
  return final.some(({ id, status, attempt_count: tried }) =>
    status === "open" && (tried > 0 || world.overdue.has(id))
  );
}

/** Records a failed payment, after a declined card or without a card. */
export function failPayment(world: World, invoice: Invoice): void {
  charge(world, invoice, false);
  invoice.attempt_count++;
  invoice.attempted = true;
  emit(world, "invoice.payment_failed", invoice);
  const subscription = subscriptionOf(world, invoice);
  if (subscription?.status !== "active") return;
  changeRecord(world, "customer.subscription.updated", subscription, () => subscription.status = "past_due");
}

/** Refunds an amount of a charge. By default, refunds the whole remaining amount. */
export function refundCharge(world: World, chargeId: string, amount?: number): Refund {
  const paid = findRecord("charge", world.charges, chargeId), left = paid.amount - paid.amount_refunded;
  if (paid.refunded) {
    throw new ProviderError(400, `Charge ${paid.id} has already been refunded.`, { code: "charge_already_refunded" });
  }
  if (paid.status !== "succeeded" || (amount ?? 1) < 1 || (amount ?? 0) > left) {
    throw new ProviderError(400, `Refund amount is not possible on charge ${paid.id}`, { param: "amount" });
  }
  const refund: Refund = {
    ...{
      balance_transaction: newId("txn"),
      customer_account: null,
      destination_details: { type: "card" },
      metadata: {},
    },
    ...{
      payment_method: null,
      reason: null,
      receipt_number: null,
      source_transfer_reversal: null,
      transfer_reversal: null,
    },
    ...{ id: newId("re"), object: "refund", created: world.now },
    amount: amount ?? left,
    charge: paid.id,
    currency: paid.currency,
    customer: paid.customer,
    payment_intent: paid.payment_intent,
    status: "succeeded",
  };
  world.refunds.set(refund.id, refund);
  changeRecord(world, "charge.refunded", paid, () => {
    paid.amount_refunded += refund.amount;
    paid.refunded = paid.amount_refunded === paid.amount;
  });
  emit(world, "refund.created", refund);
  return refund;
}

function charge(world: World, invoice: Invoice, good: boolean): { intent: PaymentIntent; charge: Charge } {
  const about = {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: invoice.customer,
    created: world.now,
  };
  const intent: PaymentIntent = {
    ...{ capture_method: "automatic", confirmation_method: "automatic", description: null, metadata: {} },
    ...{ payment_method: null, payment_method_types: ["card"], canceled_at: null, cancellation_reason: null },
    ...{ ...about, id: newId("pi"), object: "payment_intent", livemode: false },
    amount_received: good ? invoice.amount_due : 0,
    latest_charge: null,
    status: good ? "succeeded" : "requires_payment_method",
  };
  const made: Charge = {
    ...{ amount_captured: good ? invoice.amount_due : 0, application: null, captured: good, description: null },
    ...{ disputed: false, metadata: {}, payment_method: null, receipt_email: null, receipt_url: null },
    ...{ failure_code: good ? null : "card_declined", failure_message: good ? null : "Your card was declined." },
    ...{ ...about, id: newId("ch"), object: "charge", livemode: false },
    amount_refunded: 0,
    paid: good,
    payment_intent: intent.id,
    refunded: false,
    status: good ? "succeeded" : "failed",
  };
  intent.latest_charge = made.id;
  world.intents.set(intent.id, intent);
  world.charges.set(made.id, made);
  emit(world, good ? "charge.succeeded" : "charge.failed", made);
  emit(world, good ? "payment_intent.succeeded" : "payment_intent.payment_failed", intent);
  return { intent, charge: made };
}
