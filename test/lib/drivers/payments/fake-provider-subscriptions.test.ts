/** Tests that the fake provider has the real one's rules and prices for subscriptions. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  DAY,
  errorOf,
  fillCustomer,
  invoiceOf,
  isProration,
  linesOf,
  makePrice,
  type ProviderScene,
  START,
  subscribe,
} from "#test/support/provider/scene.ts";
import type Stripe from "stripe";

const rules = suite<ProviderScene>("fake provider subscriptions");
const costs = suite<ProviderScene>("fake provider prorations");
for (const test of [rules, costs]) {
  test.before.each(fillCustomer);
  test.after.each(({ provider }) => provider.close());
}

rules("invoices the first month with a draft that is finalised after an hour", async (scene) => {
  const { provider, stripe, small, large } = scene;
  const made = await subscribe(scene, [small, 2], [large, 1]), [item] = made.items.data;
  assert.equal([made.status, made.billing_mode.type, item!.current_period_start], ["active", "flexible", START]);
  assert.is(item!.current_period_end, Date.UTC(2027, 0, 1) / 1000);
  assert.equal(linesOf(invoiceOf(made)), [[small, 2, 2000, false], [large, 1, 3100, false]]);
  assert.equal([invoiceOf(made).status, invoiceOf(made).total], ["draft", 5100]);
  provider.setNow(START + 60 * 60 - 1);
  assert.is((await stripe.invoices.retrieve(invoiceOf(made).id)).status, "draft");
  provider.setNow(START + 60 * 60);
  const { status, number, due_date, hosted_invoice_url: page } = await stripe.invoices.retrieve(invoiceOf(made).id);
  assert.equal([status, due_date, number !== null, page !== null], ["open", START + 14 * DAY, true, true]);
});

rules("refuses duplicate prices, mixed currencies, no items, and more than 20 items", async (scene) => {
  const { stripe, small } = scene;
  const dollars = await makePrice(scene, 1, { currency: "usd" });
  assert.equal(await errorOf(subscribe(scene, [small, 1], [small, 2])), [400, null, "items"]);
  assert.equal(await errorOf(subscribe(scene, [small, 1], [dollars, 2])), [400, null, "items"]);
  assert.equal(await errorOf(subscribe(scene)), [400, "parameter_missing", "items"]);
  const many = await Promise.all(Array.from({ length: 21 }, (_, i) => makePrice(scene, i)));
  assert.is((await errorOf(subscribe(scene, ...many.map((price) => [price, 1] as const))))[0], 400);
  const { id, items } = await subscribe(scene, [small, 1]), [item] = items.data;
  const change = (...items: Stripe.SubscriptionUpdateParams.Item[]) => stripe.subscriptions.update(id, { items });
  assert.equal(await errorOf(change({ price: small })), [400, null, "items"]);
  assert.equal(await errorOf(change({ price: dollars })), [400, null, "items"]);
  assert.equal(await errorOf(change({ id: item!.id, deleted: true })), [400, null, "items"]);
  assert.equal(await errorOf(change({ id: "si_none", quantity: 1 })), [400, "resource_missing", "items[0][id]"]);
  assert.equal(await errorOf(change({ id: item!.id, quantity: -1 })), [
    400,
    "parameter_invalid_integer",
    "items[0][quantity]",
  ]);
  assert.is((await change({ id: item!.id, quantity: 0 })).items.data[0]!.quantity, 0);
});

rules("includes ten items and lines, and lists the others on request", async (scene) => {
  const { provider, stripe, customer } = scene;
  const prices = await Promise.all(Array.from({ length: 12 }, (_, i) => makePrice(scene, i)));
  const { id, items, latest_invoice: invoice } = await subscribe(scene, ...prices.map((price) => [price, 1] as const));
  const { lines } = invoice as Stripe.Invoice,
    count = ({ data, has_more }: Stripe.ApiList<unknown>) => [data.length, has_more];
  assert.equal([count(items), count(lines)], [[10, true], [10, true]]);
  assert.equal(count(await stripe.subscriptionItems.list({ subscription: id, limit: 100 })), [12, false]);
  const details = { items: prices.map((price) => ({ price })) };
  const preview = await stripe.invoices.createPreview({ customer, subscription_details: details });
  const rest = await stripe.invoices.listLineItems(preview.id, { starting_after: preview.lines.data[9]!.id });
  assert.equal([count(preview.lines), count(rest)], [[10, true], [2, false]]);
  const { data } = provider.events.find(({ type }) => type === "customer.subscription.created")!;
  assert.equal(count(data.object.items), [10, true]);
});

rules("refuses archived and one-time prices, and invalid terms", async (scene) => {
  const { stripe, customer, small } = scene;
  const once = await makePrice(scene, 1, { recurring: undefined });
  assert.equal(await errorOf(subscribe(scene, [once, 1])), [400, null, "items[0][price]"]);
  await stripe.prices.update(small, { active: false });
  assert.equal(await errorOf(subscribe(scene, [small, 1])), [400, null, "items[0][price]"]);
  await stripe.prices.update(small, { active: true });
  const items = [{ price: small }];
  const bare = stripe.subscriptions.create({ customer, items, collection_method: "send_invoice" });
  assert.equal(await errorOf(bare), [400, "parameter_missing", "days_until_due"]);
  assert.equal(await errorOf(stripe.subscriptions.create({ customer, items })), [400, "resource_missing", null]);
});

rules("lists by customer and state, and ended subscriptions only on request", async (scene) => {
  const { stripe, customer, small } = scene;
  const [old, live] = [await subscribe(scene, [small, 1]), await subscribe(scene, [small, 1])];
  await stripe.subscriptions.cancel(old.id);
  const list = async (status?: "all" | "canceled" | "active" | "ended") =>
    (await stripe.subscriptions.list({ customer, ...(status && { status }) })).data.map(({ id }) => id);
  assert.equal(await list(), [live.id]);
  assert.equal(await list("active"), [live.id]);
  assert.equal([await list("canceled"), await list("ended")], [[old.id], [old.id]]);
  assert.equal(await list("all"), [live.id, old.id]);
  const other = await stripe.customers.create();
  assert.is((await stripe.subscriptions.list({ customer: other.id, status: "all" })).data.length, 0);
});

rules("keeps an ended subscription, which cannot be changed", async (scene) => {
  const { provider, stripe, small } = scene;
  const { id } = await subscribe(scene, [small, 1]);
  await stripe.subscriptions.cancel(id);
  assert.is((await stripe.subscriptions.retrieve(id)).status, "canceled");
  assert.equal(await errorOf(stripe.subscriptions.cancel(id)), [404, "resource_missing", "id"]);
  assert.equal(await errorOf(stripe.subscriptions.update(id, { items: [{ price: small }] })), [400, null, null]);
  assert.equal((await stripe.subscriptions.update(id, { metadata: { a: "b" } })).metadata, { a: "b" });
  assert.is(provider.events.filter(({ type }) => type === "customer.subscription.deleted").length, 1);
});

costs("credit unused time and charge the rest to the second, as previewed", async (scene) => {
  const { provider, stripe, small } = scene, second = await makePrice(scene, 31 * DAY); // 0.01 per second
  const { id, items } = await subscribe(scene, [small, 2]), date = START + 10 * DAY + 1;
  provider.setNow(date + 7);
  const change = [{ id: items.data[0]!.id, quantity: 3 }, { price: second, quantity: 1 }];
  const how = { proration_behavior: "always_invoice", proration_date: date } as const;
  const preview = await stripe.invoices.createPreview({
    subscription: id,
    subscription_details: { items: change, ...how },
  });
  const left = (31 * DAY - 10 * DAY - 1) / (31 * DAY);
  const expected = [
    [small, 2, -Math.round(2000 * left), true],
    [small, 3, Math.round(3000 * left), true],
    [second, 1, 21 * DAY - 1, true],
  ];
  assert.equal(linesOf(preview), expected);
  assert.equal(preview.lines.data[0]!.period, { start: date, end: items.data[0]!.current_period_end });
  assert.equal([provider.state.invoices.size, preview.billing_reason], [1, "upcoming"]);
  const made = await stripe.subscriptions.update(id, { items: change, ...how, expand: ["latest_invoice"] });
  assert.equal(linesOf(invoiceOf(made)), expected);
  assert.equal([invoiceOf(made).total, invoiceOf(made).billing_reason], [preview.total, "subscription_update"]);
  assert.equal(made.items.data.map(({ price, quantity }) => [price.id, quantity]), [[small, 3], [second, 1]]);
});

costs("are added to the next invoice unless invoiced immediately", async (scene) => {
  const { provider, stripe, small } = scene;
  const { id, items } = await subscribe(scene, [small, 1]), { current_period_end: end } = items.data[0]!;
  provider.setNow(START + 31 * DAY / 2);
  await stripe.subscriptions.update(id, { items: [{ id: items.data[0]!.id, quantity: 3 }] });
  const waiting = [[small, 1, -500, true], [small, 3, 1500, true]];
  const next = await stripe.invoices.createPreview({ subscription: id });
  assert.equal(linesOf(next), [...waiting, [small, 3, 3000, false]]);
  const plain = await stripe.invoices.createPreview({ subscription: id, preview_mode: "recurring" });
  assert.equal(linesOf(plain), [[small, 3, 3000, false]]);
  provider.setNow(end);
  const renewed = await stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
  assert.equal(linesOf(invoiceOf(renewed)), linesOf(next));
  assert.equal([invoiceOf(renewed).billing_reason, renewed.items.data[0]!.current_period_start], [
    "subscription_cycle",
    end,
  ]);
});

costs("credit at most the charged amount", async (scene) => {
  const { provider, stripe, small } = scene;
  const { id, items } = await subscribe(scene, [small, 1]), [item] = items.data;
  provider.setNow(START + 31 * DAY / 2);
  const to = (quantity: number, proration_behavior: "none" | "always_invoice") =>
    stripe.subscriptions.update(id, {
      items: [{ id: item!.id, quantity }],
      proration_behavior,
      expand: ["latest_invoice"],
    });
  await to(5, "none");
  assert.equal(linesOf(invoiceOf(await to(1, "always_invoice"))), [[small, 5, -500, true], [small, 1, 500, true]]);
});

costs("with a negative sum become credit for the next invoice", async (scene) => {
  const { provider, stripe, customer, small } = scene;
  const { id, items } = await subscribe(scene, [small, 3]), [item] = items.data;
  provider.setNow(START + 31 * DAY / 2);
  provider.pay(id);
  const less = [{ id: item!.id, quantity: 1 }];
  await stripe.subscriptions.update(id, { items: less, proration_behavior: "always_invoice" });
  provider.setNow(provider.now() + 60 * 60);
  assert.is((await stripe.customers.retrieve(customer) as Stripe.Customer).balance, -1000);
  provider.setNow(item!.current_period_end + 60 * 60);
  const { latest_invoice } = await stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });
  const { total, amount_due, status } = latest_invoice as Stripe.Invoice;
  assert.equal([total, amount_due, status], [1000, 0, "paid"]);
});

costs("below the minimum charge are added to the customer's balance", async (scene) => {
  const { provider, stripe, customer } = scene;
  const small = await subscribe(scene, [await makePrice(scene, 49), 1]);
  provider.setNow(START + 60 * 60);
  assert.is((await stripe.invoices.retrieve(invoiceOf(small).id)).status, "paid");
  const balance = async () => (await stripe.customers.retrieve(customer) as Stripe.Customer).balance;
  assert.is(await balance(), 49);
  const { latest_invoice } = await subscribe(scene, [await makePrice(scene, 1), 1]);
  provider.setNow(START + 2 * 60 * 60);
  const { amount_due, status } = await stripe.invoices.retrieve((latest_invoice as Stripe.Invoice).id);
  assert.equal([amount_due, status, await balance()], [50, "open", 0]);
});

costs("must be within the current period", async (scene) => {
  const { provider, stripe, small } = scene;
  const { id, items } = await subscribe(scene, [small, 1]), [item] = items.data;
  provider.setNow(START + DAY);
  const change = [{ id: item!.id, quantity: 2 }];
  for (const proration_date of [START - 1, item!.current_period_end + 1]) {
    const update = stripe.subscriptions.update(id, { items: change, proration_date });
    assert.equal(await errorOf(update), [400, null, "proration_date"]);
    const subscription_details = { items: change, proration_date };
    const preview = stripe.invoices.createPreview({ subscription: id, subscription_details });
    assert.equal(await errorOf(preview), [400, null, "subscription_details[proration_date]"]);
  }
});

costs("of a new subscription are its first month", async (scene) => {
  const { provider, stripe, customer, small } = scene;
  const items = [{ price: small, quantity: 2 }];
  const { lines, total } = await stripe.invoices.createPreview({ customer, subscription_details: { items } });
  assert.equal([total, lines.data[0]!.period.start, lines.data.map(isProration)], [2000, START, [false]]);
  assert.equal([provider.state.subscriptions.size, provider.state.invoices.size], [0, 0]);
});

costs("are credited at the end on request", async (scene) => {
  const { provider, stripe, small } = scene;
  const { id } = await subscribe(scene, [small, 2]);
  provider.setNow(START + 31 * DAY / 2);
  const ended = await stripe.subscriptions.cancel(id, { prorate: true, invoice_now: true, expand: ["latest_invoice"] });
  assert.equal([ended.status, linesOf(invoiceOf(ended))], ["canceled", [[small, 2, -1000, true]]]);
});

rules.run();
costs.run();
