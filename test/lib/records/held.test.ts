import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SYSTEM } from "#lib/records/audit/asker.ts";
import { readHold, releaseHold, watchHold } from "#lib/records/held.ts";
import { silent } from "#lib/base/log.ts";
import { action, kind, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: Scene }>("a held database");
test.before.each(async (context) => {
  context.scene = await openScene();
  await context.scene.db.sql("insert into database_restores (taken_at) values ('2030-05-06 07:08:09+00')");
});
test.after.each(({ scene }) => scene.close());

test("has no job run until it is released, and then at once", async ({ scene }) => {
  const hub = await scene.hub(1), short = kind("short", ["only"]);
  const [job] = await scene.enqueue(action(short, hub, 0));
  const scheduler = await scene.open([{ kind: short, steps: { only: () => Promise.resolve() } }]);
  await until(() => scheduler.ready()); // it has looked
  await scene.until(job!.id, ({ state }) => state === "queued");

  const released = await scene.db.transact((tx) => releaseHold(tx, SYSTEM));
  assert.equal(released?.takenAt, new Date("2030-05-06T07:08:09Z"));
  await scene.until(job!.id, ({ state }) => state === "succeeded");
  assert.is(await readHold(scene.db.rows), null);
});

test("is released once, and the audit log has it", async ({ scene }) => {
  await scene.db.transact((tx) => releaseHold(tx, SYSTEM));
  assert.is(await scene.db.transact((tx) => releaseHold(tx, SYSTEM)), null);
  const told = await scene.db.sql("select kind, object_type, metadata from audit_events");
  const metadata = { takenAt: "2030-05-06T07:08:09.000Z" };
  assert.equal(told.map((row) => ({ ...row })), [{ kind: "database_released", objectType: "database", metadata }]);
});

test("is compared with no backup any more once it is released", async ({ scene }) => {
  await scene.hub(1);
  await scene.db.sql("update federations set as_of = updated_at");
  await scene.db.sql("update spokes set as_of = updated_at");
  await scene.db.transact((tx) => releaseHold(tx, SYSTEM));
  const dated =
    "select id from federations where as_of is not null union all select id from spokes where as_of is not null";
  assert.equal(await scene.db.sql(dated), []);
});

test("is told by the watch until it is released", async ({ scene }) => {
  const watch = await watchHold(scene.db, silent);
  assert.equal(watch.held()?.takenAt, new Date("2030-05-06T07:08:09Z"));
  await scene.db.transact((tx) => releaseHold(tx, SYSTEM));
  await until(() => watch.held() === null);
  watch.close();
});

test.run();
