/** Tests details in which the fake provider follows the documentation: see its ASSUMPTIONS.md. */
import { existsSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type Stripe from "stripe";
import {
  DAY,
  errorOf,
  fillCustomer,
  invoiceOf,
  linesOf,
  makePrice,
  type ProviderScene,
  START,
  subscribe,
} from "#test/support/provider/scene.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<ProviderScene>("fake provider");
test.before.each(fillCustomer);
test.after.each(({ provider }) => provider.close());

const FOLDER = new URL("../../../support/provider/", import.meta.url);

test("lists its assumptions with existing files and sources", () => {
  const rows = readFileSync(new URL("ASSUMPTIONS.md", FOLDER), "utf8").split("\n")
    .filter((line) => /^\| [^-]/.test(line)).map((line) =>
      line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim())
    );
  const listed = rows.filter(([assumed]) => assumed !== "assumed");
  assert.ok(listed.length > 40);
  for (const cells of listed) {
    const [assumed, files = "", seen, source = ""] = cells;
    assert.ok(cells.length === 4 && seen, assumed);
    for (const [, file] of files.matchAll(/`([^`]+)`/g)) assert.ok(existsSync(new URL(file!, FOLDER)), file);
    assert.match(files, /`.+`/, assumed);
    assert.match(source, /https:|stripe-node \d|not documented: to be seen/, assumed);
  }
});

test("uses the package's API version, and the list names the package", async () => {
  const text = readFileSync(new URL("ASSUMPTIONS.md", FOLDER), "utf8");
  const { PACKAGE_VERSION, API_VERSION } = (await import("stripe")).default as unknown as Record<string, string>;
  const { VERSION } = await import("#test/support/provider/world.ts");
  assert.match(text, `stripe-node ${PACKAGE_VERSION}`);
  assert.is(API_VERSION, VERSION);
});

test("returns the proration date in a preview only with prorations", async (scene) => {
  const { stripe, small } = scene, { id, items } = await subscribe(scene, [small, 2]);
  const at = START + 5 * DAY;
  scene.provider.setNow(at + 60);
  const dateOf = ({ parent }: Stripe.Invoice) => parent!.subscription_details!.subscription_proration_date;
  const change = { items: [{ id: items.data[0]!.id, quantity: 3 }], proration_date: at };
  assert.is(dateOf(await stripe.invoices.createPreview({ subscription: id, subscription_details: change })), at);
  assert.is(dateOf(await stripe.invoices.createPreview({ subscription: id })), undefined);
});

test("lists pending items newest first, then the lines of the period", async (scene) => {
  const { provider, stripe, small } = scene, { id, items } = await subscribe(scene, [small, 1]);
  for (const [day, quantity] of [[10, 2], [20, 3]] as const) {
    provider.setNow(START + day * DAY);
    await stripe.subscriptions.update(id, { items: [{ id: items.data[0]!.id, quantity }] });
  }
  const next = await stripe.invoices.createPreview({ subscription: id });
  assert.equal(next.lines.data.slice(0, 4).map(({ period }) => (period.start - START) / DAY), [20, 20, 10, 10]);
  assert.equal(linesOf(next).at(-1), [small, 3, 3000, false]);
});

test("leaves invoices of unpaid subscriptions as drafts", async (scene) => {
  const { provider, stripe, small } = scene, { id, items } = await subscribe(scene, [small, 1]);
  provider.missPayment(id);
  provider.giveUp(id);
  provider.setNow(items.data[0]!.current_period_end + DAY);
  const { status, auto } = await stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] })
    .then((found) => ({ status: invoiceOf(found).status, auto: invoiceOf(found).automatically_finalizes_at }));
  assert.equal([provider.state.invoices.size, status, auto], [2, "draft", null]);
});

test("searches case-insensitively", async ({ stripe }) => {
  const { id } = await stripe.customers.create({ metadata: { hub: "Fed_A" } });
  const { data } = await stripe.customers.search({ query: 'metadata["hub"]:"FED_a"' });
  assert.equal(data.map((each) => each.id), [id]);
});

test("accepts another currency after the first subscription has ended", async (scene) => {
  const { stripe, small } = scene, dollars = await makePrice(scene, 1000, { currency: "usd" });
  const { id } = await subscribe(scene, [small, 1]);
  assert.equal(await errorOf(subscribe(scene, [dollars, 1])), [400, null, "customer"]);
  await stripe.subscriptions.cancel(id);
  assert.is((await subscribe(scene, [dollars, 1])).currency, "usd");
});

test("limits invoices per subscription to ten a minute and twenty a day", async (scene) => {
  const { provider, stripe, small } = scene, { id, items } = await subscribe(scene, [small, 1]);
  const to = (quantity: number) =>
    stripe.subscriptions.update(id, {
      items: [{ id: items.data[0]!.id, quantity }],
      proration_behavior: "always_invoice",
    });
  const limitOf = async (promise: Promise<unknown>) => {
    const { statusCode, headers } = await rejection(promise) as Stripe.errors.StripeError;
    return [statusCode, headers?.["stripe-rate-limited-reason"], headers?.["retry-after"]];
  };
  let quantity = 1;
  while (provider.state.invoices.size < 10) await to(++quantity);
  assert.equal(await limitOf(to(99)), [429, "resource-specific", undefined]);
  provider.setNow(START + 60);
  while (provider.state.invoices.size < 20) await to(++quantity);
  provider.setNow(START + 120);
  assert.equal(await limitOf(to(99)), [429, "resource-specific", undefined]);
  provider.setNow(START + DAY + 60);
  await to(99);
  provider.break({ what: "429", times: 1 });
  assert.equal(await limitOf(to(1)), [429, "global-rate", undefined]);
});

test.run();
