import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  customerOf,
  DECEMBER_FIRST,
  NEVER_ABORTED,
  openPaymentsSetup,
  type PaymentsSetup,
  SMALL_PRICE,
} from "#test/support/payments.ts";

const test = suite<PaymentsSetup & { customer: string; charge: string }>("readRefunds");

test.before(async (scene) => {
  Object.assign(scene, await openPaymentsSetup());
  const { payments, provider } = scene, customer = await customerOf(scene);
  const items = [{ price: await payments.priceFor(SMALL_PRICE, NEVER_ABORTED), size: "small", quantity: 1 }];
  const { id } = await payments.createSubscription({ federationId: "fed_north", customer, items }, NEVER_ABORTED);
  provider.pay(id);
  const [charge] = provider.state.charges.keys();
  Object.assign(scene, { customer, charge });
});
test.after(({ provider }) => provider.close());

test("returns all refunds of a charge and its customer, by charge or refund", async (scene) => {
  const { payments, provider, customer, charge } = scene;
  assert.equal(await payments.readRefunds({ charge }, NEVER_ABORTED), { customer, refunds: [] });
  const ids = [provider.refund(charge, 100).id, provider.refund(charge, 250).id];
  const result = await payments.readRefunds({ charge }, NEVER_ABORTED);
  const at = new Date(DECEMBER_FIRST * 1000), common = { charge, status: "succeeded", currency: "EUR", createdAt: at };
  const expected = [{ id: ids[0]!, amount: 100, ...common }, { id: ids[1]!, amount: 250, ...common }];
  assert.is(result!.customer, customer);
  assert.equal([...result!.refunds].sort((a, b) => a.amount - b.amount), expected);
  assert.equal(await payments.readRefunds({ refund: ids[0]! }, NEVER_ABORTED), result);
});

test("reads all pages of refunds", async ({ payments, provider, charge }) => {
  const { refunds } = (await payments.readRefunds({ charge }, NEVER_ABORTED))!;
  for (let i = refunds.length; i < 101; i++) provider.refund(charge, 1);
  const all = (await payments.readRefunds({ charge }, NEVER_ABORTED))!;
  assert.equal([all.refunds.length, new Set(all.refunds.map(({ id }) => id)).size], [101, 101]);
});

test("returns no customer without a charge, and null for an unknown one", async ({ payments, provider, charge }) => {
  const refund = provider.refund(charge, 1), kept = provider.state.refunds.get(refund.id)!;
  Object.assign(kept, { charge: null });
  const result = await payments.readRefunds({ refund: refund.id }, NEVER_ABORTED);
  assert.equal([result!.customer, result!.refunds.map(({ id }) => id)], [null, [refund.id]]);
  assert.is(await payments.readRefunds({ refund: "re_none" }, NEVER_ABORTED), null);
  assert.is(await payments.readRefunds({ charge: "ch_none" }, NEVER_ABORTED), null);
});

test.run();
