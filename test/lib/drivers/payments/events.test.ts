import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SignatureError } from "#lib/drivers/payments/payments.ts";
import {
  customerOf,
  DECEMBER_FIRST,
  NEVER_ABORTED,
  openPaymentsSetup,
  type PaymentsSetup,
  SMALL_PRICE,
} from "#test/support/payments.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<PaymentsSetup>("verifyWebhookEvent");
test.before(async (context) => {
  Object.assign(context, await openPaymentsSetup());
});
test.after(({ provider }) => provider.close());

const NOW = new Date(DECEMBER_FIRST * 1000), bytes = (text: string) => new TextEncoder().encode(text);
const EVENT = {
  id: "evt_1",
  object: "event",
  type: "invoice.paid",
  created: DECEMBER_FIRST,
  livemode: false,
  api_version: "2020-08-27",
  data: { object: { id: "in_1", object: "invoice" } },
};
const BODY = JSON.stringify(EVENT);

async function refused(
  { payments }: PaymentsSetup,
  body: Uint8Array,
  signature: string | null,
  now = NOW,
): Promise<void> {
  const error = await rejection(payments.readEvent(body, signature, now));
  assert.instance(error, SignatureError);
  assert.is(error.message, "The Stripe-Signature header does not match the body");
  assert.is(error.cause, undefined);
}

const about = async ({ payments, provider }: PaymentsSetup, object: object) => {
  const body = JSON.stringify({ ...EVENT, data: { object } });
  return (await payments.readEvent(bytes(body), provider.sign(body), NOW)).object;
};

test("reads signed events of any API version", async ({ payments, provider }) => {
  assert.equal(await payments.readEvent(bytes(BODY), provider.sign(BODY), NOW), {
    id: "evt_1",
    type: "invoice.paid",
    createdAt: NOW,
    live: false,
    object: { id: "in_1", type: "invoice", customer: null, subscription: null, charge: null },
  });
});

test("reads all events of a subscription's life", async (paying) => {
  const { payments, provider } = paying, customer = await customerOf(paying);
  const price = await payments.priceFor(SMALL_PRICE, NEVER_ABORTED);
  const items = [{ price, size: "small", quantity: 1 }];
  const { id } = await payments.createSubscription({ federationId: "fed_north", customer, items }, NEVER_ABORTED);
  provider.pay(id);
  for (const event of provider.events) {
    const body = JSON.stringify(event, null, 2), read = await payments.readEvent(bytes(body), provider.sign(body), NOW);
    assert.equal([read.id, read.type], [event.id, event.type]);
    if (read.object.type === "subscription") assert.is(read.object.subscription, id);
    if (read.object.type === "invoice") assert.equal([read.object.customer, read.object.subscription], [customer, id]);
    if (read.object.type === "charge") assert.is(read.object.charge, read.object.id);
  }
});

test("reads IDs from expanded objects and older fields, and ignores invalid ones", async (paying) => {
  const parent = { subscription_details: { subscription: { id: "sub_2" } } };
  const invoice = { id: "in_1", object: "invoice", customer: { id: "cus_1" }, parent, charge: "ch_1" };
  const expected = { id: "in_1", type: "invoice", customer: "cus_1", subscription: "sub_2", charge: "ch_1" };
  assert.equal(await about(paying, invoice), expected);
  assert.is((await about(paying, { object: "invoice", subscription: "sub_1" })).subscription, "sub_1");
  const odd = { id: null, customer: 7, charge: [], subscription: "", parent: "x" };
  assert.equal(await about(paying, odd), { id: null, type: null, customer: null, subscription: null, charge: null });
});

test("rejects events with a missing or wrong signature, or another body", async (paying) => {
  const { provider } = paying, signed = provider.sign(BODY);
  for (const signature of [null, "", "x", "t=1", signed.replace("v1=", "v0="), `${signed.slice(0, -1)}!`]) {
    await refused(paying, bytes(BODY), signature);
  }
  await refused(paying, bytes(BODY), provider.sign(BODY, DECEMBER_FIRST, "whsec_other"));
  await refused(paying, bytes(`${BODY} `), signed);
  await refused(paying, bytes(BODY.replace("evt_1", "evt_2")), signed);
  await refused(paying, new Uint8Array(), provider.sign(""));
});

test("rejects events that were signed over five minutes ago", async (paying) => {
  const { payments, provider } = paying, body = bytes(BODY);
  const at = (seconds: number) => new Date((DECEMBER_FIRST + seconds) * 1000);
  await payments.readEvent(body, provider.sign(BODY), at(300));
  await refused(paying, body, provider.sign(BODY), at(301));
});

test("rejects invalid UTF-8, even if its replacement was signed", async (paying) => {
  const { payments, provider } = paying, text = BODY.replace("invoice.paid", "\ufffd"), signature = provider.sign(text);
  assert.is((await payments.readEvent(bytes(text), signature, NOW)).type, "\ufffd");
  const raw = Buffer.from(Buffer.from(text).toString("latin1").replace("\xef\xbf\xbd", "\xff"), "latin1");
  await refused(paying, raw, signature);
});

test("rejects signed content that is not an event", async (paying) => {
  const bodies = ["null", "[]", "7", "{", "{}", '{"object": "v2.core.event", "id": "evt_1"}']
    .concat(
      [{ object: "charge" }, { created: 1e300 }, { data: {} }, { id: 7 }].map((odd) =>
        JSON.stringify({ ...EVENT, ...odd })
      ),
    );
  for (const body of bodies) await refused(paying, bytes(body), paying.provider.sign(body));
});

test("makes no calls to the provider", async (paying) => {
  const { length } = paying.provider.calls;
  await refused(paying, bytes(BODY), "t=1,v1=00");
  assert.is(paying.provider.calls.length, length);
});

test.run();
