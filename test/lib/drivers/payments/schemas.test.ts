import { suite } from "uvu";
import * as assert from "uvu/assert";
import { parseResponse, SubscriptionSchema, toSubscription } from "#lib/drivers/payments/schemas.ts";
import { rejection } from "#test/support/until.ts";

const test = suite("toSubscription");

const PRICE = {
  id: "price_1",
  active: true,
  currency: "eur",
  unit_amount: 3100,
  recurring: { interval: "month", interval_count: 1, usage_type: "licensed" },
  billing_scheme: "per_unit",
  metadata: {},
};
const ITEM = { id: "si_1", quantity: 2, metadata: { size: "small" }, price: PRICE };
const SUBSCRIPTION = {
  id: "sub_1",
  customer: "cus_1",
  status: "active",
  currency: "eur",
  metadata: { federationId: "fed_1" },
  items: { data: [ITEM], has_more: false },
  latest_invoice: null,
};

const read = (change: object) =>
  toSubscription(parseResponse(SubscriptionSchema, { ...SUBSCRIPTION, ...change }, "subscription"));
const itemOf = (change: object) => read({ items: { data: [{ ...ITEM, ...change }] } }).items[0]!;

test("reads the owner from IDs or expanded objects", () => {
  assert.equal([read({}).customer, read({ customer: { id: "cus_2", name: "x" } }).customer], ["cus_1", "cus_2"]);
  assert.equal([read({}).federationId, read({ metadata: null }).federationId], ["fed_1", null]);
});

test("reads the size from the item's or the price's metadata, or null", () => {
  assert.is(itemOf({}).size, "small");
  assert.is(itemOf({ metadata: {}, price: { ...PRICE, metadata: { size: "large" } } }).size, "large");
  assert.is(itemOf({ metadata: {} }).size, null);
});

test("returns a monthly price only for a fixed amount", () => {
  const monthly = (change: object) => itemOf({ price: { ...PRICE, ...change } }).monthly;
  assert.equal([monthly({}), monthly({ unit_amount: 0 })], [3100, 0]);
  const { recurring } = PRICE;
  const others = [
    { unit_amount: null },
    { billing_scheme: "tiered" },
    { recurring: null },
    { recurring: { ...recurring, interval: "year" } },
    { recurring: { ...recurring, interval_count: 3 } },
    { recurring: { ...recurring, usage_type: "metered" } },
  ];
  for (const other of others) assert.is(monthly(other), null, JSON.stringify(other));
  assert.is(itemOf({ quantity: undefined }).quantity, 0);
});

test("returns the latest invoice, or null if it was deleted or not included", () => {
  const invoice = {
    id: "in_1",
    number: null,
    status: "open",
    total: -5,
    amount_remaining: 0,
    currency: "eur",
    due_date: 60,
  };
  assert.equal(read({ latest_invoice: invoice }).invoice, {
    ...{ id: "in_1", number: null, status: "open", total: -5, remaining: 0, currency: "EUR" },
    ...{ dueAt: new Date(60_000), url: null },
  });
  const { latest_invoice: _, ...without } = SUBSCRIPTION;
  assert.is(toSubscription(parseResponse(SubscriptionSchema, without, "subscription")).invoice, null);
  for (const none of [null, undefined, "in_1", { id: "in_1", deleted: true }]) {
    assert.is(read({ latest_invoice: none }).invoice, null);
  }
});

test("rejects an invalid object and names the fields", async () => {
  const trouble = (change: object) => rejection(Promise.resolve().then(() => read(change)));
  const { code, message } = await trouble({ status: "new", items: { data: [{ ...ITEM, quantity: 1.5 }] } });
  assert.is(code, "bad_answer");
  assert.is(message, "The payment provider returned an invalid subscription: status, items.data.0.quantity");
  assert.is((await trouble({ currency: "euro" })).code, "bad_answer");
});

test.run();
