/** Tests the cost of adding or changing a spoke, from the API to the provider. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { countQuantityChanges } from "#lib/domains/billing/preview.ts";
import { createSpokeInputs } from "#lib/catalog/inputs.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import * as paid from "#test/support/payments.ts";
import { openScene, type Scene as Stage } from "#test/support/scene.ts";
import { insertRow, selectRows, updateRows } from "#test/support/rows.ts";

interface Scene extends paid.PaymentsSetup {
  stage: Stage;
  customer: string;
  /** Two small spokes and a large one since December 1. Today is December 12, so 20 of 31 days remain. */
  subscription: string;
}

// Both suites share a scene, because neither changes it.
const shared = {} as Scene;
const cost = suite<Scene>("GET /api/federations/{id}/spokes/preview-cost of a billed hub", shared);
const dry = suite<Scene>("price of a dry run", shared), change = suite("priceChangesOf");
const { NEVER_ABORTED: NEVER, SECONDS_PER_DAY: DAYS, DECEMBER_FIRST: DECEMBER } = paid, NONE = { available: false };
const PRORATED = { available: true, currency: "EUR", prorationDate: "2026-12-12T00:00:00.000Z" };

cost.before(async (scene) => {
  Object.assign(scene, await paid.openPaymentsSetup());
  const { payments, provider } = scene, stage = scene.stage = await openScene();
  Object.assign(stage.app, { payments, catalog: loadCatalog(paid.PRICES, stage.app.blueprint) });
  scene.customer = await paid.customerOf(scene, stage.hub);
  const price = async (priceRequest: typeof paid.SMALL_PRICE) => await payments.priceFor(priceRequest, NEVER);
  const items = [
    { price: await price(paid.SMALL_PRICE), size: "small", quantity: 2 },
    { price: await price(paid.LARGE_PRICE), size: "large", quantity: 1 },
  ];
  const subscription = { federationId: stage.hub, customer: scene.customer, items };
  scene.subscription = (await payments.createSubscription(subscription, NEVER)).id;
  provider.setNow(DECEMBER + 11 * DAYS);
  await updateRows(stage.db, "spokes", { size: "small" });
  await insertRow(stage.db, "subscriptions", {
    federationId: stage.hub,
    email: "pay@north.example",
    customerId: scene.customer,
    subscriptionId: scene.subscription,
    status: "active",
  });
});
dry.after(async ({ stage, provider }) => {
  await stage.close();
  await provider.close();
});

const costOf = ({ stage }: Scene, size: string) =>
  stage.as("hubAdmin", "readonly").get(`/api/federations/north/spokes/preview-cost?size=${size}`);

const priceOf = async ({ stage }: Scene, body: object, who: "hubAdmin" | "spokeAdmin" = "hubAdmin") =>
  (await stage.as(who, "cli").post(`/api/spokes/${stage.spoke}/actions?dryRun=true`, body)).body.price;

/** Changes the row while the work runs. */
async function meanwhile({ stage }: Scene, values: string, work: () => Promise<void>): Promise<void> {
  const [row] = await selectRows(stage.db, "subscriptions");
  await stage.db.sql(`update subscriptions set ${values}`);
  await work();
  const { customerId, subscriptionId, status } = row!;
  await updateRows(stage.db, "subscriptions", { customerId, subscriptionId, status });
}

cost("returns the cost of another spoke now and per month, in minor units", async (scene) => {
  const { status, body } = await costOf(scene, "small");
  assert.equal([status, body], [200, { ...PRORATED, size: "small", recurringMonthly: 3100, dueNow: 2000 }]);
  assert.equal((await costOf(scene, "large")).body, {
    ...PRORATED,
    size: "large",
    recurringMonthly: 6200,
    dueNow: 4000,
  });
});

cost("returns the whole first invoice for a hub's first spoke", async (scene) => {
  await meanwhile(scene, "subscription_id = null, status = null", async () => {
    assert.equal((await costOf(scene, "large")).body, {
      ...PRORATED,
      size: "large",
      recurringMonthly: 6200,
      dueNow: 6200,
    });
  });
});

cost("is not available for a size without a price", async (scene) => {
  assert.equal((await costOf(scene, "medium")).body, NONE);
});

cost("returns 503 with Retry-After before the provider knows the connected hub", async (scene) => {
  await meanwhile(scene, "customer_id = null, subscription_id = null, status = null", async () => {
    const { status, body, headers } = await costOf(scene, "small");
    assert.equal([status, headers.get("retry-after")], [503, "3"]);
    assert.is(body.message, "The hub is still being connected to the payment provider; try again");
  });
});

cost("is not available for a hub that is not billed", async (scene) => {
  await scene.stage.as("operator").post("/api/federations", { slug: "staff" });
  const { status, body } = await scene.stage.as("operator").get(
    "/api/federations/staff/spokes/preview-cost?size=small",
  );
  assert.equal([status, body], [200, NONE]);
});

