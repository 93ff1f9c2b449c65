/** Implements the API for subscriptions: https://docs.stripe.com/api/subscriptions */
import { billSubscription, invoicesOf } from "#test/support/provider/invoices.ts";
import { applyPlan, newItem, planItems } from "#test/support/provider/items.ts";
import { mergeMetadata } from "#test/support/provider/params.ts";
import { periodEnd } from "#test/support/provider/periods.ts";
import { buildPeriodLine, computeProration } from "#test/support/provider/prorations.ts";
import type { Json, Subscription } from "#test/support/provider/records.ts";
import { invalidParameter, ProviderError, resourceMissing } from "#test/support/provider/api-error.ts";
import { changeRecord, emit, findRecord, itemsOf, listOf, newId, type World } from "#test/support/provider/world.ts";

export function createSubscription(world: World, given: Record<string, Json>): Subscription {
  const customer = findRecord("customer", world.customers, given.customer, "customer");
  const plan = planItems(world, [], given.items, "items");
  const { currency, recurring: cycle } = plan[0]!.becomes!.price;
  if (given.currency !== undefined && given.currency !== currency) {
    throw invalidParameter("currency", `The prices of the items are in ${currency}`);
  }
  const others = [...world.subscriptions.values()].filter((each) =>
    each.customer === customer.id && each.ended_at === null && each.currency !== currency
  );
  if (others.length > 0) {
    throw invalidParameter(
      "customer",
      `You cannot combine currencies on a single customer. This customer has ${others[0]!.currency}`,
    );
  }
  const { collection_method = "charge_automatically", days_until_due = null } = given;
  refuseTerms(collection_method, days_until_due);
  const card = given.default_payment_method ?? customer.invoice_settings.default_payment_method;
  refuseCard(world, customer.id, given.default_payment_method);
  const free = plan.every(({ becomes }) => becomes!.price.unit_amount * becomes!.quantity === 0);
  const charged = collection_method === "charge_automatically" && !free;
  if (charged && card === null && given.payment_behavior !== "default_incomplete") {
    const message = "This customer has no attached payment source or default payment method. " +
      "Please consider adding a default payment method.";
    throw new ProviderError(400, message, { code: "resource_missing" });
  }
  const id = newId("sub"), start = world.now;
  const period = { current_period_start: start, current_period_end: periodEnd(start, cycle!, start) };
  const items = plan.map((each) => newItem(each.id, id, start, each.becomes!, period));
  const subscription: Subscription = {
    ...BLANK,
    ...{ id, object: "subscription", created: start, livemode: false },
    billing_cycle_anchor: start,
    billing_mode: { flexible: null, type: "flexible", updated_at: start, ...given.billing_mode },
    cancel_at_period_end: given.cancel_at_period_end ?? false,
    canceled_at: null,
    collection_method,
    currency,
    customer: customer.id,
    days_until_due,
    default_payment_method: given.default_payment_method ?? null,
    description: given.description ?? null,
    ended_at: null,
    items: listOf(`/v1/subscription_items?subscription=${id}`, items),
    latest_invoice: null,
    metadata: mergeMetadata({}, given.metadata),
    start_date: start,
    status: charged ? "incomplete" : "active",
  };
  world.subscriptions.set(id, subscription);
  if (given.payment_behavior === "default_incomplete") world.awaiting.add(id);
  emit(world, "customer.subscription.created", subscription);
  const fullPeriod = { start, end: period.current_period_end };
  for (const { id, price, quantity } of items) {
    world.debits.set(id, { amount: price.unit_amount * quantity, quantity, ...fullPeriod });
  }
  const lines = items.map((item) => buildPeriodLine(world, subscription, item, fullPeriod));
  billSubscription(world, subscription, lines, "subscription_create", { start, end: start });
  return subscription;
}

export function updateSubscription(world: World, id: string, given: Record<string, Json>): Subscription {
  const subscription = findRecord("subscription", world.subscriptions, id);
  const { items = [], proration_behavior = "create_prorations", proration_date: at = world.now, ...rest } = given;
  const ended = subscription.ended_at !== null;
  if (ended && Object.keys(given).some((name) => !["metadata", "cancellation_details", "expand"].includes(name))) {
    throw new ProviderError(400, "A canceled subscription can only update its cancellation_details and metadata.");
  }
  const plan = ended ? null : planItems(world, itemsOf(subscription), items, "items");
  refuseForeignCurrency(subscription, plan);
  refuseDate(subscription, given, "proration_date");
  refuseTerms(
    rest.collection_method ?? subscription.collection_method,
    rest.days_until_due ?? subscription.days_until_due,
  );
  refuseCard(world, subscription.customer, rest.default_payment_method);
  const prorated = plan && computeProration(world, subscription, plan, at);
  if (proration_behavior === "always_invoice" && prorated?.lines.length) refuseOftener(world, id);
  changeRecord(world, "customer.subscription.updated", subscription, () => {
    for (const name of CHANGEABLE) if (rest[name] !== undefined) Object.assign(subscription, { [name]: rest[name] });
    subscription.metadata = mergeMetadata(subscription.metadata, rest.metadata);
    if (!plan || !prorated) return;
    const { lines, debits } = prorated;
    const none = proration_behavior === "none";
    for (const [item, debit] of debits) {
      const bought = plan.some((each) => each.id === item && each.was !== null);
      if (!debit) world.debits.delete(item);
      else if (!none) world.debits.set(item, debit);
      else if (!bought) world.debits.set(item, { ...debit, amount: 0 }); // a free item: no later credit
    }
    applyPlan(subscription, plan, world.now);
    if (!none) world.pending.push(...lines);
    const waiting = world.pending.some((line) => line.subscription === id);
    if (proration_behavior === "always_invoice" && lines.length > 0 && waiting) {
      billSubscription(world, subscription, [], "subscription_update", { start: at, end: at });
    }
  });
  return subscription;
}

