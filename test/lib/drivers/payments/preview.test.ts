import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PaymentError, PriceRequest, SizeQuantityChange } from "#lib/drivers/payments/payments.ts";
import { type InvoiceLine, previewFirstInvoice, previewSubscriptionChange } from "#lib/drivers/payments/preview.ts";
import * as paid from "#test/support/payments.ts";
import { rejection } from "#test/support/until.ts";

interface Scene extends paid.PaymentsSetup {
  customer: string;
  /** A subscription with two small spokes and a large one, started on the first of December. */
  subscription: string;
  ask(...sizes: SizeQuantityChange[]): ReturnType<paid.PaymentsSetup["payments"]["preview"]>;
}

const { NEVER_ABORTED: NEVER, SMALL_PRICE: SMALL, LARGE_PRICE: LARGE, SECONDS_PER_DAY: DAYS } = paid;
const test = suite<Scene>("readInvoicePreview"),
  trouble = suite<Scene>("readInvoicePreview, failures"),
  pure = suite("previewSubscriptionChange");
/** At this time 20 of 31 days are left: 20.00 for a small spoke and 40.00 for a large one. */
const MIDDLE = paid.DECEMBER_FIRST + 11 * DAYS;

async function openBilled(scene: Scene): Promise<void> {
  Object.assign(scene, await paid.openPaymentsSetup({ previewTimeoutMs: 3000 }));
  const { payments, provider } = scene, customer = await paid.customerOf(scene);
  const [small, large] = [await payments.priceFor(SMALL, NEVER), await payments.priceFor(LARGE, NEVER)];
  const items = [{ price: small, size: "small", quantity: 2 }, { price: large, size: "large", quantity: 1 }];
  const { id: subscription } = await payments.createSubscription({ federationId: paid.HUB_ID, customer, items }, NEVER);
  provider.setNow(MIDDLE);
  const ask = (...sizes: SizeQuantityChange[]) => scene.payments.preview({ customer, subscription, sizes }, NEVER);
  Object.assign(scene, { customer, subscription, ask });
}

test.before(openBilled);
test.after(({ provider }) => provider.close());
trouble.before.each(openBilled);
trouble.after.each(({ provider }) => provider.close());

const by = (price: PriceRequest, change: number): SizeQuantityChange => ({ size: price.size, by: change, price });
const AT = new Date(MIDDLE * 1000);

test("previews one more spoke: the rest of the month now, and the monthly total", async ({ ask }) => {
  const [small, large] = [{ size: "small", each: 3100 }, { size: "large", each: 6200 }];
  const now = { currency: "EUR", prorationDate: AT };
  assert.equal(await ask(by(SMALL, 1)), { ...now, dueNow: 2000, monthly: 3 * 3100 + 6200, sizes: [small] });
  assert.equal(await ask(by(LARGE, 1)), { ...now, dueNow: 4000, monthly: 2 * 3100 + 2 * 6200, sizes: [large] });
});

test("previews one spoke less, and a changed size", async ({ ask }) => {
  const less = await ask(by(SMALL, -1));
  assert.equal([less!.dueNow, less!.monthly, less!.sizes], [-2000, 3100 + 6200, [{ size: "small", each: 3100 }]]);
  const larger = await ask(by(SMALL, -1), by(LARGE, 1));
  assert.equal([larger!.dueNow, larger!.monthly], [-2000 + 4000, 3100 + 2 * 6200]);
  const last = await ask(by(LARGE, -1));
  assert.equal([last!.dueNow, last!.sizes], [-4000, [{ size: "large", each: 6200 }]]);
});

test("returns the price without a change, and for an excessive reduction", async ({ ask }) => {
  const same = await ask(by(SMALL, 0));
  assert.equal([same!.dueNow, same!.monthly, same!.sizes], [0, 2 * 3100 + 6200, [{ size: "small", each: 3100 }]]);
  const free = { ...SMALL, size: "tiny", monthly: 100 };
  const never = await ask(by(free, -1), by(SMALL, 1));
  assert.equal([never!.dueNow, never!.sizes.map(({ size }) => size)], [2000, ["small"]]);
  assert.is((await ask(by(LARGE, -5)))!.dueNow, -4000);
});

test("uses the catalog's price for a new size, and the item's price for others", async (scene) => {
  const huge = await scene.ask(by({ size: "huge", title: null, currency: "EUR", monthly: 9300 }, 1));
  assert.equal([huge!.dueNow, huge!.sizes], [6000, [{ size: "huge", each: 9300 }]]);
  const dearer = await scene.ask(by({ ...SMALL, monthly: 9900 }, 1));
  assert.equal([dearer!.dueNow, dearer!.sizes], [2000, [{ size: "small", each: 3100 }]]);
  const forgotten = await scene.ask({ size: "small", by: 1, price: null });
  assert.is(forgotten!.dueNow, 2000);
});

test("returns null for a size with neither price nor item", async ({ ask }) => {
  assert.is(await ask({ size: "huge", by: 1, price: null }), null);
});

test("previews a hub's first spoke with the complete first invoice", async ({ payments, customer }) => {
  const first = { customer, subscription: null };
  const result = await payments.preview({ ...first, sizes: [by(LARGE, 1)] }, NEVER);
  const sizes = [{ size: "large", each: 6200 }];
  assert.equal(result, { currency: "EUR", dueNow: 6200, monthly: 6200, prorationDate: AT, sizes });
  assert.is(await payments.preview({ ...first, sizes: [by(LARGE, 0)] }, NEVER), null);
});

