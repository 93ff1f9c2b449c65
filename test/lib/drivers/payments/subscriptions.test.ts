import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PaymentError, Subscription } from "#lib/drivers/payments/payments.ts";
import * as paid from "#test/support/payments.ts";
import { rejection, until } from "#test/support/until.ts";

interface Scene extends paid.PaymentsSetup {
  customer: string;
  small: string;
  large: string;
  create(quantity?: number, signal?: AbortSignal): Promise<Subscription>;
}

const { NEVER_ABORTED: NEVER, HUB_ID: HUB, SECONDS_PER_DAY: DAYS } = paid;
const make = suite<Scene>("createSubscription"),
  set = suite<Scene>("setItemQuantities"),
  end = suite<Scene>("endSubscription");

for (const test of [make, set, end]) {
  test.before.each(async (scene) => {
    Object.assign(scene, await paid.openPaymentsSetup({ settleMs: 20 }));
    const { payments } = scene;
    scene.customer = await paid.customerOf(scene);
    scene.small = await payments.priceFor(paid.SMALL_PRICE, NEVER);
    scene.large = await payments.priceFor(paid.LARGE_PRICE, NEVER);
    scene.create = (quantity = 2, signal = NEVER) =>
      payments.createSubscription({
        federationId: HUB,
        customer: scene.customer,
        items: [{ price: scene.small, size: "small", quantity }],
      }, signal);
  });
  test.after.each(({ provider }) => provider.close());
}

const CREATE = { method: "POST", path: "/v1/subscriptions" };
const quantitiesOf = ({ items }: Subscription) =>
  Object.fromEntries(items.map(({ size, quantity }) => [size, quantity]));
const totals = ({ provider }: Scene) => [...provider.state.invoices.values()].map(({ total }) => total);

make("creates one item per size, due within 30 days, with the hub's ID", async (scene) => {
  const made = await scene.create(), [item] = made.items;
  const { id, customer, federationId, status, currency, invoice } = made;
  assert.equal([customer, federationId, status, currency], [scene.customer, HUB, "active", "EUR"]);
  assert.equal(made.items, [{ id: item!.id, price: scene.small, size: "small", quantity: 2, monthly: 3100 }]);
  assert.equal([invoice!.status, invoice!.total, invoice!.remaining, invoice!.currency], ["draft", 6200, 6200, "EUR"]);
  assert.equal(invoice!.dueAt, new Date((paid.DECEMBER_FIRST + 30 * DAYS) * 1000));
  const stored = scene.provider.state.subscriptions.get(id)!;
  assert.equal([stored.collection_method, stored.days_until_due, stored.metadata], ["send_invoice", 30, {
    federationId: HUB,
  }]);
  assert.equal(await scene.payments.readSubscription(id, NEVER), made);
  assert.equal(await scene.payments.findSubscription({ customer: scene.customer, federationId: HUB }, NEVER), made);
});

make("returns the overdue invoice, not a paid or later one", async (scene) => {
  const { provider, payments } = scene, { id } = await scene.create();
  provider.setNow(paid.DECEMBER_FIRST + 2 * DAYS); // the first invoice is no longer a draft
  const first = provider.pay(id);
  provider.setNow(paid.DECEMBER_FIRST + 110 * DAYS);
  const [oldest, ...later] = [...provider.state.invoices.values()].filter(({ status }) => status === "open")
    .sort((a, b) => a.due_date! - b.due_date!);
  assert.ok(first.due_date! < oldest!.due_date!);
  assert.ok(later.some((one) => one.id === provider.state.subscriptions.get(id)!.latest_invoice));
  const late = (await payments.readSubscription(id, NEVER))!;
  assert.is(late.status, "past_due");
  assert.equal([late.invoice!.id, late.invoice!.dueAt], [oldest!.id, new Date(oldest!.due_date! * 1000)]);
});

make("is created once despite a lost answer, with the current quantities", async (scene) => {
  scene.provider.break({ ...CREATE, what: "lost answer", times: 1 });
  assert.is((await rejection(scene.create(2))).code, "unreachable");
  assert.equal(quantitiesOf(await scene.create(3)), { small: 3 });
  assert.equal([scene.provider.state.subscriptions.size, totals(scene)], [1, [6200, 3100]]);
});

