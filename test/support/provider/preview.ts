/** Previews the next invoice of a changed or future subscription: /v1/invoices/create_preview. */
import { createInvoice } from "#test/support/provider/invoices.ts";
import { newItem, planItems } from "#test/support/provider/items.ts";
import { periodEnd } from "#test/support/provider/periods.ts";
import { buildPeriodLine, computeProration } from "#test/support/provider/prorations.ts";
import type { Invoice, Item, Json, Line, Subscription } from "#test/support/provider/records.ts";
import { invalidParameter, ProviderError } from "#test/support/provider/api-error.ts";
import { refuseDate, refuseForeignCurrency } from "#test/support/provider/subscriptions.ts";
import { findRecord, itemsOf, listOf, type World } from "#test/support/provider/world.ts";

const DETAILS = "subscription_details";

/** Returns the next invoice, with pending items, prorations for the change, and the next period. With `always_invoice`,
 * returns only the immediate invoice. In `recurring` mode, returns a whole period without prorations. */
export function previewInvoice(world: World, given: Record<string, Json>): Invoice {
  const invoice = given.subscription === undefined ? previewFirst(world, given) : previewNext(world, given);
  world.previews.set(invoice.id, invoice);
  return invoice;
}

function previewNext(world: World, given: Record<string, Json>): Invoice {
  const { subscription: id, customer, preview_mode: mode = "next", subscription_details: details = {} } = given;
  const subscription = findRecord("subscription", world.subscriptions, id, "subscription");
  if (customer !== undefined && customer !== subscription.customer) {
    throw invalidParameter("customer", `The subscription ${id} does not belong to the customer ${customer}`);
  }
  if (subscription.ended_at !== null) {
    throw new ProviderError(400, "No upcoming invoices for a subscription that has ended", {
      code: "invoice_upcoming_none",
    });
  }
  const plan = planItems(world, itemsOf(subscription), details.items ?? [], `${DETAILS}[items]`);
  refuseForeignCurrency(subscription, plan);
  refuseDate(subscription, details, `${DETAILS}[proration_date]`);
  const { proration_behavior: behavior = "create_prorations", proration_date: at = world.now } = details;
  const [{ current_period_end: end, price }] = itemsOf(subscription) as [Item];
  const next = { start: end, end: periodEnd(subscription.billing_cycle_anchor, price.recurring!, end) };
  const items = plan.flatMap(({ id, becomes }) => becomes ? [{ id, ...becomes }] : []);
  const recurringLines = items.map((item) => buildPeriodLine(world, subscription, item, next));
  const waiting = world.pending.filter((line) => line.subscription === id);
  const prorations = behavior === "none" ? [] : computeProration(world, subscription, plan, at).lines;
  const lines: Line[] = mode === "recurring"
    ? recurringLines
    : behavior === "always_invoice" && prorations.length > 0
    ? [...waiting, ...prorations]
    : [...waiting, ...prorations, ...recurringLines];
  const payer = world.customers.get(subscription.customer);
  const invoice = createInvoice(world, subscription, payer, lines, "upcoming", { start: at, end });
  // Shows the proration date only if the invoice contains prorations.
  if (prorations.length > 0) invoice.parent.subscription_details.subscription_proration_date = at;
  return invoice;
}

/** Returns the first invoice for a subscription that would start now. */
function previewFirst(world: World, given: Record<string, Json>): Invoice {
  const { customer: id, currency, subscription_details: details = {} } = given;
  if (id === undefined) {
    throw invalidParameter("customer", "You must pass a customer or a subscription", "parameter_missing");
  }
  const customer = findRecord("customer", world.customers, id, "customer");
  if (!details.items) {
    throw new ProviderError(404, `No upcoming invoices for customer: ${id}`, { code: "invoice_upcoming_none" });
  }
  const plan = planItems(world, [], details.items, `${DETAILS}[items]`), { price } = plan[0]!.becomes!;
  if ((currency ?? price.currency) !== price.currency) {
    throw invalidParameter("currency", `The prices of the items are in ${price.currency}`);
  }
  if (details.proration_date !== undefined) {
    throw invalidParameter(`${DETAILS}[proration_date]`, "A proration date needs a subscription");
  }
  const end = periodEnd(world.now, price.recurring!, world.now);
  const period = { current_period_start: world.now, current_period_end: end };
  const items = plan.map(({ id, becomes }) => newItem(id, "", world.now, becomes!, period));
  const draft = {
    ...{ id: null, customer: id, currency: price.currency, collection_method: "charge_automatically", metadata: {} },
    items: listOf("", items),
  } as unknown as Subscription;
  const lines = items.map((item) => buildPeriodLine(world, draft, item, { start: world.now, end }));
  return createInvoice(world, draft, customer, lines, "upcoming", { start: world.now, end });
}
