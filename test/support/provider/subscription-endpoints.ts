/** Defines the API endpoints for subscriptions, subscription items and invoice previews. */
import { CHANGED_ITEM_PARAMS, ITEM_PARAMS } from "#test/support/provider/items.ts";
import { paginate } from "#test/support/provider/lists.ts";
import { PAGE_PARAMS, type ParamRules } from "#test/support/provider/params.ts";
import { previewInvoice } from "#test/support/provider/preview.ts";
import type { Json, Subscription } from "#test/support/provider/records.ts";
import { invalidParameter } from "#test/support/provider/api-error.ts";
import { createRoute, type Route } from "#test/support/provider/route.ts";
import { cancelSubscription, createSubscription, updateSubscription } from "#test/support/provider/subscriptions.ts";
import { findRecord, itemsOf, type World } from "#test/support/provider/world.ts";

const BEHAVIOR: ParamRules = {
  proration_behavior: { any: ["always_invoice", "create_prorations", "none"] },
};

const MODE: ParamRules = {
  billing_mode: {
    of: {
      "type*": { any: ["classic", "flexible"] },
      flexible: { of: { proration_discounts: { any: ["included", "itemized"] } } },
    },
  },
};

const TERMS: ParamRules = {
  cancel_at_period_end: "boolean",
  collection_method: { any: ["charge_automatically", "send_invoice"] },
  days_until_due: "natural",
  default_payment_method: "text",
  description: "text or unset",
  metadata: "metadata",
  off_session: "boolean",
  payment_behavior: { any: ["allow_incomplete", "default_incomplete"] },
  payment_settings: {
    of: { payment_method_types: { list: "text" }, save_default_payment_method: { any: ["off", "on_subscription"] } },
  },
  ...BEHAVIOR,
};

const REASONS: ParamRules = { cancellation_details: { of: { comment: "text or unset", feedback: "text or unset" } } };

export const SUBSCRIPTION_ENDPOINTS: readonly Route[] = [
  createRoute("POST", "/v1/subscriptions", {
    ...TERMS,
    ...MODE,
    "customer*": "text",
    currency: "text",
    "items*": { list: { of: ITEM_PARAMS }, most: 20 },
  }, createSubscription),
  createRoute("GET", "/v1/subscriptions", {
    ...PAGE_PARAMS,
    collection_method: "text",
    customer: "text",
    price: "text",
    status: {
      any: [...["active", "past_due", "unpaid", "canceled", "incomplete", "incomplete_expired"], "ended", "all"],
    },
  }, listSubscriptions),
  createRoute(
    "GET",
    "/v1/subscriptions/:id",
    {},
    (world, _, id) => findRecord("subscription", world.subscriptions, id),
  ),
  createRoute("POST", "/v1/subscriptions/:id", {
    ...TERMS,
    ...REASONS,
    items: { list: { of: CHANGED_ITEM_PARAMS }, most: 40 },
    proration_date: "time",
  }, (world, given, id) => updateSubscription(world, id, given)),
  createRoute(
    "DELETE",
    "/v1/subscriptions/:id",
    { ...REASONS, invoice_now: "boolean", prorate: "boolean" },
    (world, given, id) => cancelSubscription(world, id, given),
  ),
  createRoute("GET", "/v1/subscription_items", { ...PAGE_PARAMS, "subscription*": "text" }, (world, given) => {
    const items = itemsOf(findRecord("subscription", world.subscriptions, given.subscription, "subscription"));
    return paginate("/v1/subscription_items", "subscription_item", [...items].reverse(), given);
  }),
  createRoute("GET", "/v1/subscription_items/:id", {}, (world, _, id) => itemOf(world, id).item),
  createRoute(
    "POST",
    "/v1/subscription_items",
    { ...ITEM_PARAMS, ...BEHAVIOR, "subscription*": "text", "price*": "text", proration_date: "time" },
    (world, given) => {
      const { subscription: id, price, quantity, metadata, expand: _, ...how } = given;
      findRecord("subscription", world.subscriptions, id, "subscription");
      const item = {
        price,
        ...(quantity === undefined ? {} : { quantity }),
        ...(metadata === undefined ? {} : { metadata }),
      };
      return itemsOf(updateSubscription(world, id, { items: [item], ...how })).at(-1);
    },
  ),
  createRoute(
    "POST",
    "/v1/subscription_items/:id",
    { ...ITEM_PARAMS, ...BEHAVIOR, proration_date: "time" },
    (world, given, id) => {
      const { price, quantity, metadata, expand: _, ...how } = given;
      const { subscription } = itemOf(world, id);
      updateSubscription(world, subscription.id, { items: [{ id, price, quantity, metadata }], ...how });
      return itemOf(world, id).item;
    },
  ),
  createRoute("DELETE", "/v1/subscription_items/:id", { ...BEHAVIOR, proration_date: "time" }, (world, given, id) => {
    const { expand: _, ...how } = given;
    updateSubscription(world, itemOf(world, id).subscription.id, { items: [{ id, deleted: true }], ...how });
    return { id, object: "subscription_item", deleted: true };
  }),
  createRoute("POST", "/v1/invoices/create_preview", {
    currency: "text",
    customer: "text",
    preview_mode: { any: ["next", "recurring"] },
    subscription: "text",
    subscription_details: {
      of: { ...BEHAVIOR, ...MODE, items: { list: { of: CHANGED_ITEM_PARAMS }, most: 40 }, proration_date: "time" },
    },
  }, previewInvoice),
];

function listSubscriptions(world: World, given: Record<string, Json>): Json {
  const { customer, status, price, collection_method: method } = given;
  const matches = (one: Subscription): boolean => {
    if (status === "all") return true;
    if (status === undefined) return one.status !== "canceled" && one.status !== "incomplete_expired";
    if (status === "ended") return one.ended_at !== null;
    return one.status === status;
  };
  if (customer !== undefined && !world.customers.has(customer) && !world.deleted.has(customer)) {
    throw invalidParameter("customer", `No such customer: '${customer}'`, "resource_missing");
  }
  const all = [...world.subscriptions.values()].filter((one) =>
    matches(one) && (customer ?? one.customer) === one.customer &&
    (method ?? one.collection_method) === one.collection_method &&
    (price === undefined || itemsOf(one).some((item) => item.price.id === price))
  );
  return paginate("/v1/subscriptions", "subscription", all, given);
}

function itemOf(world: World, id: string) {
  const all = [...world.subscriptions.values()].flatMap((subscription) =>
    itemsOf(subscription).map((item) => [item.id, { subscription, item }] as const)
  );
  return findRecord("subscription_item", new Map(all), id);
}
