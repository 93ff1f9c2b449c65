/** Tests that a change made at the provider is noticed within a day, reported once, and reconciled on request. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findUncheckedHubs } from "#lib/domains/billing/hubs.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";
import {
  audited,
  billedHub,
  type Context,
  ended,
  quantitiesOf,
  reconcile,
  rowOf,
  subscriptionsOf,
  synced,
  withBilling,
} from "#test/lib/workers/billing/scene.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { deleteRows, NOW, updateRows } from "#test/support/rows.ts";

const test = suite<Context>("checkBilling");
withBilling(test);
test.before.each(async ({ scene }) => void await deleteRows(scene.db, "subscriptions"));
test.after.each(({ scene }) => scene.db.shiftClock(0));

async function nextDay(context: Context, hub: string, days: number): Promise<void> {
  const { db } = context.scene;
  await db.shiftClock(days * DAY + days * HOUR);
  await reconcile(context);
  await updateRows(db, "jobs", { runAt: NOW }, { kind: "check-billing", state: "queued" });
  await ended(context, hub);
}

const differences = async (context: Context, hub: string) =>
  (await audited(context, hub)).filter(([kind]) => kind === "billing_difference_found");

test("reports manually changed quantities once, and reconciling corrects them.", async (context) => {
  const hub = await billedHub(context, { small: 2 }), path = `/api/federations/${hub}/billing`;
  const { scene, provider } = context, operator = scene.as("operator", "cli");
  await synced(context, hub);
  const [{ id, items }] = subscriptionsOf(context, hub) as [ReturnType<typeof subscriptionsOf>[number]];
  const price = items.data[0]!.price.id;
  provider.editQuantity(id, price, 5);
  await nextDay(context, hub, 1);
  const { body } = await operator.get(path);
  assert.equal(body.difference, {
    message: "The payment provider bills 5 instead of 2 spokes of size small",
    sizes: [{ size: "small", spokes: 2, billed: 5 }],
  });
  assert.equal([body.pending, body.items], [false, [{ size: "small", quantity: 5, monthly: 9500 }]]);
  assert.ok(context.log.some(({ level, federation }) => level === "warn" && federation === hub));
  await nextDay(context, hub, 2);
  await synced(context, hub);
  assert.is((await differences(context, hub)).length, 1);
  assert.equal(quantitiesOf(context, hub), ["small 5"]);
  assert.is((await operator.post(`${path}/reconcile`)).status, 202);
  await ended(context, hub);
  assert.equal([quantitiesOf(context, hub), (await operator.get(path)).body.difference], [["small 2"], null]);
  await scene.db.shiftClock(2 * DAY + 3 * HOUR); // until the sync that follows it is over, too
  await ended(context, hub);
  provider.editQuantity(id, price, 1);
  await nextDay(context, hub, 3);
  assert.is((await differences(context, hub)).length, 2);
  provider.editQuantity(id, price, 2);
  await nextDay(context, hub, 4);
  assert.is((await operator.get(path)).body.difference, null);
});

test("sends the hub's current name to the provider.", async (context) => {
  const hub = await billedHub(context, { small: 1 });
  await synced(context, hub);
  await updateRows(context.scene.db, "federations", { name: "Renamed" }, { id: hub });
  await nextDay(context, hub, 1);
  assert.is(context.provider.state.customers.get((await rowOf(context, hub)).customerId!)!.name, "Renamed");
});

test("runs once a day, spread over the hour, and only for live subscriptions.", async (context) => {
  const { db } = context.scene, hubs: string[] = [];
  for (const spokes of [{ small: 1 }, { small: 1 }, { small: 1 }, {}]) hubs.push(await billedHub(context, spokes));
  for (const id of hubs) await synced(context, id);
  await updateRows(db, "subscriptions", { status: "canceled" }, { federationId: hubs[2] });
  await db.shiftClock(23 * HOUR);
  assert.equal(await findUncheckedHubs(db.rows, 10), []);
  await db.shiftClock(25 * HOUR);
  assert.equal((await findUncheckedHubs(db.rows, 10)).sort(), [hubs[0]!, hubs[1]!].sort());
  await reconcile(context);
  await reconcile(context);
  const checks = await queryRows(
    db,
    "select federation_id as id, run_at from jobs where kind = 'check-billing' and federation_id = any($1) order by run_at",
    [hubs],
  );
  assert.is(checks.length, 2);
  assert.ok(Math.abs(checks[1].runAt - checks[0].runAt - HOUR / 2) < MINUTE);
});

test.run();
