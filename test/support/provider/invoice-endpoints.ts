/** Defines the endpoints of invoices, payments, charges, refunds and events. */
import { page } from "#test/support/provider/lists.ts";
import { finalize } from "#test/support/provider/invoices.ts";
import { PAGE } from "#test/support/provider/params.ts";
import { giveBack } from "#test/support/provider/payments.ts";
import type { Json } from "#test/support/provider/records.ts";
import { Refusal, wrong } from "#test/support/provider/api-error.ts";
import { endpoint, type Route } from "#test/support/provider/route.ts";
import { find } from "#test/support/provider/world.ts";

export const OWING: readonly Route[] = [
  endpoint("GET", "/v1/invoices", {
    ...PAGE,
    collection_method: "text",
    customer: "text",
    status: { any: ["draft", "open", "paid", "uncollectible", "void"] },
    subscription: "text",
  }, (world, given) => {
    const all = [...world.invoices.values()].filter((one) =>
      matches(one, given, ["collection_method", "customer", "status"]) &&
      (given.subscription === undefined || one.parent.subscription_details.subscription === given.subscription)
    );
    return page("/v1/invoices", "invoice", all, given);
  }),
  endpoint("GET", "/v1/invoices/:id", {}, (world, _, id) => find("invoice", world.invoices, id)),
  endpoint("GET", "/v1/invoices/:id/lines", PAGE, (world, given, id) => {
    const { lines } = world.previews.get(id) ?? find("invoice", world.invoices, id);
    return page(lines.url, "line_item", [...lines.data].reverse(), given);
  }),
  endpoint("POST", "/v1/invoices/:id/finalize", { auto_advance: "boolean" }, (world, _, id) => {
    const invoice = find("invoice", world.invoices, id);
    if (invoice.status !== "draft") {
      throw new Refusal(400, "This invoice is already finalized", { code: "invoice_not_editable" });
    }
    finalize(world, invoice);
    return invoice;
  }),
  endpoint("GET", "/v1/invoice_payments", {
    ...PAGE,
    invoice: "text",
    payment: { of: { "type*": { any: ["payment_intent"] }, payment_intent: "text" } },
    status: { any: ["canceled", "open", "paid"] },
  }, (world, given) => {
    const intent = given.payment?.payment_intent;
    const all = [...world.payments.values()].filter((one) =>
      matches(one, given, ["invoice", "status"]) && (intent === undefined || one.payment.payment_intent === intent)
    );
    return page("/v1/invoice_payments", "invoice_payment", all, given);
  }),
  endpoint("GET", "/v1/payment_intents/:id", {}, (world, _, id) => find("payment_intent", world.intents, id)),
  endpoint("GET", "/v1/charges", { ...PAGE, customer: "text", payment_intent: "text" }, (world, given) => {
    const all = [...world.charges.values()].filter((one) => matches(one, given, ["customer", "payment_intent"]));
    return page("/v1/charges", "charge", all, given);
  }),
  endpoint("GET", "/v1/charges/:id", {}, (world, _, id) => find("charge", world.charges, id)),
  endpoint("GET", "/v1/refunds", { ...PAGE, charge: "text", payment_intent: "text" }, (world, given) => {
    if (given.charge !== undefined) find("charge", world.charges, given.charge, "charge");
    const all = [...world.refunds.values()].filter((one) => matches(one, given, ["charge", "payment_intent"]));
    return page("/v1/refunds", "refund", all, given);
  }),
  endpoint("GET", "/v1/refunds/:id", {}, (world, _, id) => find("refund", world.refunds, id)),
  endpoint("POST", "/v1/refunds", { amount: "natural", charge: "text", payment_intent: "text" }, (world, given) => {
    const intent = given.payment_intent &&
      find("payment_intent", world.intents, given.payment_intent, "payment_intent");
    const charge = given.charge ?? intent?.latest_charge;
    if (!charge) {
      throw wrong(
        "charge",
        "One of the following params should be provided: charge, payment_intent",
        "parameter_missing",
      );
    }
    find("charge", world.charges, charge, "charge");
    return giveBack(world, charge, given.amount);
  }),
  endpoint(
    "GET",
    "/v1/events",
    { ...PAGE, delivery_success: "boolean", type: "text", types: { list: "text", most: 20 } },
    (world, given) => {
      const wanted: string[] | undefined = given.types ?? (given.type === undefined ? undefined : [given.type]);
      const named = (type: string) =>
        wanted === undefined ||
        wanted.some((each) => each === type || each.endsWith("*") && type.startsWith(each.slice(0, -1)));
      return page("/v1/events", "event", world.events.filter(({ type }) => named(type)), given);
    },
  ),
  endpoint("GET", "/v1/events/:id", {}, (world, _, id) => {
    return find("event", new Map(world.events.map((event) => [event.id, event])), id);
  }),
];

function matches(one: Json, given: Record<string, Json>, names: readonly string[]): boolean {
  return names.every((name) => given[name] === undefined || given[name] === one[name]);
}
