/** Defines the API endpoints for invoices, payments, charges, refunds and events. */
import { paginate } from "#test/support/provider/lists.ts";
import { finalizeInvoice } from "#test/support/provider/invoices.ts";
import { PAGE_PARAMS } from "#test/support/provider/params.ts";
import { refundCharge } from "#test/support/provider/payments.ts";
import type { Json } from "#test/support/provider/records.ts";
import { invalidParameter, ProviderError } from "#test/support/provider/api-error.ts";
import { createRoute, type Route } from "#test/support/provider/route.ts";
import { findRecord } from "#test/support/provider/world.ts";

export const INVOICE_ENDPOINTS: readonly Route[] = [
  createRoute("GET", "/v1/invoices", {
    ...PAGE_PARAMS,
    collection_method: "text",
    customer: "text",
    status: { any: ["draft", "open", "paid", "uncollectible", "void"] },
    subscription: "text",
  }, (world, given) => {
    const all = [...world.invoices.values()].filter((one) =>
      matches(one, given, ["collection_method", "customer", "status"]) &&
      (given.subscription === undefined || one.parent.subscription_details.subscription === given.subscription)
    );
    return paginate("/v1/invoices", "invoice", all, given);
  }),
  createRoute("GET", "/v1/invoices/:id", {}, (world, _, id) => findRecord("invoice", world.invoices, id)),
  createRoute("GET", "/v1/invoices/:id/lines", PAGE_PARAMS, (world, given, id) => {
    const { lines } = world.previews.get(id) ?? findRecord("invoice", world.invoices, id);
    return paginate(lines.url, "line_item", [...lines.data].reverse(), given);
  }),
  createRoute("POST", "/v1/invoices/:id/finalize", { auto_advance: "boolean" }, (world, _, id) => {
    const invoice = findRecord("invoice", world.invoices, id);
    if (invoice.status !== "draft") {
      throw new ProviderError(400, "This invoice is already finalized", { code: "invoice_not_editable" });
    }
    finalizeInvoice(world, invoice);
    return invoice;
  }),
  createRoute("GET", "/v1/invoice_payments", {
    ...PAGE_PARAMS,
    invoice: "text",
    payment: { of: { "type*": { any: ["payment_intent"] }, payment_intent: "text" } },
    status: { any: ["canceled", "open", "paid"] },
  }, (world, given) => {
    const intent = given.payment?.payment_intent;
    const all = [...world.payments.values()].filter((one) =>
      matches(one, given, ["invoice", "status"]) && (intent === undefined || one.payment.payment_intent === intent)
    );
    return paginate("/v1/invoice_payments", "invoice_payment", all, given);
  }),
  createRoute("GET", "/v1/payment_intents/:id", {}, (world, _, id) => findRecord("payment_intent", world.intents, id)),
  createRoute("GET", "/v1/charges", { ...PAGE_PARAMS, customer: "text", payment_intent: "text" }, (world, given) => {
    const all = [...world.charges.values()].filter((one) => matches(one, given, ["customer", "payment_intent"]));
    return paginate("/v1/charges", "charge", all, given);
  }),
  createRoute("GET", "/v1/charges/:id", {}, (world, _, id) => findRecord("charge", world.charges, id)),
  createRoute("GET", "/v1/refunds", { ...PAGE_PARAMS, charge: "text", payment_intent: "text" }, (world, given) => {
    if (given.charge !== undefined) findRecord("charge", world.charges, given.charge, "charge");
    const all = [...world.refunds.values()].filter((one) => matches(one, given, ["charge", "payment_intent"]));
    return paginate("/v1/refunds", "refund", all, given);
  }),
  createRoute("GET", "/v1/refunds/:id", {}, (world, _, id) => findRecord("refund", world.refunds, id)),
  createRoute("POST", "/v1/refunds", { amount: "natural", charge: "text", payment_intent: "text" }, (world, given) => {
    const intent = given.payment_intent &&
      findRecord("payment_intent", world.intents, given.payment_intent, "payment_intent");
    const charge = given.charge ?? intent?.latest_charge;
    if (!charge) {
      throw invalidParameter(
        "charge",
        "One of the following params should be provided: charge, payment_intent",
        "parameter_missing",
      );
    }
    findRecord("charge", world.charges, charge, "charge");
    return refundCharge(world, charge, given.amount);
  }),
  createRoute(
    "GET",
    "/v1/events",
    { ...PAGE_PARAMS, delivery_success: "boolean", type: "text", types: { list: "text", most: 20 } },
    (world, given) => {
      const types: string[] | undefined = given.types ?? (given.type === undefined ? undefined : [given.type]);
      const named = (type: string) =>
        types === undefined ||
        types.some((each) => each === type || each.endsWith("*") && type.startsWith(each.slice(0, -1)));
      return paginate("/v1/events", "event", world.events.filter(({ type }) => named(type)), given);
    },
  ),
  createRoute("GET", "/v1/events/:id", {}, (world, _, id) => {
    return findRecord("event", new Map(world.events.map((event) => [event.id, event])), id);
  }),
];

function matches(one: Json, given: Record<string, Json>, names: readonly string[]): boolean {
  return names.every((name) => given[name] === undefined || given[name] === one[name]);
}
