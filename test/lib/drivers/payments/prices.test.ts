import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PaymentError } from "#lib/drivers/payments/payments.ts";
import {
  createPayments,
  LARGE_PRICE,
  NEVER_ABORTED,
  openPaymentsSetup,
  type PaymentsSetup,
  SMALL_PRICE,
} from "#test/support/payments.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<PaymentsSetup>("priceFor");
test.before.each(async (context) => {
  Object.assign(context, await openPaymentsSetup());
});
test.after.each(({ provider }) => provider.close());

const refusal = async ({ payments }: PaymentsSetup) => {
  const { code, message, transient } = await rejection(payments.priceFor(SMALL_PRICE, NEVER_ABORTED)) as PaymentError;
  return { code, message, transient };
};

test("creates a monthly price with a lookup key, and finds it again", async (paying) => {
  const { payments, provider } = paying;
  const [small, large] = [
    await payments.priceFor(SMALL_PRICE, NEVER_ABORTED),
    await payments.priceFor(LARGE_PRICE, NEVER_ABORTED),
  ];
  assert.equal([await payments.priceFor(SMALL_PRICE, NEVER_ABORTED), provider.state.prices.size], [small, 2]);
  const { lookup_key, currency, unit_amount, recurring, metadata } = provider.state.prices.get(small)!;
  assert.equal([lookup_key, currency, unit_amount], ["wheelwright-small-EUR-3100", "eur", 3100]);
  assert.equal([recurring!.interval, recurring!.interval_count, recurring!.usage_type], ["month", 1, "licensed"]);
  assert.equal(metadata, { size: "small" });
  const names = [small, large].map((id) =>
    provider.state.products.get(String(provider.state.prices.get(id)!.product))!.name
  );
  assert.equal(names, ["Spoke, small", "Large school"]);
});

test("creates another price for another amount or currency, and keeps the old one", async ({ payments, provider }) => {
  const prices = [SMALL_PRICE, { ...SMALL_PRICE, monthly: 3200 }, { ...SMALL_PRICE, currency: "JPY" }];
  const ids = await Promise.all(prices.map((price) => payments.priceFor(price, NEVER_ABORTED)));
  assert.equal([new Set(ids).size, provider.state.prices.size], [3, 3]);
});

test("creates a price of zero for a free size", async ({ payments, provider }) => {
  const id = await payments.priceFor({ ...SMALL_PRICE, monthly: 0 }, NEVER_ABORTED);
  assert.is(provider.state.prices.get(id)!.unit_amount, 0);
});

test("creates one price despite a lost answer, concurrent calls or a new title", async (paying) => {
  const { payments, provider } = paying, other = createPayments(provider);
  provider.break({ method: "POST", path: "/v1/prices", what: "lost answer", times: 1 });
  assert.is((await refusal(paying)).transient, true);
  const id = await payments.priceFor({ ...SMALL_PRICE, title: "Little" }, NEVER_ABORTED);
  const requests = [
    payments.priceFor(LARGE_PRICE, NEVER_ABORTED),
    other.priceFor({ ...LARGE_PRICE, title: "Big" }, NEVER_ABORTED),
  ];
  const answers = await Promise.allSettled(requests);
  assert.is(answers.some(({ status }) => status === "fulfilled"), true);
  assert.is(await other.priceFor(LARGE_PRICE, NEVER_ABORTED), await payments.priceFor(LARGE_PRICE, NEVER_ABORTED));
  assert.equal([await other.priceFor(SMALL_PRICE, NEVER_ABORTED), provider.state.prices.size], [id, 2]);
});

test("throws for a different price with the same lookup key", async (paying) => {
  const { payments, provider } = paying,
    price = provider.state.prices.get(await payments.priceFor(SMALL_PRICE, NEVER_ABORTED))!;
  const as = async (change: object) => {
    const before = structuredClone(price);
    Object.assign(price, change);
    const { code, message, transient } = await refusal(paying);
    Object.assign(price, before);
    assert.equal([code, transient], ["price_differs", false]);
    return message.replace("The price wheelwright-small-EUR-3100 at the payment provider is ", "");
  };
  const other = "not 3100 EUR a month per spoke";
  assert.is(await as({ unit_amount: 1 }), other);
  assert.is(await as({ currency: "usd" }), other);
  assert.is(await as({ recurring: { ...price.recurring, interval: "year" } }), other);
  assert.is(await as({ recurring: { ...price.recurring, interval_count: 3 } }), other);
  assert.is(await as({ recurring: { ...price.recurring, usage_type: "metered" } }), other);
  assert.is(await as({ recurring: null }), other);
  assert.is(await as({ active: false }), "archived");
  await payments.priceFor(SMALL_PRICE, NEVER_ABORTED); // unchanged, it is used
});

test.run();
