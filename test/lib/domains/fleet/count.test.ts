import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { DAY, HOUR, MINUTE } from "#lib/base/time.ts";
import { countFleet } from "#lib/domains/fleet/watch.ts";
import { sealAll, write } from "#test/lib/audit/scene.ts";
import { action, type Hub, install, kind, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { until } from "#test/support/until.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; hub: Hub }>("countFleet");
test.before.each(async (context) => {
  context.scene = await openScene();
  context.hub = await context.scene.hub(4);
});
test.after.each(({ scene }) => scene.close());

const ago = (now: Date, ms: number) => new Date(now.getTime() - ms);

test("counts live spokes by state and health, and drifted spokes", async ({ scene: { db }, hub }) => {
  const [one, two, three, four] = hub.spokes;
  await db.sql("update spokes set state = 'active', health = 'healthy' where id = any($1)", [[one, two]]);
  await updateRows(db, "spokes", { drift: "{}" }, { id: two });
  await updateRows(db, "spokes", { state: "failed" }, { id: three });
  await updateRows(db, "spokes", { state: "removed", removedAt: NOW }, { id: four });
  const { spokes } = await countFleet(db);
  assert.equal(spokes.toSorted((a, b) => a.state < b.state ? -1 : 1), [
    { state: "active", health: "healthy", count: 2, drifted: 1 },
    { state: "failed", health: "unknown", count: 1, drifted: 0 },
  ]);
});

test("finds the oldest of the newest good backups, and uses the age of a spoke without one", async ({ scene: { db }, hub }) => {
  const now = await db.now(), [one, two, three] = hub.spokes;
  const backup = (spokeId: string, age: number, state: "ready" | "failed", more: object = {}) =>
    db.rows.insertInto("backups").values({
      id: createId("bak"),
      spokeId,
      federationId: hub.id,
      operationId: createId("op"),
      cluster: "default",
      namespace: "x",
      kind: "nightly",
      state,
      createdAt: ago(now, age),
      ...(state === "ready" ? { readyAt: ago(now, age) } : { failedAt: now }),
      ...more,
    }).execute();
  assert.is((await countFleet(db)).oldestBackup, null);
  await db.sql("update spokes set state = 'active', ready_at = $1 where id = any($2)", [ago(now, 9 * DAY), [one, two]]);
  await backup(one!, 30 * HOUR, "ready");
  await backup(one!, 2 * DAY, "ready");
  await backup(two!, 5 * HOUR, "ready");
  await backup(one!, HOUR, "failed");
  await backup(one!, HOUR, "ready", { deletingSince: now });
  assert.equal((await countFleet(db)).oldestBackup, ago(now, 30 * HOUR));
  await updateRows(db, "spokes", { state: "active", readyAt: ago(now, 3 * DAY) }, { id: three });
  assert.equal((await countFleet(db)).oldestBackup, ago(now, 3 * DAY));
});

test("finds the oldest event that should be sealed but is not", async ({ scene: { db }, hub }) => {
  const now = await db.now();
  await write(db, hub.id, 2);
  assert.is((await countFleet(db)).oldestUnsealed, null, "it has not settled yet");
  await db.shiftClock(10 * MINUTE);
  const { oldestUnsealed, now: later } = await countFleet(db);
  const waited = later.getTime() - oldestUnsealed!.getTime();
  assert.ok(oldestUnsealed! >= now && waited >= 9 * MINUTE && waited < 11 * MINUTE, String(waited));
  await sealAll(db);
  assert.is((await countFleet(db)).oldestUnsealed, null);
});

test("counts a lane as queued if its operation could run, and as waiting only for a replica", async ({ scene, hub }) => {
  const work = kind("work", ["only"]), end = Promise.withResolvers<void>(), { db } = scene;
  await scene.enqueue(install(work, hub, 0), install(work, hub, 1), action(work, hub, 2));
  await scene.enqueue({ ...action(work, hub, 3), runAt: new Date(Date.now() + HOUR) });
  await db.shiftClock(10 * MINUTE);
  const { lanes } = await countFleet(db);
  assert.equal([lanes.queued, lanes.running], [2, 0]);
  assert.ok(lanes.longestWaitSeconds >= 600 && lanes.longestWaitSeconds < 660, String(lanes.longestWaitSeconds));

  const scheduler = await scene.open([{ kind: work, steps: { only: () => end.promise } }], { lanes: 1 });
  await until(() => scheduler.running() === 1);
  const { lanes: { longestWaitSeconds, ...busy } } = await countFleet(db);
  assert.equal(busy, { queued: 1, running: 1 });
  assert.ok(longestWaitSeconds >= 600);
  await scene.open([{ kind: work, steps: { only: () => end.promise } }]);
  await until(async () => (await selectRows(db, "jobs", { state: "running" })).length === 2);
  assert.equal((await countFleet(db)).lanes, { queued: 0, running: 2, longestWaitSeconds: 0 });
  end.resolve();
});

test.run();