make("is created once although an earlier call with other parameters is running", async (scene) => {
  const { provider, customer, small } = scene, lost = new AbortController();
  const fix = provider.break({ ...CREATE, what: "slow", times: 1 }), first = rejection(scene.create(1, lost.signal));
  await until(() => provider.hanging() === 1);
  lost.abort(new Error("lost it"));
  assert.is((await first).message, "lost it");
  const patient = paid.createPayments(provider, { settleMs: 500 }),
    items = [{ price: small, size: "small", quantity: 2 }];
  const second = patient.createSubscription({ federationId: HUB, customer, items }, NEVER);
  await until(() => provider.calls.some(({ path, status }) => path === CREATE.path && status === 400));
  fix(); // the first call ends while the second one waits
  assert.equal(quantitiesOf(await second), { small: 2 });
  assert.equal([provider.state.subscriptions.size, totals(scene)], [1, [3100, 3100]]);
});

make("throws a transient error while the same call is running", async (scene) => {
  const fix = scene.provider.break({ ...CREATE, what: "slow", times: 1 }), lost = new AbortController();
  const first = rejection(scene.create(2, lost.signal));
  await until(() => scene.provider.hanging() === 1);
  lost.abort(new Error("lost it"));
  await first;
  const error = await rejection(scene.create(2)) as PaymentError;
  assert.equal([error.code, error.transient], ["idempotency_key_in_use", true]);
  fix();
  await until(() => scene.provider.state.subscriptions.size === 1);
  await scene.create(2);
  assert.is(scene.provider.state.subscriptions.size, 1);
});

make("retries after a repeated failure, with the current quantities", async (scene) => {
  scene.provider.break({ ...CREATE, what: "500", kept: true, times: 1 });
  assert.is((await rejection(scene.create(1)) as PaymentError).transient, true);
  assert.equal(quantitiesOf(await scene.create(2)), { small: 2 });
  assert.is(scene.provider.state.subscriptions.size, 1);
});

make("creates another subscription after one has ended, even on the same day", async (scene) => {
  const first = await scene.create(), mine = { customer: scene.customer, federationId: HUB };
  await scene.payments.endSubscription(first.id, NEVER);
  assert.is(await scene.payments.findSubscription(mine, NEVER), null);
  const second = await scene.create();
  assert.is.not(second.id, first.id);
  scene.provider.cancel(second.id);
  const third = await scene.create(3);
  assert.equal([third.status, scene.provider.state.subscriptions.size], ["active", 3]);
  const answers = scene.provider.calls.filter(({ method, path }) => method === "POST" && path === CREATE.path);
  assert.equal(answers.map(({ status }) => status), [200, 200, 200]); // no call used another one's key
});

make("ignores a subscription that somebody created manually", async (scene) => {
  const { id } = await scene.create(), theirs = scene.provider.state.subscriptions.get(id)!;
  theirs.metadata = {};
  assert.is(await scene.payments.findSubscription({ customer: scene.customer, federationId: HUB }, NEVER), null);
  assert.is((await scene.payments.readSubscription(id, NEVER))!.federationId, null);
});

make("returns null for an unknown ID", async ({ payments, provider }) => {
  assert.is(await payments.readSubscription("sub_none", NEVER), null);
  assert.is(await payments.readSubscription("../customers", NEVER), null);
  assert.is(provider.calls.at(-1)!.path, "/v1/subscriptions/..%2Fcustomers");
});

set("sends the differences in one call, prorated and invoiced immediately", async (scene) => {
  const { payments, provider, large } = scene, { id, items: [small] } = await scene.create(3);
  provider.setNow(paid.DECEMBER_FIRST + 11 * DAYS); // 20 of 31 days are left
  const { length } = provider.calls;
  const changes = [{ item: small!.id, quantity: 2 }, { price: large, size: "large", quantity: 1 }];
  assert.equal(quantitiesOf(await payments.setQuantities(id, changes, NEVER)), { small: 2, large: 1 });
  assert.equal(paid.requestsTo(scene, length), [`GET /v1/subscriptions/${id}`, `POST /v1/subscriptions/${id}`]);
  assert.equal(totals(scene), [9300, -2000 + 4000]);
});

set("sends nothing without differences", async (scene) => {
  const { payments, provider } = scene, { id, items: [small] } = await scene.create(2);
  const changes = [{ item: small!.id, quantity: 5 }, { price: scene.large, size: "large", quantity: 1 }];
  provider.break({ method: "POST", path: `/v1/subscriptions/${id}`, what: "lost answer", times: 1 });
  assert.is((await rejection(payments.setQuantities(id, changes, NEVER))).code, "unreachable");
  const { length } = provider.calls;
  assert.equal(quantitiesOf(await payments.setQuantities(id, changes, NEVER)), { small: 5, large: 1 });
  assert.equal(paid.requestsTo(scene, length), [`GET /v1/subscriptions/${id}`]);
  assert.is(provider.state.invoices.size, 2);
});

