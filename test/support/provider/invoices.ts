/** Creates, finalizes and settles invoices: https://docs.stripe.com/billing/invoices/subscription */
import { attemptPayment, settlePayment } from "#test/support/provider/payments.ts";
import type { Customer, Invoice, Line, Subscription } from "#test/support/provider/records.ts";
import { changeRecord, emit, findRecord, listOf, newId, type World } from "#test/support/provider/world.ts";

const HOUR = 60 * 60, DAY = 24 * HOUR;

/** The minimum charge, in minor units such as cents. Smaller amounts are added to the customer's balance instead:
 * https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const LEAST = 50;

export type BillingReason = "subscription_create" | "subscription_update" | "subscription_cycle" | "upcoming";

/** Returns an invoice with the given lines. Does not store the invoice. */
export function createInvoice(
  world: World,
  subscription: Subscription,
  customer: Customer | undefined,
  lines: readonly Line[],
  reason: BillingReason,
  period: Line["period"],
): Invoice {
  const id = reason === "upcoming" ? newId("upcoming_in") : newId("in");
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const starting = customer?.balance ?? 0;
  const due = Math.max(0, total + starting);
  const [prorations, others] = [lines.filter(isProration), lines.filter((line) => !isProration(line))];
  const sorted = [...prorations.toSorted((a, b) => b.period.start - a.period.start), ...others];
  const { collection_method, currency } = subscription;
  return {
    ...BLANK,
    ...{
      customer_email: customer?.email ?? null,
      customer_name: customer?.name ?? null,
      subtotal_excluding_tax: total,
    },
    ...{ total_excluding_tax: total, default_payment_method: null },
    id,
    object: "invoice",
    created: world.now,
    livemode: false,
    amount_due: due,
    amount_paid: 0,
    amount_remaining: due,
    attempt_count: 0,
    attempted: false,
    automatically_finalizes_at: null,
    billing_reason: reason,
    collection_method,
    currency,
    customer: subscription.customer,
    due_date: null,
    ending_balance: null,
    hosted_invoice_url: null,
    lines: listOf(`/v1/invoices/${id}/lines`, sorted.map((line) => ({ ...line, invoice: id }))),
    number: null,
    parent: {
      type: "subscription_details",
      quote_details: null,
      subscription_details: { metadata: { ...subscription.metadata }, subscription: subscription.id },
    },
    period_start: period.start,
    period_end: period.end,
    starting_balance: starting,
    status: "draft",
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: total,
    total,
  };
}

/** Creates an invoice with the given lines and all pending prorations. Finalizes invoices with automatic payment
 * immediately, except at a period's end. Others stay drafts for an hour, or forever if the subscription is unpaid. */
export function billSubscription(
  world: World,
  subscription: Subscription,
  lines: readonly Line[],
  reason: BillingReason,
  period: Line["period"],
): Invoice {
  const waiting = takePending(world, subscription.id);
  const customer = findRecord("customer", world.customers, subscription.customer);
  const invoice = createInvoice(world, subscription, customer, [...waiting, ...lines], reason, period);
  const unpaid = subscription.status === "unpaid";
  invoice.automatically_finalizes_at = unpaid ? null : world.now + HOUR;
  if (subscription.collection_method === "send_invoice") {
    invoice.due_date = world.now + (subscription.days_until_due ?? 30) * DAY;
  }
  customer.currency ??= subscription.currency;
  world.invoices.set(invoice.id, invoice);
  subscription.latest_invoice = invoice.id;
  emit(world, "invoice.created", invoice);
  if (!unpaid && subscription.collection_method === "charge_automatically" && reason !== "subscription_cycle") {
    finalizeInvoice(world, invoice);
  }
  return invoice;
}

/** Whether an invoice line is a proration. Invoices list pending prorations first, with the newest at the top. */
function isProration({ parent }: Line): boolean {
  return parent.subscription_item_details.proration;
}

/** Finalizes an invoice, so that its amount is due. An invoice with the amount zero is paid immediately. */
export function finalizeInvoice(world: World, invoice: Invoice): void {
  if (invoice.status !== "draft") return;
  const customer = world.customers.get(invoice.customer);
  changeRecord(world, "invoice.finalized", invoice, () => {
    // Reads the current balance, because another invoice may have used the balance while this invoice was a draft.
    invoice.starting_balance = customer?.balance ?? 0;
    const balance = invoice.total + invoice.starting_balance;
    invoice.amount_due = invoice.amount_remaining = balance < LEAST ? 0 : balance;
    invoice.status = "open";
    invoice.automatically_finalizes_at = null;
    invoice.number = `WHEEL-${String(world.invoices.size).padStart(4, "0")}`;
    invoice.hosted_invoice_url = `https://invoice.stripe.com/i/acct_double/test_${invoice.id}`;
    invoice.status_transitions = { ...invoice.status_transitions, finalized_at: world.now };
    invoice.ending_balance = balance < LEAST ? balance : 0;
  });
  if (customer && customer.balance !== invoice.ending_balance) {
    changeRecord(world, "customer.updated", customer, () => customer.balance = invoice.ending_balance!);
  }
  if (invoice.amount_due === 0) settlePayment(world, invoice, null);
  else if (invoice.collection_method === "charge_automatically") attemptPayment(world, invoice);
  else emit(world, "invoice.sent", invoice);
}

/** Marks an invoice as overdue after its due date has passed without a payment. */
export function expireInvoice(world: World, invoice: Invoice): void {
  const subscription = subscriptionOf(world, invoice);
  world.overdue.add(invoice.id);
  emit(world, "invoice.overdue", invoice);
  if (subscription?.status !== "active") return;
  changeRecord(world, "customer.subscription.updated", subscription, () => subscription.status = "past_due");
}

export function subscriptionOf(world: World, invoice: Invoice): Subscription | undefined {
  return world.subscriptions.get(invoice.parent.subscription_details.subscription);
}

export function invoicesOf(world: World, subscription: string): Invoice[] {
  return [...world.invoices.values()].filter(({ parent }) => parent.subscription_details.subscription === subscription);
}

function takePending(world: World, subscription: string): Line[] {
  const waiting = world.pending.filter((line) => line.subscription === subscription);
  const others = world.pending.filter((line) => line.subscription !== subscription);
  world.pending.splice(0, world.pending.length, ...others);
  return waiting;
}

/** Invoice fields that Wheelwright does not use, with fixed values. */
const BLANK = {
  ...{
    account_country: "DE",
    account_name: "The double",
    account_tax_ids: null,
    amount_overpaid: 0,
    amount_shipping: 0,
  },
  ...{ application: null, auto_advance: true, custom_fields: null, customer_account: null, customer_address: null },
  ...{ automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null } },
  ...{ customer_phone: null, customer_shipping: null, customer_tax_exempt: "none", customer_tax_ids: [] },
  ...{
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    effective_at: null,
    footer: null,
  },
  ...{ from_invoice: null, invoice_pdf: null, issuer: { type: "self" }, last_finalization_error: null },
  ...{ latest_revision: null, metadata: {}, next_payment_attempt: null, on_behalf_of: null },
  ...{ payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null } },
  ...{ post_payment_credit_notes_amount: 0, pre_payment_credit_notes_amount: 0, receipt_number: null, rendering: null },
  ...{ shipping_cost: null, shipping_details: null, statement_descriptor: null, test_clock: null },
  ...{ total_discount_amounts: [], total_pretax_credit_amounts: [], total_taxes: [], webhooks_delivered_at: null },
};
