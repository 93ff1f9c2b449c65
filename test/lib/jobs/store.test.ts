import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { BeforeCursor, type PageCursor } from "#lib/base/schema.ts";
import {
  cancelSpokeOperations,
  enqueueJob,
  findOperation,
  listOperations,
  readCurrentOperations,
  requestJobCancellation,
} from "#lib/jobs/store.ts";
import { action, install, kind, loose, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { insertRow, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("jobs store");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const work = kind("work", ["one", "two"]);

test("stores the job and its requester", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [job] = await scene.enqueue({ ...install(work, hub, 0), payload: { a: [1, "ü"] } });
  const found = await findOperation(scene.db.rows, job!.id);
  assert.equal(found, job);
  assert.equal([found!.kind, found!.plan, found!.stepNames, found!.timeLimit], ["work", 1, ["one", "two"], 600_000]);
  assert.equal(found!.payload, { a: [1, "ü"] });
  assert.equal(found!.requester, scene.asker);
  assert.is(found!.state, "queued");
});

test("does not return a hidden job as an operation", async ({ scene }) => {
  const [job] = await scene.enqueue(loose(kind("mail", ["send"], { visible: false })));
  assert.is(await findOperation(scene.db.rows, job!.id), null);
});

test("returns the live job with the same dedupe key, and a new job after it has ended", async ({ scene }) => {
  const twin = { ...loose(work), dedupeKey: "nightly" };
  const [first] = await scene.enqueue(twin);
  const [again] = await scene.enqueue(twin);
  assert.is(again!.id, first!.id);
  await scene.db.transact((tx) => requestJobCancellation(tx, first!.id));
  const [next] = await scene.enqueue(twin);
  assert.is.not(next!.id, first!.id);
});

test("lets two callers with the same dedupe key have one job", async ({ scene }) => {
  const twin = { ...loose(work), dedupeKey: "nightly" };
  const jobs = await Promise.all(
    Array.from({ length: 5 }, () => scene.db.transact((tx) => enqueueJob(tx, scene.asker, twin))),
  );
  assert.is(new Set(jobs.map(({ id }) => id)).size, 1);
});

test("lists operations newest first, and in queue order for the same time", async ({ scene }) => {
  const hub = await scene.hub(1);
  const jobs = await scene.enqueue(...Array.from({ length: 5 }, () => action(work, hub, 0)));
  await scene.db.sql("update jobs set created_at = '2026-01-01' where seq <= 3");
  await scene.db.sql("update jobs set created_at = '2026-01-02' where seq > 3");
  const page = (limit: number, before?: PageCursor) =>
    listOperations(scene.db.rows, { spokeId: hub.spokes[0]!, limit, before });
  const ids = jobs.map(({ id }) => id).reverse();
  const first = await page(3), second = await page(3, v.parse(BeforeCursor, first.next));
  assert.equal(first.items.map(({ id }) => id), ids.slice(0, 3));
  assert.equal(second.items.map(({ id }) => id), ids.slice(3));
  assert.is(second.next, null);
  const older = await page(1, { at: new Date("2026-01-02") });
  assert.equal(older.items.map(({ id }) => id), ids.slice(2, 3), "a time alone is exclusive");
});

test("cancels queued jobs immediately, and requests running jobs to stop", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [running, queued, done] = await scene.enqueue(
    action(work, hub, 0),
    install(work, hub, 0),
    action(work, hub, 0),
  );
  await insertRow(scene.db, "replicas", { id: "r", release: "x" });
  await updateRows(scene.db, "jobs", { state: "running", holder: "r" }, { id: running!.id });
  await scene.db.sql("update jobs set state = 'failed', finished_at = now() where id = $1", [done!.id]);
  const called = await scene.db.transact((tx) => cancelSpokeOperations(tx, hub.spokes[0]!));
  assert.equal(called.map(({ id, state }) => [id, state]), [[running!.id, "running"], [queued!.id, "cancelled"]]);
  assert.ok(called[0]!.cancelRequestedAt);
  assert.is((await findOperation(scene.db.rows, done!.id))!.cancelRequestedAt, null);
});

test("returns the running operation of a spoke, otherwise the oldest queued one", async ({ scene }) => {
  const hub = await scene.hub(3);
  const [, second, alone] = await scene.enqueue(action(work, hub, 0), action(work, hub, 0), action(work, hub, 1));
  await insertRow(scene.db, "replicas", { id: "r", release: "x" });
  await updateRows(scene.db, "jobs", { state: "running", holder: "r" }, { id: second!.id });
  const current = await readCurrentOperations(scene.db.rows, hub.spokes);
  assert.equal(
    [...current].map(([spoke, job]) => [spoke, job.id]).sort(),
    [
      [hub.spokes[0], second!.id],
      [hub.spokes[1], alone!.id],
    ].sort(),
  );
});

test.run();
