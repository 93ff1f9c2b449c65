/**
 * Tests an hour-long outage of the payment provider, followed by lost replies. Operations on spokes continue, and
 * afterwards the quantities are correct and each spoke was charged once.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadCatalog } from "#lib/catalog/load.ts";
import type { FederationRow } from "#lib/domains/federations/store.ts";
import { openPaymentProvider } from "#lib/drivers/payments/open.ts";
import { MINUTE } from "#lib/base/time.ts";
import { manifest } from "#src/manifest.ts";
import { openServer, type Server } from "#src/server.ts";
import { PRICES } from "#test/lib/workers/billing/scene.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { createTestToken, createTestUser } from "#test/support/users.ts";
import type { ProviderFault } from "#test/support/provider/faults.ts";
import { setDatabaseClock } from "#test/support/fake-spokes.ts";
import { openProvider, type Provider } from "#test/support/provider/provider.ts";
import { until } from "#test/support/until.ts";

interface Context {
  provider: Provider;
  scene: WorkScene;
  server: Server;
  token: string;
  hub: FederationRow;
}

const test = suite<Context>("billing while the provider is away");

test.before(async (context) => {
  const provider = context.provider = await openProvider();
  const scene = context.scene = await openWorkScene(2, provider.env);
  const { app, db } = scene;
  // A shorter deadline than in production.
  const payments = openPaymentProvider({ ...app.config.stripe!, deadline: 150, settleMs: 20 });
  Object.assign(app, { payments, notices: [], catalog: loadCatalog(PRICES, app.blueprint) });
  context.server = openServer(app, manifest, { isSchedulerReady: () => true });
  context.token =
    (await createTestToken(db, await createTestUser(db, "operator", { operator: true }), "cli")).plaintext;
  await setDatabaseClock(db, new Date(clock));
  context.hub = await scene.hub("math");
  await scene.replica();
  await scene.hubBecomes(context.hub.id, "active");
});
test.after(async ({ provider, scene }) => {
  await scene?.close();
  await provider?.close();
});

// deno-lint-ignore no-explicit-any
async function send({ server, token }: Context, method: string, path: string, body?: unknown): Promise<any> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const text = body === undefined ? null : JSON.stringify(body);
  const response = await server.request(new Request(`http://localhost:3000${path}`, { method, headers, body: text }));
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return await response.json();
}

async function install(context: Context, slug: string, size: string): Promise<string> {
  return (await send(context, "POST", `/api/federations/${context.hub.id}/spokes`, { slug, size })).id;
}

async function act(context: Context, id: string, action: string, more: object, state: string): Promise<void> {
  await send(context, "POST", `/api/spokes/${id}/actions`, { action, ...more });
  await context.scene.ended(id, action);
  await context.scene.becomes(id, state);
}

/** At noon, far from the nightly backups. */
let clock = Date.parse("2026-11-21T10:00:00.000Z");

/** Advances the clock by these minutes, and makes waiting jobs due. */
async function pass({ scene: { db } }: Context, minutes: number): Promise<void> {
  await setDatabaseClock(db, new Date(clock += minutes * MINUTE));
  await db.transact(async (tx) => {
    await queryRows(
      { ...db, rows: tx },
      "update jobs set run_at = least(run_at, wheelwright_now()) where kind = 'plan-billing'",
    );
    tx.wakes.add("jobs");
  });
}

/**
 * The hub's billing once nothing is on its way to the provider; the next plan, and the next try, come a little sooner
 * here.
 */
// deno-lint-ignore no-explicit-any
async function settled(context: Context): Promise<any> {
  let passedAt = -Infinity;
  return await until(async () => {
    if (performance.now() - passedAt > 300) {
      await pass(context, 1);
      passedAt = performance.now();
    }
    const billing = await send(context, "GET", `/api/federations/${context.hub.id}/billing`);
    return !billing.pending && billing;
  });
}

function quantitiesOf({ provider }: Context): string[][] {
  return [...provider.state.subscriptions.values()].map(({ items, status }) => [
    status,
    ...items.data.map(({ quantity, metadata }) => `${metadata["size"]} ${quantity}`).sort(),
  ]);
}

/** Returns the sum of all invoices less credits. The provider's clock stands still. */
function charged({ provider }: Context): number {
  return [...provider.state.invoices.values()].reduce((sum, { total }) => sum + total, 0);
}

test("fails and blocks no operation, and corrects the subscription afterwards", async (context) => {
  const { scene, provider, hub } = context;
  await send(context, "POST", `/api/federations/${hub.id}/billing`, { email: "treasurer@example.org" });
  const ash = await install(context, "ash", "small");
  await scene.becomes(ash, "active");
  assert.equal((await settled(context)).items, [{ size: "small", quantity: 1, monthly: 1900 }]);
  assert.is(charged(context), 1900);

  let repair = provider.break("down");
  const trouble = (what: ProviderFault["what"]) => {
    repair();
    repair = provider.break(what);
  };
  const birch = await install(context, "birch", "medium");
  await act(context, ash, "suspend", {}, "suspended");
  await pass(context, 20);
  trouble("500");
  await act(context, ash, "resume", {}, "active");
  await scene.becomes(birch, "active");
  await pass(context, 20);
  trouble("hang");
  await act(context, ash, "resize", { size: "medium" }, "active");
  await send(context, "DELETE", `/api/spokes/${birch}`);
  await scene.becomes(birch, "removed");
  await pass(context, 20);
  const away = await send(context, "GET", `/api/federations/${hub.id}/billing`);
  assert.equal([away.pending, away.items], [true, [{ size: "small", quantity: 1, monthly: 1900 }]]);
  assert.is(charged(context), 1900);

  repair();
  provider.break({ what: "lost answer", method: "POST", times: 2 });
  const back = await settled(context);
  const items = [{ size: "medium", quantity: 1, monthly: 4900 }, { size: "small", quantity: 0, monthly: 0 }];
  // deno-lint-ignore no-explicit-any
  assert.equal(back.items.toSorted((a: any, b: any) => a.size < b.size ? -1 : 1), items);
  assert.equal([back.difference, back.error, back.monthly], [null, null, 4900]);
  assert.equal(quantitiesOf(context), [["active", "medium 1", "small 0"]]);
  assert.is(charged(context), 4900);
  assert.is(provider.state.customers.size, 1);
  const operations = await queryRows(
    scene.db,
    "select kind, state, attempt from jobs where visible and spoke_id is not null",
  );
  assert.equal(operations.filter(({ state, attempt }) => state !== "succeeded" || attempt !== 1), []);
  assert.is(operations.length, 6);
  const failedJobs = await queryRows(scene.db, "select kind from jobs where not visible and state = 'failed'");
  assert.equal(failedJobs, []);
});

test.run();
