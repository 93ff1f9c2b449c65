import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadBlueprint } from "#lib/moodle/blueprint.ts";
import type { Catalog } from "#lib/catalog/catalog.ts";
import { loadCatalog } from "#lib/catalog/load.ts";
import { createId } from "#lib/base/ids.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { SPOKE_STATES } from "#lib/model/states.ts";
import { HOUR } from "#lib/base/time.ts";
import { planBillingSyncs } from "#lib/workers/billing/plan.ts";
import { blueprint } from "#src/blueprints.ts";
import { PRICES } from "#test/lib/workers/billing/scene.ts";
import { queryRows } from "#test/support/bench/query.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { insertHub, insertSpoke, insertUser } from "#test/support/insert-rows.ts";
import { deleteRows, insertRow, NOW, updateRows } from "#test/support/rows.ts";

interface Context {
  db: TestDatabase;
  user: string;
  catalog: Catalog;
}

const test = suite<Context>("planBillingSyncs");
test.before(async (context) => {
  context.db = await openTestDatabase();
  context.user = await insertUser(context.db);
  context.catalog = loadCatalog(PRICES, await loadBlueprint(blueprint));
});
test.before.each(async ({ db }) => {
  await deleteRows(db, "jobs");
  await deleteRows(db, "subscriptions");
});
test.after(({ db }) => db.close());

async function plan({ db, catalog }: Context, batch?: number): Promise<string[]> {
  const run = { throwIfStopped: () => {} } as unknown as JobRun;
  await planBillingSyncs({ db, catalog }, batch).steps.compare!(run);
  const jobs = await queryRows(db, "select federation_id as id, kind, lane, visible from jobs where state = 'queued'");
  for (const { kind, lane, visible } of jobs) {
    assert.equal([kind, visible], ["sync-billing", false]);
    assert.match(lane, /^billing:\d$/);
  }
  return jobs.map(({ id }) => id).sort();
}

/** Creates a billed hub with spokes in these states. `reported` contains the quantities that the provider has. */
async function hub({ db, user }: Context, reported: object | null, states: readonly string[] = []): Promise<string> {
  const id = await insertHub(db, user, createId("fed").slice(4).toLowerCase());
  const text = reported && JSON.stringify(reported);
  await insertRow(db, "subscriptions", { federationId: id, email: "a@example.org", sentQuantities: text });
  for (const state of states) {
    const spoke = await insertSpoke(db, user, id, createId("spk").slice(4).toLowerCase());
    const gone = state === "removed" ? ", removed_at = wheelwright_now()" : "";
    await queryRows(db, `update spokes set state = $2 ${gone} where id = $1`, [spoke, state]);
  }
  return id;
}

test("queues a sync only for hubs whose sent quantities differ or are missing.", async (context) => {
  const wanting = [
    await hub(context, null),
    await hub(context, {}, ["active"]),
    await hub(context, { small: 2 }, ["active"]),
    await hub(context, { small: 1, medium: 1 }, ["active"]),
  ];
  await hub(context, {});
  await hub(context, { small: 2, medium: 0 }, ["active", "active"]);
  await insertSpoke(context.db, context.user, await insertHub(context.db, context.user, "not-billed"));
  assert.equal(await plan(context), wanting.sort());
  assert.equal(await plan(context), wanting);
});

test("covers all hubs in batches.", async (context) => {
  const wanting: string[] = [];
  for (let i = 0; i < 5; i++) {
    wanting.push(await hub(context, null));
    await hub(context, {});
  }
  assert.equal(await plan(context, 2), wanting.sort());
});

test("counts the spokes that are active, updating or suspending.", async (context) => {
  await hub(context, { small: 3 }, SPOKE_STATES);
  assert.equal(await plan(context), []);
  for (const state of SPOKE_STATES) {
    const id = await hub(context, {}, [state]);
    const billed = ["active", "updating", "suspending"].includes(state);
    assert.is((await plan(context)).includes(id), billed, state);
  }
});

test("ignores sizes without a price, except those with an item.", async (context) => {
  const id = await hub(context, {}, ["active"]), { db } = context;
  await updateRows(db, "spokes", { size: "large" }, { federationId: id });
  assert.equal(await plan(context), []);
  await updateRows(db, "subscriptions", { items: '[{"size": "large"}]' }, { federationId: id });
  assert.equal(await plan(context), [id]);
});

test("skips a refused hub until its retry time, then retries without a difference.", async (context) => {
  const id = await hub(context, {}), { db } = context;
  const text =
    "update subscriptions set error = 'no', retry_at = wheelwright_now() + interval '1 hour' where federation_id = $1";
  await queryRows(db, text, [id]);
  assert.equal(await plan(context), []);
  await db.shiftClock(HOUR + 1000);
  assert.equal(await plan(context), [id]);
  await db.shiftClock(0);
});

test("queues a sync for a removed hub until its subscription has ended.", async (context) => {
  const id = await hub(context, {}), { db } = context;
  await updateRows(db, "federations", { state: "removed", removedAt: NOW }, { id });
  const become = (status: string | null) =>
    queryRows(
      db,
      `update subscriptions set customer_id = $1, subscription_id = case when $2::text is null then null else $1 end,
         status = $2 where federation_id = $1`,
      [id, status],
    );
  assert.equal(await plan(context), []);
  await become("past_due");
  assert.equal(await plan(context), [id]);
  await deleteRows(db, "jobs");
  await become("canceled");
  assert.equal(await plan(context), []);
  await updateRows(db, "subscriptions", { sentQuantities: null }, { federationId: id });
  assert.equal(await plan(context), [id]);
});

test.run();
