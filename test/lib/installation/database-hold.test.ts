import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ControlConnection } from "#lib/drivers/db/database.ts";
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { readDatabaseHold, releaseDatabaseHold, watchDatabaseHold } from "#lib/installation/database-hold.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
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

  const released = await scene.db.transact((tx) => releaseDatabaseHold(tx, SYSTEM_REQUESTER));
  assert.equal(released?.takenAt, new Date("2030-05-06T07:08:09Z"));
  await scene.until(job!.id, ({ state }) => state === "succeeded");
  assert.is(await readDatabaseHold(scene.db.rows), null);
});

test("is released once, and the audit log has it", async ({ scene }) => {
  await scene.db.transact((tx) => releaseDatabaseHold(tx, SYSTEM_REQUESTER));
  assert.is(await scene.db.transact((tx) => releaseDatabaseHold(tx, SYSTEM_REQUESTER)), null);
  const events = await scene.db.sql("select kind, object_type, metadata from audit_events");
  const metadata = { takenAt: "2030-05-06T07:08:09.000Z" };
  assert.equal(events.map((row) => ({ ...row })), [{ kind: "database_released", objectType: "database", metadata }]);
});

test("is released once by two parallel requests; the second learns that it was not held", async ({ scene }) => {
  const { db } = scene, written = Promise.withResolvers<void>(), over = Promise.withResolvers<void>();
  const first = db.transact(async (tx) => {
    const hold = await releaseDatabaseHold(tx, SYSTEM_REQUESTER);
    written.resolve();
    await over.promise;
    return hold;
  });
  await written.promise;
  const second = db.transact((tx) => releaseDatabaseHold(tx, SYSTEM_REQUESTER));
  const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await until(async () => (await db.sql(waits)).length > 0);
  over.resolve();
  assert.ok(await first);
  assert.is(await second, null);
  assert.is((await db.sql("select from audit_events where kind = 'database_released'")).length, 1);
});

test("has no job run by a replica that was there before it was restored", async ({ scene }) => {
  await scene.db.sql("update database_restores set released_at = now()");
  const hub = await scene.hub(2), short = kind("short", ["only"]), control = { down: false }, ranFree: boolean[] = [];
  const query: ControlConnection["query"] = (text, params) =>
    control.down ? Promise.reject(new Error("No such database")) : scene.db.control.query(text, params);
  const only = async () => void ranFree.push(await readDatabaseHold(scene.db.rows) === null);
  const scheduler = await scene.open([{ kind: short, steps: { only } }], { on: { ...scene.db, control: { query } } });
  const [before] = await scene.enqueue(action(short, hub, 0));
  await scene.until(before!.id, ({ state }) => state === "succeeded");

  control.down = true;
  await until(() => !scheduler.ready());
  await scene.db.sql("update database_restores set released_at = null");
  control.down = false;
  const [after] = await scene.enqueue(action(short, hub, 1));
  await until(() => scheduler.ready()); // it has looked
  await scene.db.transact((tx) => releaseDatabaseHold(tx, SYSTEM_REQUESTER));
  await scene.until(after!.id, ({ state }) => state === "succeeded");
  assert.equal(ranFree, [true, true]);
});

test("is compared with no backup any more once it is released", async ({ scene }) => {
  await scene.hub(1);
  await scene.db.sql("update federations set backup_updated_at = updated_at");
  await scene.db.sql("update spokes set backup_updated_at = updated_at");
  await scene.db.transact((tx) => releaseDatabaseHold(tx, SYSTEM_REQUESTER));
  const dated =
    "select id from federations where backup_updated_at is not null union all select id from spokes where backup_updated_at is not null";
  assert.equal(await scene.db.sql(dated), []);
});

test("is reported by the watch until it is released, and when it is held again", async ({ scene }) => {
  const watch = await watchDatabaseHold(scene.db, SILENT_LOG);
  assert.equal(watch.current()?.takenAt, new Date("2030-05-06T07:08:09Z"));
  await scene.db.transact((tx) => releaseDatabaseHold(tx, SYSTEM_REQUESTER));
  await until(() => watch.current() === null);
  await scene.db.sql("update database_restores set released_at = null");
  await until(() => watch.current() !== null);
  watch.close();
});

test.run();