cost("returns 503 with Retry-After while the provider is unavailable, without its error", async (scene) => {
  const repair = scene.provider.break({ what: "429", retryAfter: 7 });
  const { status, body, headers } = await costOf(scene, "small");
  repair();
  assert.equal([status, headers.get("retry-after")], [503, "7"]);
  assert.is(body.message, "The payment provider does not respond; try again");
  const away = scene.provider.break("down");
  assert.is((await costOf(scene, "small")).headers.get("retry-after"), "5");
  away();
});

cost("rejects an unknown size before it calls the provider", async (scene) => {
  const { length } = scene.provider.calls;
  assert.is((await costOf(scene, "huge")).status, 400);
  assert.is(scene.provider.calls.length, length);
});

cost("is available to hub admins, not to spoke admins, and returns 404 to strangers", async (scene) => {
  const { stage, provider } = scene, { length } = provider.calls;
  const { status, body } = await stage.as("spokeAdmin").get("/api/federations/north/spokes/preview-cost?size=small");
  assert.equal([status, body], [200, NONE]);
  assert.equal(await priceOf(scene, { action: "suspend" }, "spokeAdmin"), NONE);
  assert.is(provider.calls.length, length);
  assert.equal(
    (await stage.as("operator").get("/api/federations/north/spokes/preview-cost?size=small")).body.dueNow,
    2000,
  );
  assert.is((await stage.as("stranger").get("/api/federations/north/spokes/preview-cost")).status, 404);
});

dry("is returned for a new spoke", async (scene) => {
  const add = async (size: string) =>
    (await scene.stage.as("hubAdmin").post("/api/federations/north/spokes?dryRun=true", { slug: "ash", size })).body
      .price;
  assert.equal(await add("small"), { ...PRORATED, size: "small", recurringMonthly: 3100, dueNow: 2000 });
  assert.equal(await add("medium"), NONE);
});

dry("is returned for a copy, which defaults to the source's size", async ({ stage }) => {
  const [row] = await selectRows(stage.db, "spokes", { id: stage.spoke });
  const inputs = createSpokeInputs(stage.app.catalog, stage.app.config, { ...row as SpokeRow, hubTier: null });
  await updateRows(stage.db, "spokes", { blueprintInputs: inputs }, { id: stage.spoke });
  const copy = async (more: object) => {
    const body = { slug: "ash", copyOf: stage.spoke, copyBackup: "now", ...more };
    return (await stage.as("hubAdmin").post("/api/federations/north/spokes?dryRun=true", body)).body.price;
  };
  assert.equal(await copy({}), { ...PRORATED, size: "small", recurringMonthly: 3100, dueNow: 2000 });
  assert.equal(await copy({ size: "large" }), { ...PRORATED, size: "large", recurringMonthly: 6200, dueNow: 4000 });
});

dry("is returned for a resize: one spoke less of the old size and one more of the new", async (scene) => {
  const large = { ...PRORATED, size: "large", recurringMonthly: 6200, dueNow: 4000 - 2000 };
  assert.equal(await priceOf(scene, { action: "resize", size: "large" }), large);
});

dry("is zero per month for a suspended spoke, with a credit", async (scene) => {
  const suspended = { ...PRORATED, size: "small", recurringMonthly: 0, dueNow: -2000 };
  assert.equal(await priceOf(scene, { action: "suspend" }), suspended);
  await updateRows(scene.stage.db, "spokes", { state: "suspending" });
  const resumed = { ...PRORATED, size: "small", recurringMonthly: 3100 };
  assert.equal(await priceOf(scene, { action: "resume" }), { ...resumed, dueNow: 0 });
  await updateRows(scene.stage.db, "spokes", { state: "suspended" });
  assert.equal(await priceOf(scene, { action: "resume" }), { ...resumed, dueNow: 2000 });
  await updateRows(scene.stage.db, "spokes", { state: "active" });
});

dry("is not available for changes without an effect on the bill", async (scene) => {
  const { length } = scene.provider.calls;
  for (const action of ["restart", "maintenance-on", "backup"]) assert.equal(await priceOf(scene, { action }), NONE);
  assert.is(scene.provider.calls.length, length);
});

dry("does not fail while the provider is unavailable", async (scene) => {
  const repair = scene.provider.break("500");
  const reason = "The payment provider does not respond; try again";
  assert.equal(await priceOf(scene, { action: "suspend" }), { ...NONE, reason });
  repair();
});

change("counts a spoke by its row before and after the change", () => {
  const of = (before: readonly [string, string] | null, after: readonly [string, string]) => {
    const spoke = ([size, state]: readonly [string, string]) => ({ size, state: state as "active" });
    const changes = countQuantityChanges({
      federationId: "fed_1",
      before: before && spoke(before),
      after: spoke(after),
    });
    return Object.fromEntries(changes.map(({ size, by }) => [size, by]));
  };
  assert.equal(of(null, ["small", "active"]), { small: 1 });
  assert.equal(of(["small", "active"], ["large", "active"]), { small: -1, large: 1 });
  assert.equal(of(["small", "resuming"], ["large", "active"]), { large: 1 });
  assert.equal(of(["small", "updating"], ["small", "suspended"]), { small: -1 });
  assert.equal(of(["small", "suspended"], ["small", "active"]), { small: 1 });
  assert.equal(of(["small", "suspending"], ["small", "active"]), { small: 0 });
});

cost.run();
dry.run();
change.run();