/** Cancels a subscription immediately. For an ended subscription, throws the error for a missing object. */
export function cancelSubscription(world: World, id: string, given: Record<string, Json>): Subscription {
  const subscription = findRecord("subscription", world.subscriptions, id);
  if (subscription.ended_at !== null) throw resourceMissing("subscription", id);
  endSubscription(world, subscription, given);
  return subscription;
}

export function endSubscription(world: World, subscription: Subscription, given: Record<string, Json>): void {
  const { invoice_now: invoice = false, prorate: credit = false } = given;
  // Keeps drafts as drafts: after a cancellation, only the last invoice is collected automatically.
  for (const each of invoicesOf(world, subscription.id)) each.automatically_finalizes_at = null;
  if (credit) {
    const gone = itemsOf(subscription).map((was) => ({ id: was.id, was, becomes: null }));
    world.pending.push(...computeProration(world, subscription, gone, world.now).lines);
  }
  const ours = world.pending.filter((line) => line.subscription === subscription.id);
  if (invoice && ours.length > 0) {
    billSubscription(world, subscription, [], "subscription_update", { start: world.now, end: world.now });
  }
  if (!invoice && !credit) {
    const others = world.pending.filter((line) => line.subscription !== subscription.id);
    world.pending.splice(0, world.pending.length, ...others);
  }
  subscription.status = "canceled";
  subscription.canceled_at = subscription.ended_at = world.now;
  Object.assign(subscription, {
    cancellation_details: {
      ...{ comment: null, feedback: null, feedback_option: null, reason: "cancellation_requested" },
      ...given.cancellation_details,
    },
  });
  emit(world, "customer.subscription.deleted", subscription);
}

/** Throws 429 if too many invoices were created for the subscription recently. */
function refuseOftener(world: World, id: string): void {
  for (const [most, seconds] of INVOICES) {
    const lately = invoicesOf(world, id).filter(({ created }) => created > world.now - seconds).length;
    if (lately >= most) {
      const message = "Too many invoices were created for this subscription recently.";
      throw new ProviderError(429, message, { code: "rate_limit", limit: "resource-specific" });
    }
  }
}

const MINUTE = 60, DAY = 24 * 60 * MINUTE;
const INVOICES = [[10, MINUTE], [20, DAY]] as const;

/** Throws an error if the proration date is outside the current billing period. */
export function refuseDate(subscription: Subscription, given: Record<string, Json>, param: string): void {
  const { proration_date: at, proration_behavior: behavior } = given;
  if (at === undefined) return;
  if (behavior === "none") throw invalidParameter(param, "You cannot pass a proration date where nothing is prorated");
  const { current_period_start: start, current_period_end: end } = itemsOf(subscription)[0]!;
  if (at >= start && at <= end) return;
  throw invalidParameter(
    param,
    `Cannot specify a proration date outside of the subscription's current period: ${start} to ${end}`,
  );
}

export function refuseForeignCurrency(subscription: Subscription, plan: ReturnType<typeof planItems> | null): void {
  const foreign = plan?.findIndex(({ becomes }) => becomes && becomes.price.currency !== subscription.currency) ?? -1;
  if (foreign < 0) return;
  const { currency } = plan![foreign]!.becomes!.price;
  const message = `The price specified only supports \`${currency}\`. ` +
    `This doesn't match the expected currency: \`${subscription.currency}\`.`;
  throw invalidParameter(`items[${foreign}][price]`, message);
}

function refuseTerms(method: string, days: number | null): void {
  if (method === "send_invoice" && days === null) {
    throw invalidParameter(
      "days_until_due",
      "Subscriptions with `collection_method=send_invoice` need `days_until_due`",
      "parameter_missing",
    );
  }
  if (method !== "send_invoice" && days !== null) {
    throw invalidParameter("days_until_due", "You may only set `days_until_due` with `collection_method=send_invoice`");
  }
}

function refuseCard(world: World, customer: string, card: string | undefined): void {
  if (card === undefined || world.cards.get(card)?.customer === customer) return;
  throw invalidParameter("default_payment_method", `No such PaymentMethod: '${card}'`, "resource_missing");
}

const CHANGEABLE = [
  ...["cancel_at_period_end", "collection_method", "days_until_due", "default_payment_method", "description"],
] as const;

/** Subscription fields that Wheelwright does not use, with fixed values. */
const BLANK = {
  ...{ application: null, application_fee_percent: null, billing_cycle_anchor_config: null, billing_schedules: [] },
  ...{ automatic_tax: { disabled_reason: null, enabled: false, liability: null }, billing_thresholds: null },
  ...{
    cancel_at: null,
    cancellation_details: null,
    customer_account: null,
    default_source: null,
    default_tax_rates: [],
  },
  ...{ discounts: [], managed_payments: null, next_pending_invoice_item_invoice: null, on_behalf_of: null },
  ...{
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: "self" },
    },
  },
  ...{ pause_collection: null, pending_invoice_item_interval: null, pending_setup_intent: null, pending_update: null },
  ...{
    payment_settings: { payment_method_options: null, payment_method_types: null, save_default_payment_method: "off" },
  },
  ...{ schedule: null, test_clock: null, transfer_data: null, trial_end: null, trial_start: null },
  ...{ trial_settings: { end_behavior: { missing_payment_method: "create_invoice" } } },
};
