/**
 * The sync when something goes wrong: answers that are lost, holders that die, and people who change things at the
 * provider.
 */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { markHubBilled, showBilling } from "#lib/domains/billing/connect.ts";
import { FenceLostError } from "#lib/jobs/fence.ts";
import type { PaymentProvider } from "#lib/drivers/payments/payments.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE, SECOND } from "#lib/base/time.ts";
import { syncBilling } from "#lib/workers/billing/sync.ts";
import {
  audited,
  billedHub,
  type Context,
  ended,
  plan,
  quantitiesOf,
  requestsOf,
  rowOf,
  setSpokes,
  subscriptionsOf,
  synced,
  withBilling,
} from "#test/lib/workers/billing/scene.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { clientOf } from "#test/support/provider/client.ts";
import { rejection, until } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<Context>("syncBilling in trouble");
withBilling(test);

/** Returns a run whose writes the test can refuse. */
function holder({ scene: { app } }: Context, hub: string, mayWrite: () => boolean = () => true): JobRun {
  const progress: Record<string, unknown> = {};
  return {
    job: { id: "op_1", fence: "1", federationId: hub, progress },
    signal: new AbortController().signal,
    log: app.log,
    throwIfStopped: () => {},
    saveProgress: (values: object) => Promise.resolve(void Object.assign(progress, values)),
    write: (work: never) => {
      if (!mayWrite()) return Promise.reject(new FenceLostError({ id: "op_1", fence: "1" }));
      return app.db.transact(work);
    },
  } as unknown as JobRun;
}

async function runAll(context: Context, run: JobRun, payments: Partial<PaymentProvider> = {}): Promise<void> {
  const { app } = context.scene;
  const { steps } = syncBilling(app, { ...app.payments!, ...payments });
  await steps.customer!(run);
  await steps.quantities!(run);
}

async function reconcile({ scene }: Context, hub: string): Promise<void> {
  const { status } = await scene.as("operator").post(`/api/federations/${hub}/billing/reconcile`);
  assert.is(status, 202);
}

const PATHS = ["/v1/customers", /^\/v1\/customers\/\w+$/, "/v1/prices", "/v1/subscriptions"];

test("creates everything once, although the reply to each call is lost.", async (context) => {
  const hub = await billedHub(context, { small: 1 }), { provider } = context;
  for (const path of PATHS) provider.break({ what: "lost answer", method: "POST", path, times: 1 });
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), ["small 1"]);
  const ours = [...provider.state.customers.values()].filter(({ metadata }) => metadata["federationId"] === hub);
  assert.is(ours.length, 1);
  assert.is(subscriptionsOf(context, hub).length, 1);
  assert.is([...provider.state.prices.values()].filter(({ metadata }) => metadata["size"] === "small").length, 1);
  const paid = [...provider.state.invoices.values()].filter(({ customer }) => customer === ours[0]!.id);
  assert.equal(paid.map(({ total }) => total), [1900]);
  const change = /^\/v1\/subscriptions\/\w+$/;
  provider.break({ what: "lost answer", method: "POST", path: change, times: 1 });
  await setSpokes(context, hub, { small: 2 });
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), ["small 2"]);
  const all = [...provider.state.invoices.values()].filter(({ customer }) => customer === ours[0]!.id);
  assert.equal(all.map(({ total }) => total), [1900, 1900]);
});

test("finds objects whose creation a dead holder did not record.", async (context) => {
  const hub = await billedHub(context, { small: 1 });
  let writes = 0;
  await rejection(runAll(context, holder(context, hub, () => ++writes < 2))); // the customer is written, the rest is not
  assert.equal([quantitiesOf(context, hub), (await rowOf(context, hub)).subscriptionId], [["small 1"], null]);
  await synced(context, hub);
  assert.equal([quantitiesOf(context, hub), subscriptionsOf(context, hub).length], [["small 1"], 1]);
  assert.is((await rowOf(context, hub)).subscriptionId, subscriptionsOf(context, hub)[0]!.id);
});

test("ends an unrecorded subscription of a removed hub.", async (context) => {
  const hub = await billedHub(context, { small: 1 });
  let writes = 0;
  await rejection(runAll(context, holder(context, hub, () => ++writes < 2)));
  await setSpokes(context, hub, {});
  const text = "update federations set state = 'removed', removed_at = wheelwright_now() where id = $1";
  await queryRows(context.scene.db, text, [hub]);
  await synced(context, hub);
  assert.equal(subscriptionsOf(context, hub).map(({ status }) => status), ["canceled"]);
});

test("sends quantities again after a holder died during a call.", async (context) => {
  const hub = await billedHub(context, { small: 1 });
  await synced(context, hub);
  await setSpokes(context, hub, { small: 2 });
  let writes = 0;
  await rejection(runAll(context, holder(context, hub, () => ++writes < 2)));
  assert.equal(quantitiesOf(context, hub), ["small 2"]);
  await setSpokes(context, hub, { small: 1 });
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), ["small 1"]);
});

test("corrects quantities that a late call has set.", async (context) => {
  const { provider, scene: { db } } = context, hub = await billedHub(context, { small: 1 });
  await synced(context, hub);
  await setSpokes(context, hub, { small: 2 });
  const arrive = provider.break({ what: "slow", method: "POST", path: /^\/v1\/subscriptions\/\w+$/, times: 1 });
  const cut = new AbortController(), first = { ...holder(context, hub), signal: cut.signal };
  const gone = rejection(runAll(context, first));
  await until(() => provider.hanging() === 1);
  cut.abort(new Error("cut off"));
  await gone;
  await setSpokes(context, hub, { small: 3 });
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), ["small 3"]);
  arrive();
  await until(() => quantitiesOf(context, hub)[0] === "small 2");
  await db.shiftClock(MINUTE + SECOND);
  await synced(context, hub);
  await db.shiftClock(0);
  assert.equal(quantitiesOf(context, hub), ["small 3"]);
  const live = await selectRows(db, "jobs", { federationId: hub, state: ["queued", "running"] });
  assert.equal(live, []);
});