set("adds changes to the next invoice beyond the daily limit", async (scene) => {
  const { payments, provider } = scene, { id, items: [small] } = await scene.create(1);
  const to = async (quantity: number) =>
    quantitiesOf(await payments.setQuantities(id, [{ item: small!.id, quantity }], NEVER));
  for (let quantity = 2; provider.state.invoices.size < 20; quantity++) {
    provider.setNow(provider.now() + 60);
    await to(quantity);
  }
  provider.setNow(provider.now() + 60);
  assert.equal(await to(50), { small: 50 });
  assert.is(provider.state.invoices.size, 20);
  const waiting = provider.state.pending.reduce((sum, { amount }) => sum + amount, 0);
  assert.ok(waiting > 0);
  provider.setNow(provider.now() + DAYS);
  const back = totals(scene).length;
  assert.equal(await to(50), { small: 50 });
  assert.equal(await to(51), { small: 51 });
  assert.ok(totals(scene)[back]! > waiting, "the next invoice includes the change");
});

set("sends changes 2, 3, 2, 3 within a day without replays", async (scene) => {
  const { payments, provider } = scene, { id, items: [small] } = await scene.create(2);
  for (const quantity of [3, 2, 3]) {
    provider.setNow(provider.now() + 60);
    const after = await payments.setQuantities(id, [{ item: small!.id, quantity }], NEVER);
    assert.equal(quantitiesOf(after), { small: quantity });
  }
  const keys = provider.calls.map(({ idempotencyKey }) => idempotencyKey).filter((key) => key !== null);
  assert.is(new Set(keys).size, keys.length);
});

set("changes an existing item of a size, and creates a deleted one again", async (scene) => {
  const { payments } = scene, { id, items: [small] } = await scene.create(1);
  const dearer = await payments.priceFor({ ...paid.SMALL_PRICE, monthly: 9900 }, NEVER);
  const more = await payments.setQuantities(id, [{ price: dearer, size: "small", quantity: 2 }], NEVER);
  assert.equal(more.items.map(({ price, quantity }) => [price, quantity]), [[scene.small, 2]]);
  const gone = { item: "si_gone", price: scene.large, size: "large", quantity: 4 };
  assert.equal(quantitiesOf(await payments.setQuantities(id, [gone], NEVER)), { small: 2, large: 4 });
  const unknown = await rejection(payments.setQuantities(id, [{ item: "si_gone", quantity: 1 }], NEVER));
  assert.is(unknown.code, "item_gone");
  assert.is((await payments.setQuantities(id, [{ item: small!.id, quantity: 0 }], NEVER)).items.length, 2);
});

set("throws a permanent error for an ended or missing subscription", async (scene) => {
  const { payments, provider } = scene, { id, items: [small] } = await scene.create(1);
  provider.cancel(id);
  for (const one of [id, "sub_none"]) {
    const error = await rejection(payments.setQuantities(one, [{ item: small!.id, quantity: 2 }], NEVER));
    assert.equal([error.code, (error as PaymentError).transient], ["subscription_ended", false]);
  }
});

end("credits unused time once, even if somebody else ended the subscription", async (scene) => {
  const { payments, provider } = scene, { id } = await scene.create(1);
  provider.pay(id);
  provider.setNow(paid.DECEMBER_FIRST + 11 * DAYS);
  assert.is((await payments.endSubscription(id, NEVER))!.status, "canceled");
  assert.equal(totals(scene), [3100, -2000]);
  const { length } = provider.calls;
  assert.is((await payments.endSubscription(id, NEVER))!.status, "canceled");
  assert.equal(paid.requestsTo(scene, length), [`GET /v1/subscriptions/${id}`]);
  assert.is(await payments.endSubscription("sub_none", NEVER), null);
});

end("ends once despite a lost answer", async (scene) => {
  const { payments, provider } = scene, { id } = await scene.create(1);
  provider.break({ method: "DELETE", what: "lost answer", times: 1 });
  assert.is((await rejection(payments.endSubscription(id, NEVER))).code, "unreachable");
  assert.is((await payments.endSubscription(id, NEVER))!.status, "canceled");
});

make.run();
set.run();
end.run();
