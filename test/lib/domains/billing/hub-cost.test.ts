/** Tests what a hub's spokes cost, from the API to the provider. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildHubCost, listCatalogLines, listProviderLines } from "#lib/domains/billing/hub-cost.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import * as paid from "#test/support/payments.ts";
import { openScene, type Scene as Stage } from "#test/support/scene.ts";
import { insertSpoke } from "#test/support/insert-rows.ts";
import { deleteRows, insertRow, updateRows } from "#test/support/rows.ts";

interface Scene extends paid.PaymentsSetup {
  stage: Stage;
}

const test = suite<Scene>("GET /api/federations/{id}/cost"), pure = suite("buildHubCost");
const { NEVER_ABORTED: NEVER, SECONDS_PER_DAY: DAYS, DECEMBER_FIRST: DECEMBER } = paid;

test.before.each(async (scene) => {
  Object.assign(scene, await paid.openPaymentsSetup({ previewTimeoutMs: 3000 }));
  const { payments } = scene, stage = scene.stage = await openScene();
  Object.assign(stage.app, { payments, catalog: loadCatalog(paid.PRICES, stage.app.blueprint) });
  await updateRows(stage.db, "spokes", { size: "small" });
});
test.after.each(async ({ stage, provider }) => {
  await stage.close();
  await provider.close();
});

/** Starts a subscription for two small spokes and a large one on December 1. Today is December 12. */
async function subscribe(scene: Scene): Promise<string> {
  const { payments, provider, stage } = scene, customer = await paid.customerOf(scene, stage.hub);
  const items = [];
  for (const [price, quantity] of [[paid.SMALL_PRICE, 2], [paid.LARGE_PRICE, 1]] as const) {
    items.push({ price: await payments.priceFor(price, NEVER), size: price.size, quantity });
  }
  const created = await payments.createSubscription({ federationId: stage.hub, customer, items }, NEVER);
  provider.setNow(DECEMBER + 11 * DAYS);
  await insertRow(stage.db, "subscriptions", {
    ...{ federationId: stage.hub, email: "pay@north.example", customerId: customer, subscriptionId: created.id },
    ...{ status: "active", currency: "EUR", items: JSON.stringify(created.items) },
  });
  return created.id;
}

const costOf = async ({ stage }: Scene, who: "hubAdmin" | "operator" | "spokeAdmin" | "stranger" = "hubAdmin") =>
  await stage.as(who, "readonly").get(`/api/federations/${stage.hub}/cost`);

const SMALL = { size: "small", spokes: 2, each: 3100, monthly: 6200, currency: "EUR", reason: null };
const LARGE = { size: "large", spokes: 1, each: 6200, monthly: 6200, currency: "EUR", reason: null };

test("adds up the subscription's items, and estimates the next invoice", async (scene) => {
  await subscribe(scene);
  const { status, body } = await costOf(scene);
  assert.equal([status, body], [200, {
    ...{ prices: "provider", reason: null, lines: [LARGE, SMALL], totals: [{ currency: "EUR", monthly: 12400 }] },
    nextInvoice: { currency: "EUR", total: 12400, due: 12400, at: "2027-01-01T00:00:00.000Z" },
    nextInvoiceReason: null,
  }]);
});

test("includes prorations in the estimate after a change, and asks the provider once a minute", async (scene) => {
  const id = await subscribe(scene), { payments, provider } = scene;
  const stripePrice = (await payments.readSubscription(id, NEVER))!.items.find(({ size }) => size === "small")!;
  await costOf(scene);
  const calls = provider.calls.length;
  await costOf(scene);
  assert.is(provider.calls.length, calls);
  await payments.setQuantities(id, [{ item: stripePrice.id, quantity: 3 }], NEVER);
  // The change was invoiced immediately, so the next invoice contains only the whole period.
  assert.is((await costOf(scene)).body.nextInvoice.total, 3 * 3100 + 6200);
});

test("names the spokes that the subscription does not bill, with the reason", async (scene) => {
  const { stage } = scene;
  await subscribe(scene);
  const id = await insertSpoke(stage.db, stage.people.operator.id, stage.hub, "free");
  await updateRows(stage.db, "spokes", { size: "medium", state: "active" }, { id });
  const free = { size: "medium", spokes: 1, each: null, monthly: null, currency: null };
  assert.equal((await costOf(scene)).body.lines, [LARGE, {
    ...free,
    reason: "The catalog has no price for this size, so these spokes are free",
  }, SMALL]);
});

test("gives a reason for each missing estimate", async (scene) => {
  const { stage, provider } = scene;
  await subscribe(scene);
  await provider.close();
  const { body } = await costOf(scene);
  assert.equal([body.totals, body.nextInvoice], [[{ currency: "EUR", monthly: 12400 }], null]);
  assert.is(body.nextInvoiceReason, "The payment provider does not respond; try again");
  for (
    const [change, reason] of [
      [{ status: "canceled" }, /subscription has ended; these are the catalog's prices/],
      [{ status: null, subscriptionId: null }, /has not started yet; these are the catalog's prices/],
    ] as const
  ) {
    await updateRows(stage.db, "subscriptions", change);
    const { body } = await costOf(scene);
    assert.equal([body.prices, body.totals, body.nextInvoice], ["catalog", [{ currency: "EUR", monthly: 3100 }], null]);
    assert.match(body.reason, reason);
    assert.is(body.nextInvoiceReason, body.reason);
  }
  await deleteRows(stage.db, "subscriptions");
  assert.match((await costOf(scene)).body.reason, /^This hub is not billed/);
  Object.assign(stage.app, { payments: null });
  assert.match((await costOf(scene)).body.reason, /^No payment provider is connected/);
});

test("counts only spokes that are billed", async (scene) => {
  const { stage } = scene;
  for (const state of ["suspended", "failed", "provisioning"]) {
    await updateRows(stage.db, "spokes", { state });
    assert.equal((await costOf(scene)).body.lines, [], state);
  }
});

test("is for operators and the hub's admins only", async (scene) => {
  const roles = ["operator", "hubAdmin", "spokeAdmin", "stranger"] as const;
  const statuses = await Promise.all(roles.map(async (who) => (await costOf(scene, who)).status));
  assert.equal(statuses, [200, 200, 403, 404]);
});

const REST = { reason: null, nextInvoice: null, nextInvoiceReason: null };
const PRICES = { small: { currency: "EUR", monthly: 1900 }, large: { currency: "JPY", monthly: 5000 } };
const catalog = { priceOf: (size: string) => PRICES[size as keyof typeof PRICES] ?? null };

pure("never adds different currencies together", () => {
  const { totals } = buildHubCost(listCatalogLines({ small: 2, large: 3, free: 4 }, catalog), REST);
  assert.equal(totals, [{ currency: "JPY", monthly: 15000 }, { currency: "EUR", monthly: 3800 }]);
});

pure("leaves items without a fixed amount out of the total, and says why", () => {
  const items = [{ id: "si_1", price: "p", size: null, quantity: 1, monthly: null }];
  const [line] = listProviderLines({ items, currency: "EUR" } as never, {}, catalog);
  assert.equal([line!.monthly, line!.reason], [null, "The payment provider does not charge a fixed amount per month"]);
  assert.equal(buildHubCost([line!], REST).totals, []);
});

pure("names a size whose change is still being sent", () => {
  const [line] = listProviderLines({ items: [], currency: "EUR" } as never, { small: 1 }, catalog);
  assert.is(line!.reason, "The payment provider does not bill these spokes yet");
});

test.run();
pure.run();