test("creates no new subscription after one was cancelled at the provider, until reconciled.", async (context) => {
  const hub = await billedHub(context, { small: 1 });
  await synced(context, hub);
  const { subscriptionId: first, customerId: customer } = await rowOf(context, hub);
  context.provider.cancel(first!);
  await setSpokes(context, hub, { small: 2 });
  await synced(context, hub);
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), []);
  const row = await rowOf(context, hub);
  assert.equal([row.status, row.sentQuantities, typeof row.difference], ["canceled", { small: 2 }, "string"]);
  const found = (await audited(context, hub)).filter(([kind]) => kind === "billing_difference_found");
  assert.is(found.length, 1);
  await reconcile(context, hub);
  await synced(context, hub);
  const after = await rowOf(context, hub);
  assert.equal([quantitiesOf(context, hub), after.status, after.difference], [["small 2"], "active", null]);
  assert.is.not(after.subscriptionId, first);
  assert.is(after.customerId, customer);
});

test("reports a deleted customer, and creates another when reconciled.", async (context) => {
  const hub = await billedHub(context, { small: 1 });
  await synced(context, hub);
  const { customerId: customer } = await rowOf(context, hub);
  await clientOf(context.provider).customers.del(customer!);
  await setSpokes(context, hub, { small: 2 });
  await synced(context, hub);
  const row = await rowOf(context, hub);
  assert.equal([row.status, row.error], ["canceled", `The customer ${customer} no longer exists`]);
  await reconcile(context, hub);
  await synced(context, hub);
  const after = await rowOf(context, hub);
  assert.equal([quantitiesOf(context, hub), after.error], [["small 2"], null]);
  assert.is.not(after.customerId, customer);
});

test("recreates a deleted item with the next change.", async (context) => {
  const hub = await billedHub(context, { small: 1, medium: 1 });
  await synced(context, hub);
  const item = subscriptionsOf(context, hub)[0]!.items.data.find(({ metadata }) => metadata["size"] === "small")!;
  await clientOf(context.provider).subscriptionItems.del(item.id);
  await setSpokes(context, hub, { small: 2, medium: 1 });
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), ["medium 1", "small 2"]);
});

test("shows a permanent refusal to operators, and retries after an hour.", async (context) => {
  const { scene: { app, db }, provider } = context, hub = await billedHub(context, { small: 1 });
  const [price] = [...provider.state.prices.values()].filter(({ metadata }) => metadata["size"] === "small");
  await clientOf(provider).prices.update(price!.id, { active: false });
  await synced(context, hub);
  assert.match((await rowOf(context, hub)).error!, /is archived\. Fix the price in Stripe/);
  const [operator, admin] = await Promise.all(
    (["operator", "hub_admin"] as const).map((role) => showBilling(app, { role }, { id: hub })),
  );
  assert.equal([operator!.pending, admin!.pending, admin!.error], [true, true, null]);
  assert.match(operator!.error!, /is archived/);
  assert.ok(context.log.some(({ level, federation }) => level === "error" && federation === hub));
  await clientOf(provider).prices.update(price!.id, { active: true });
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), []);
  await db.shiftClock(HOUR + 1000);
  await synced(context, hub);
  await db.shiftClock(0);
  assert.equal([quantitiesOf(context, hub), (await rowOf(context, hub)).error], [["small 1"], null]);
});

test("leaves changes during its run to the next sync.", async (context) => {
  const { scene: { app, db } } = context, hub = await billedHub(context, { small: 1 });
  await runAll(context, holder(context, hub), {
    async createSubscription(...wanted) {
      const made = await app.payments!.createSubscription(...wanted);
      await db.transact((tx) => markHubBilled(tx, { id: hub }, "other@example.org"));
      return made;
    },
  });
  assert.equal((await rowOf(context, hub)).sentQuantities, null);
  await synced(context, hub);
  const row = await rowOf(context, hub);
  assert.is(context.provider.state.customers.get(row.customerId!)!.email, "other@example.org");
  assert.equal(row.sentQuantities, { small: 1 });
  context.provider.cancel(row.subscriptionId!);
  await runAll(context, holder(context, hub), {
    async readSubscription(...which) {
      const found = await app.payments!.readSubscription(...which);
      const forget = "customer_id = null, subscription_id = null, status = null, sent_quantities = null";
      await queryRows(db, `update subscriptions set ${forget} where federation_id = $1`, [hub]);
      return found;
    },
  });
  assert.equal((await rowOf(context, hub)).subscriptionId, null);
  await synced(context, hub);
  assert.equal([quantitiesOf(context, hub), (await rowOf(context, hub)).status], [["small 1"], "active"]);
});

test("is queued once by concurrent plans.", async (context) => {
  const hub = await billedHub(context, { small: 1 }), before = context.provider.calls.length;
  await Promise.all([plan(context), plan(context), plan(context)]);
  await ended(context, hub);
  assert.equal(requestsOf(context, before).filter((call) => call === "POST /v1/subscriptions"), [
    "POST /v1/subscriptions",
  ]);
});

test.run();
