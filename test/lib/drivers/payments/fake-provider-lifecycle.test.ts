/** Tests how time and other users change the subscriptions of the fake provider. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  DAY,
  errorOf,
  fillCustomer,
  makePrice,
  type ProviderScene,
  START,
  subscribe,
} from "#test/support/provider/scene.ts";
import type Stripe from "stripe";

const life = suite<ProviderScene>("fake provider, subscription lifecycle");
life.before.each(fillCustomer);
life.after.each(({ provider }) => provider.close());

const statusOf = async ({ stripe }: ProviderScene, id: string) => (await stripe.subscriptions.retrieve(id)).status;

life("is past due without a payment in time, and active after a payment", async (scene) => {
  const { provider, small } = scene, { id } = await subscribe(scene, [small, 1]);
  provider.setNow(START + 14 * DAY);
  assert.is(await statusOf(scene, id), "active");
  provider.setNow(START + 14 * DAY + 1);
  assert.is(await statusOf(scene, id), "past_due");
  provider.recover(id);
  assert.is(await statusOf(scene, id), "active");
  const events = provider.events.map(({ type, data }) => [type, data.object.status]);
  assert.equal(events.filter(([type]) => /overdue|subscription|^invoice.paid/.test(type)), [
    ["customer.subscription.created", "active"],
    ["invoice.overdue", "open"],
    ["customer.subscription.updated", "past_due"],
    ["invoice.paid", "paid"],
    ["customer.subscription.updated", "active"],
  ]);
});

life("is past due or unpaid immediately on a test's request", async (scene) => {
  const { provider, small } = scene, { id } = await subscribe(scene, [small, 1]);
  assert.is(provider.missPayment(id).status, "open");
  assert.is(await statusOf(scene, id), "past_due");
  provider.giveUp(id);
  assert.is(await statusOf(scene, id), "unpaid");
  provider.pay(id);
  assert.is(await statusOf(scene, id), "active");
  const { status } = provider.missPayment(id); // everything was paid: this is next month's invoice
  assert.equal([status, await statusOf(scene, id), provider.state.invoices.size], ["open", "past_due", 2]);
});

life("is active when the latest invoice is paid, despite older unpaid invoices", async (scene) => {
  const { provider, small } = scene, { id } = await subscribe(scene, [small, 1]);
  provider.setNow(START + 31 * DAY);
  provider.missPayment(id); // the second
  provider.pay(id); // the first
  assert.is(await statusOf(scene, id), "past_due");
  provider.setNow(START + 62 * DAY);
  provider.missPayment(id);
  provider.pay(id);
  provider.pay(id);
  assert.is(await statusOf(scene, id), "active");
});

life("is active although an old invoice is unpaid", async (scene) => {
  const { provider, stripe, small } = scene, { id, items } = await subscribe(scene, [small, 2]);
  provider.missPayment(id);
  assert.is(await statusOf(scene, id), "past_due");
  const less = [{ id: items.data[0]!.id, quantity: 1 }];
  await stripe.subscriptions.update(id, { items: less, proration_behavior: "always_invoice" });
  provider.setNow(START + 60 * 60); // then the credit is final, and paid because its total is zero
  assert.is(await statusOf(scene, id), "active");
});

life("charges a card, and is past due if the card is declined", async (scene) => {
  const { provider, stripe, customer, small } = scene;
  provider.addCard(customer);
  const { id } = await stripe.subscriptions.create({ customer, items: [{ price: small }] });
  assert.equal([await statusOf(scene, id), provider.state.charges.size], ["active", 1]);
  provider.missPayment(id);
  assert.is(await statusOf(scene, id), "past_due");
  const [charge] = (await stripe.charges.list({ customer })).data;
  const { status } = await stripe.paymentIntents.retrieve(charge!.payment_intent as string);
  assert.equal([charge!.paid, charge!.status, status], [false, "failed", "requires_payment_method"]);
  provider.addCard(customer);
  provider.recover(id);
  assert.is(await statusOf(scene, id), "active");
});

life("expires without a first payment within 23 hours", async (scene) => {
  const { provider, stripe, customer, small } = scene;
  provider.addCard(customer); // which is only charged on request
  const { id } = await stripe.subscriptions.create({
    ...{ customer, items: [{ price: small }], payment_behavior: "default_incomplete" },
  });
  assert.equal([await statusOf(scene, id), provider.state.charges.size], ["incomplete", 0]);
  provider.setNow(START + DAY);
  assert.is(await statusOf(scene, id), "incomplete_expired");
});

life("starts its periods on the same day of the month", async (scene) => {
  const { provider, stripe } = scene;
  provider.setNow(Date.UTC(2027, 0, 31, 12) / 1000);
  const { id } = await subscribe(scene, [await makePrice(scene, 100), 1]), ends: string[] = [];
  for (let i = 0; i < 3; i++) {
    const [item] = (await stripe.subscriptions.retrieve(id)).items.data;
    ends.push(new Date(item!.current_period_end * 1000).toISOString().slice(0, 13));
    provider.setNow(item!.current_period_end);
  }
  assert.equal(ends, ["2027-02-28T12", "2027-03-31T12", "2027-04-30T12"]);
});

life("can be edited by others without a request", async (scene) => {
  const { provider, stripe, small, large } = scene, { id } = await subscribe(scene, [small, 1]);
  provider.editQuantity(id, small, 4);
  provider.editQuantity(id, large, 2);
  const { items } = await stripe.subscriptions.retrieve(id);
  assert.equal(items.data.map(({ price, quantity }) => [price.id, quantity]), [[small, 4], [large, 2]]);
  provider.cancel(id);
  assert.is(await statusOf(scene, id), "canceled");
  assert.equal(provider.events.at(-1)!.request, { id: null, idempotency_key: null });
});

life("ends with its customer, or at the end of a period", async (scene) => {
  const { provider, stripe, customer, small } = scene, { id } = await subscribe(scene, [small, 1]);
  provider.pay(id);
  await stripe.subscriptions.update(id, { cancel_at_period_end: true });
  provider.setNow(START + 31 * DAY - 1);
  assert.is(await statusOf(scene, id), "active");
  provider.setNow(START + 31 * DAY);
  assert.is(await statusOf(scene, id), "canceled");
  const other = await subscribe(scene, [small, 1]);
  await stripe.customers.del(customer);
  assert.is(await statusOf(scene, other.id), "canceled");
});

life("is refunded by invoice or charge, in parts, up to the amount paid", async (scene) => {
  const { provider, stripe, customer, small } = scene, { id } = await subscribe(scene, [small, 1]);
  const invoice = provider.pay(id);
  const { data: [payment] } = await stripe.invoicePayments.list({ invoice: invoice.id });
  const { latest_charge: charge } = await stripe.paymentIntents.retrieve(payment!.payment.payment_intent as string);
  const first = provider.refund(invoice.id, 400);
  assert.equal([first.charge, first.customer, first.amount], [charge, customer, 400]);
  const readState = async () => {
    const { amount_refunded, refunded, refunds } = await stripe.charges.retrieve(charge as string, {
      expand: ["refunds"],
    });
    return [amount_refunded, refunded, refunds!.data.length];
  };
  assert.equal(await readState(), [400, false, 1]);
  assert.is((await errorOf(stripe.refunds.create({ charge: charge as string, amount: 601 })))[0], 400);
  assert.is(provider.refund(charge as string).amount, 600);
  assert.equal(await readState(), [1000, true, 2]);
  assert.equal((await errorOf(stripe.refunds.create({ charge: charge as string })))[1], "charge_already_refunded");
  const { data } = await stripe.refunds.list({ charge: charge as string });
  assert.equal(data.map(({ amount }) => amount), [600, 400]);
  const events = provider.events.filter(({ type }) => /refund/.test(type)).map((
    { type, data },
  ) => [type, data.object.id]);
  assert.equal(events, [
    ["charge.refunded", charge],
    ["refund.created", first.id],
    ["charge.refunded", charge],
    ["refund.created", data[0]!.id],
  ]);
});

life("shows its latest invoice with its payments", async (scene) => {
  const { provider, stripe, small } = scene, { id } = await subscribe(scene, [small, 1]);
  provider.pay(id);
  const expand = ["latest_invoice.payments", "customer"];
  const { latest_invoice: invoice, customer } = await stripe.subscriptions.retrieve(id, { expand });
  assert.equal((invoice as Stripe.Invoice).payments!.data.map(({ amount_paid }) => amount_paid), [1000]);
  assert.is((customer as Stripe.Customer).currency, "eur");
  const gone = stripe.subscriptions.retrieve(id, { expand: ["latest_invoice.payment_intent"] });
  assert.equal(await errorOf(gone), [400, null, "expand"]); // as of 2025-03-31.basil
});

life.run();