test("uses minor units of the currency", async (scene) => {
  const customer = await paid.customerOf(scene, "fed_tokyo"), yen = { ...SMALL, currency: "JPY", monthly: 500 };
  const result = await scene.payments.preview({ customer, subscription: null, sizes: [by(yen, 1)] }, NEVER);
  assert.equal([result!.currency, result!.dueNow], ["JPY", 500]);
});

test("reads all items and lines beyond the first ten", async (scene) => {
  const { payments } = scene, customer = await paid.customerOf(scene, "fed_many");
  const sizes = Array.from({ length: 12 }, (_, i) => ({ ...SMALL, size: `s${i}`, monthly: 3100 + i }));
  const items = [];
  for (const each of sizes) items.push({ price: await payments.priceFor(each, NEVER), size: each.size, quantity: 1 });
  const made = await payments.createSubscription({ federationId: "fed_many", customer, items }, NEVER);
  assert.equal(made.items.map(({ size }) => size).sort(), sizes.map(({ size }) => size).sort());
  const change = { customer, subscription: made.id, sizes: [by(sizes[11]!, 1)] };
  const result = await payments.preview(change, NEVER);
  assert.equal([result!.dueNow, result!.monthly, result!.sizes[0]!.each], [3111, 12 * 3100 + 66 + 3111, 3111]);
});

test("changes nothing at the provider", async ({ provider, subscription, ask }) => {
  const before = structuredClone([provider.state.subscriptions.get(subscription), [...provider.state.invoices.keys()]]);
  await ask(by(SMALL, 1), by(LARGE, -1));
  assert.equal([provider.state.subscriptions.get(subscription), [...provider.state.invoices.keys()]], before);
});

const PREVIEW = { method: "POST", path: "/v1/invoices/create_preview" };

trouble("returns null if the subscription has ended or does not exist", async (scene) => {
  scene.provider.cancel(scene.subscription);
  assert.is(await scene.ask(by(SMALL, 1)), null);
  const gone = { customer: scene.customer, subscription: "sub_none", sizes: [by(SMALL, 1)] };
  assert.is(await scene.payments.preview(gone, NEVER), null);
});

trouble("retries once immediately", async ({ provider, ask }) => {
  provider.break({ ...PREVIEW, what: "lost answer", times: 1 });
  assert.is((await ask(by(SMALL, 1)))!.dueNow, 2000);
  const { length } = provider.calls;
  provider.break({ ...PREVIEW, what: "500" });
  assert.is((await rejection(ask(by(SMALL, 1))) as PaymentError).transient, true);
  assert.is(provider.calls.slice(length).filter(({ path }) => path === PREVIEW.path).length, 2);
});

trouble("does not retry if the provider requests a wait", async ({ provider, ask }) => {
  const { length } = provider.calls;
  provider.break({ what: "429", retryAfter: 3 });
  assert.is((await rejection(ask(by(SMALL, 1))) as PaymentError).retryAfterMs, 3000);
  assert.is(provider.calls.length, length + 1);
});

trouble("times out if the provider hangs, and rejects when aborted", async (scene) => {
  const { provider, customer, subscription } = scene, change = { customer, subscription, sizes: [by(SMALL, 1)] };
  provider.break("hang");
  const { code, transient } = await rejection(
    paid.createPayments(provider, { previewTimeoutMs: 20 }).preview(change, NEVER),
  ) as PaymentError;
  assert.equal([code, transient], ["deadline", true]);
  const reason = new Error("called off");
  assert.is(await rejection(scene.payments.preview(change, AbortSignal.abort(reason))), reason);
});

const line = (amount: number, more: Partial<InvoiceLine> = {}): InvoiceLine => ({
  amount,
  quantity: 1,
  period: { start: MIDDLE },
  discount_amounts: [],
  taxes: [],
  pricing: { price_details: { price: "price_1" } },
  parent: null,
  ...more,
});
const invoice = (...data: InvoiceLine[]) =>
  ({ id: null, currency: "EUR", created: MIDDLE, lines: { data, has_more: false }, parent: null }) as const;
const prorated = { parent: { subscription_item_details: { proration: true }, invoice_item_details: null } };
const ASKED = [{ size: "small", price: "price_1", quantity: 2, monthly: null }];

pure("includes discounts and exclusive taxes", () => {
  const taxes = [{ amount: 190, tax_behavior: "exclusive" }, { amount: 70, tax_behavior: "inclusive" }];
  const result = previewFirstInvoice(
    invoice(line(2000, { quantity: 2, taxes, discount_amounts: [{ amount: 100 }] })),
    ASKED,
  );
  assert.equal([result.dueNow, result.monthly, result.sizes], [2090, 2090, [{ size: "small", each: 1045 }]]);
});

pure("excludes prorations of earlier changes", () => {
  const earlier = line(-700, { ...prorated, period: { start: MIDDLE - DAYS } });
  const result = previewSubscriptionChange(
    invoice(earlier, line(-300, prorated), line(900, prorated), line(5000, { quantity: 2 })),
    ASKED,
  );
  assert.equal([result.dueNow, result.monthly, result.sizes[0]!.each], [600, 5000, 2500]);
  const dated = { subscription_details: { subscription_proration_date: MIDDLE - DAYS } };
  assert.is(previewSubscriptionChange({ ...invoice(earlier, line(1)), parent: dated }, ASKED).dueNow, -700);
});

pure("throws if no line and no price has the cost", async () => {
  const result = () => Promise.resolve().then(() => previewSubscriptionChange(invoice(), ASKED));
  assert.is((await rejection(result())).code, "bad_answer");
});

test.run();
trouble.run();
pure.run();
