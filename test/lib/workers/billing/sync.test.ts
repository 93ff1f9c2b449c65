import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  audited,
  billedHub,
  type Context,
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
import { until } from "#test/support/until.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<Context>("syncBilling");
withBilling(test);

test("creates the customer, the prices and one subscription with an item per size.", async (context) => {
  const hub = await billedHub(context, { small: 2, medium: 1 });
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), ["medium 1", "small 2"]);
  const row = await rowOf(context, hub), [subscription] = subscriptionsOf(context, hub);
  const customer = context.provider.state.customers.get(row.customerId!)!;
  assert.equal([customer.email, customer.metadata], [row.email, { federationId: hub }]);
  assert.equal([row.subscriptionId, row.status, row.currency], [subscription!.id, "active", "EUR"]);
  assert.equal([row.sentQuantities, row.error, row.difference], [{ small: 2, medium: 1 }, null, null]);
  assert.equal(await audited(context, hub), [[
    "billing_subscription_updated",
    {
      status: { from: null, to: "active" },
      quantities: { from: { medium: 0, small: 0 }, to: { medium: 1, small: 2 } },
    },
  ]]);
});

test("creates only a customer for a hub without spokes, and repeats no call.", async (context) => {
  const before = context.provider.calls.length, hub = await billedHub(context, { large: 3 }); // large has no price
  await synced(context, hub);
  assert.equal(requestsOf(context, before), ["POST /v1/customers", "POST /v1/customers/cus_…"]);
  assert.equal((await rowOf(context, hub)).sentQuantities, {});
  const then = context.provider.calls.length;
  await synced(context, hub);
  assert.is(context.provider.calls.length, then);
});

test("sends a resize, a suspension and a new size in one call.", async (context) => {
  const hub = await billedHub(context, { small: 3 });
  await synced(context, hub);
  const before = context.provider.calls.length;
  await setSpokes(context, hub, { small: 1, medium: 1 });
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), ["medium 1", "small 1"]);
  const changes = context.provider.calls.slice(before).filter(({ path, method }) =>
    method === "POST" && path.startsWith("/v1/subscriptions")
  );
  assert.is(changes.length, 1);
});

test("sets quantities to 0 for a hub without spokes, and keeps its items.", async (context) => {
  const hub = await billedHub(context, { small: 2 });
  await synced(context, hub);
  await setSpokes(context, hub, {});
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), ["small 0"]);
  assert.equal((await rowOf(context, hub)).sentQuantities, {});
  await setSpokes(context, hub, { small: 1 });
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), ["small 1"]);
});

test("reads the spokes when it runs, not when it was queued.", async (context) => {
  const hub = await billedHub(context, { small: 1 });
  const repair = context.provider.break({ what: "500", path: "/v1/customers" });
  await plan(context);
  await until(async () =>
    (await queryRows(context.scene.db, "select 1 from jobs where attempt > 1 and federation_id = $1", [hub]))[0]
  );
  await setSpokes(context, hub, { small: 3 });
  repair();
  await synced(context, hub);
  assert.equal(quantitiesOf(context, hub), ["small 3"]);
});

test("ends the subscription of a removed hub, and sends nothing afterwards.", async (context) => {
  const hub = await billedHub(context, { small: 1 });
  await synced(context, hub);
  await setSpokes(context, hub, {});
  const text = "update federations set state = 'removed', removed_at = wheelwright_now() where id = $1";
  await queryRows(context.scene.db, text, [hub]);
  await synced(context, hub);
  assert.equal(subscriptionsOf(context, hub).map(({ status }) => status), ["canceled"]);
  const row = await rowOf(context, hub);
  assert.equal([row.status, row.sentQuantities, row.difference], ["canceled", {}, null]);
  const then = context.provider.calls.length;
  await synced(context, hub);
  assert.is(context.provider.calls.length, then);
});

test("makes nothing for a hub that is removed before anything was made.", async (context) => {
  const hub = await billedHub(context), before = context.provider.calls.length;
  const text = "update federations set state = 'removed', removed_at = wheelwright_now() where id = $1";
  await queryRows(context.scene.db, text, [hub]);
  await synced(context, hub);
  assert.is(context.provider.calls.length, before);
  assert.equal((await rowOf(context, hub)).sentQuantities, {});
});

test("sends the customer's current name and address.", async (context) => {
  const hub = await billedHub(context, { small: 1 });
  await synced(context, hub);
  await updateRows(context.scene.db, "federations", { name: "Another name" }, { id: hub });
  await setSpokes(context, hub, { small: 2 });
  await synced(context, hub);
  const { name } = context.provider.state.customers.get((await rowOf(context, hub)).customerId!)!;
  assert.is(name, "Another name");
});

test("keeps one address's two hubs apart.", async (context) => {
  const one = await billedHub(context, { small: 1 }), other = await billedHub(context, { small: 2 });
  await updateRows(context.scene.db, "subscriptions", { email: "both@example.org" }, { federationId: [one, other] });
  await plan(context);
  await synced(context, one);
  await synced(context, other);
  assert.equal([quantitiesOf(context, one), quantitiesOf(context, other)], [["small 1"], ["small 2"]]);
  assert.is.not((await rowOf(context, one)).customerId, (await rowOf(context, other)).customerId);
});

test("goes on counting a size that has lost its price, by the item that it has.", async (context) => {
  const { app } = context.scene, { catalog } = app;
  const hub = await billedHub(context, { small: 1, medium: 1 });
  await synced(context, hub);
  Object.assign(app, { catalog: { ...catalog, priceOf: () => null } });
  try {
    await setSpokes(context, hub, { small: 2, large: 1 });
    await synced(context, hub);
  } finally {
    Object.assign(app, { catalog });
  }
  assert.equal(quantitiesOf(context, hub), ["medium 0", "small 2"]);
});

test.run();
