/** Implements the API for customers and customer searches: https://docs.stripe.com/api/customers and /search */
import { paginate } from "#test/support/provider/lists.ts";
import { mergeMetadata, PAGE_PARAMS, type ParamRules } from "#test/support/provider/params.ts";
import type { Customer, Json } from "#test/support/provider/records.ts";
import { invalidParameter } from "#test/support/provider/api-error.ts";
import { createRoute, type Route } from "#test/support/provider/route.ts";
import { endSubscription } from "#test/support/provider/subscriptions.ts";
import { changeRecord, emit, findRecord, newId, type World } from "#test/support/provider/world.ts";

const FIELDS: ParamRules = {
  email: "text or unset",
  name: "text or unset",
  description: "text or unset",
  phone: "text or unset",
  metadata: "metadata",
  preferred_locales: { list: "text" },
  balance: "integer",
  address: {
    of: {
      ...{ city: "text or unset", country: "text or unset", line1: "text or unset", line2: "text or unset" },
      ...{ postal_code: "text or unset", state: "text or unset" },
    },
  },
  tax_exempt: { any: ["exempt", "none", "reverse"] },
  invoice_settings: { of: { default_payment_method: "text or unset", footer: "text or unset" } },
};

export const CUSTOMERS: readonly Route[] = [
  createRoute("POST", "/v1/customers", FIELDS, createCustomer),
  createRoute("GET", "/v1/customers", { ...PAGE_PARAMS, email: "text" }, (world, given) => {
    const all = [...world.customers.values()].filter(({ email }) => given.email === undefined || email === given.email);
    return paginate("/v1/customers", "customer", all, given);
  }),
  createRoute("GET", "/v1/customers/search", { "query*": "text", limit: "natural", page: "text" }, search),
  createRoute("GET", "/v1/customers/:id", {}, (world, _, id) => {
    if (world.deleted.has(id)) return { id, object: "customer", deleted: true };
    return findRecord("customer", world.customers, id);
  }),
  createRoute("POST", "/v1/customers/:id", FIELDS, (world, given, id) => {
    const customer = findRecord("customer", world.customers, id);
    changeRecord(world, "customer.updated", customer, () => assign(world, customer, given));
    return customer;
  }),
  createRoute("DELETE", "/v1/customers/:id", {}, (world, _, id) => {
    deleteCustomer(world, id);
    return { id, object: "customer", deleted: true };
  }),
];

function createCustomer(world: World, given: Record<string, Json>): Customer {
  const id = newId("cus");
  const customer: Customer = {
    ...BLANK,
    id,
    object: "customer",
    created: world.now,
    livemode: false,
    email: null,
    name: null,
    description: null,
    metadata: {},
    balance: 0,
    currency: null,
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
  };
  assign(world, customer, given);
  world.customers.set(id, customer);
  emit(world, "customer.created", customer);
  return customer;
}

function assign(world: World, customer: Customer, given: Record<string, Json>): void {
  const { metadata, invoice_settings: settings, email, ...rest } = given;
  if (email && !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw invalidParameter("email", `Invalid email address: ${email}`, "email_invalid");
  }
  const card = settings?.default_payment_method;
  if (card && world.cards.get(card)?.customer !== customer.id) {
    throw invalidParameter(
      "invoice_settings[default_payment_method]",
      `No such PaymentMethod: '${card}'`,
      "resource_missing",
    );
  }
  Object.assign(customer, rest, email === undefined ? {} : { email });
  customer.metadata = mergeMetadata(customer.metadata, metadata);
  if (settings) customer.invoice_settings = { ...customer.invoice_settings, ...settings };
}

/** Deletes the customer and cancels all subscriptions of the customer. Later requests for the customer fail. */
export function deleteCustomer(world: World, id: string): void {
  const customer = findRecord("customer", world.customers, id);
  for (const subscription of world.subscriptions.values()) {
    if (subscription.customer === id && subscription.ended_at === null) endSubscription(world, subscription, {});
  }
  world.customers.delete(id);
  world.deleted.add(id);
  emit(world, "customer.deleted", customer);
}

/** Searches for customers with a query such as `metadata["key"]:"value" AND email:"…"`. AND can be in lower case. Does
 * not find recent customers if the search index is delayed. */
function search(world: World, given: Record<string, Json>): Json {
  const clauses = (given.query as string).split(/\s+AND\s+/i).map(readClause);
  const all = [...world.indexed ?? world.customers.values()].reverse()
    .filter((customer) => clauses.every((matches) => matches(customer)))
    .flatMap(({ id }) => world.customers.get(id) ?? []); // returns the current objects, even from a delayed index
  const start = Number(given.page ?? 0), limit = given.limit ?? 10, more = start + limit < all.length;
  return {
    object: "search_result",
    data: all.slice(start, start + limit),
    has_more: more,
    next_page: more ? String(start + limit) : null,
    url: "/v1/customers/search",
  };
}

function readClause(clause: string): (customer: Customer) => boolean {
  const found = /^(email|name|phone|metadata\[(["'])(.+?)\2\])(:|~)(["'])((?:(?!\5).|\\\5)*)\5$/.exec(clause.trim());
  if (!found) throw invalidParameter("query", `We were unable to parse your search query: ${clause}`);
  const [, field, , key, operator, , raw] = found, wanted = raw!.replaceAll(/\\(["'])/g, "$1").toLowerCase();
  const value = ({ metadata, ...rest }: Customer): string =>
    (key === undefined ? (rest as Json)[field!] ?? "" : metadata[key] ?? "").toLowerCase();
  return (customer) => operator === ":" ? value(customer) === wanted : value(customer).includes(wanted);
}

/** Customer fields that Wheelwright does not use, with fixed values. */
const BLANK = {
  ...{ address: null, default_source: null, delinquent: false, discount: null, invoice_prefix: "WHEEL" },
  ...{
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: "none",
    test_clock: null,
  },
};
