import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeOperation, describeOperations } from "#lib/jobs/operation.ts";
import { findOperation, listOperations } from "#lib/jobs/store.ts";
import { openQueryExplainer } from "#test/support/query-plans.ts";
import { action, type Hub, install, kind, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { insertRow, NOW, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("describeOperations");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const work = kind("work", ["one", "two", "three"]);

/** Returns views of all operations of the hub, oldest first. */
async function views(scene: Scene, hub: Hub, visible?: (spokeId: string | null) => boolean) {
  const jobs = [...(await listOperations(scene.db.rows, { federationId: hub.id, limit: 100 })).items].reverse();
  return await describeOperations(scene.db.rows, jobs, visible && ((job) => visible(job.spokeId)));
}

async function run(scene: Scene, spokeId: string, since = "0 seconds"): Promise<void> {
  await scene.db.sql("insert into replicas (id, release) values ('r', 'x') on conflict do nothing");
  await scene.db.sql(
    `update jobs set state = 'running', holder = 'r', started_at = now() - $2::interval, label = 'Doing two',
       finished_steps = '{one}', attempt = 1 where spoke_id = $1`,
    [spokeId, since],
  );
}

test("shows the position in the lane and the operation ahead", async ({ scene }) => {
  const hub = await scene.hub(3);
  await scene.enqueue(...hub.spokes.map((_, i) => install(work, hub, i)));
  await run(scene, hub.spokes[0]!);
  const [first, second, third] = await views(scene, hub);
  assert.equal([first!.position, first!.waitingFor, first!.step, first!.of], [null, null, 2, 3]);
  assert.equal([second!.position, second!.step], [2, 0]);
  assert.equal([second!.waitingFor?.id, second!.waitingFor?.label, second!.waitingFor?.step], [
    first!.id,
    "Doing two",
    2,
  ]);
  assert.equal([third!.position, third!.waitingFor?.id], [3, first!.id]);
});

test("reads only its own lane, however many jobs other lanes have", async ({ scene }) => {
  const hub = await scene.hub(2);
  await scene.enqueue(...hub.spokes.map((_, i) => install(work, hub, i)));
  const other = `jsonb_build_object('id', 'op_' || n, 'lane', 'hub:' || n % 500, 'spoke_id', null, 'seq', 1000 + n)`;
  const copies = `insert into jobs overriding system value select copy.* from jobs as model
    cross join generate_series(1, 5000) as n cross join lateral jsonb_populate_record(model, ${other}) as copy
    where model.id = (select min(id) from jobs)`;
  const over = "update jobs set state = 'cancelled', finished_at = now() where seq > 1000 and seq % 2 = 0";
  for (const statement of [copies, over, "analyze jobs"]) {
    await scene.db.sql(statement);
  }
  const explainer = openQueryExplainer(scene.db.url);
  const plans = await explainer.explain(async (rows) => {
    await describeOperations(rows, (await listOperations(rows, { federationId: hub.id, limit: 1 })).items);
  });
  await explainer.close();
  const { buffers } = plans.find(({ query }) => query.includes("placed"))!;
  assert.ok(buffers < 40, `${buffers} pages`);
});

test("shows position 1 for the first operation", async ({ scene }) => {
  const hub = await scene.hub(1);
  await scene.enqueue(action(work, hub, 0));
  const [view] = await views(scene, hub);
  assert.equal([view!.position, view!.waitingFor, view!.etaSeconds], [1, null, null]);
});

test("waits for an operation of the same spoke in another lane", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [running, queued] = await scene.enqueue(install(work, hub, 0), action(work, hub, 0));
  await insertRow(scene.db, "replicas", { id: "r", release: "x" });
  await updateRows(scene.db, "jobs", { state: "running", holder: "r" }, { id: running!.id });
  const view = (await views(scene, hub)).find(({ id }) => id === queued!.id);
  assert.equal([view!.position, view!.waitingFor?.id], [1, running!.id]);
});

test("hides operations that the caller cannot see", async ({ scene }) => {
  const hub = await scene.hub(2);
  await scene.enqueue(install(work, hub, 0), install(work, hub, 1));
  const [, second] = await views(scene, hub, (spokeId) => spokeId === hub.spokes[1]);
  assert.equal([second!.position, second!.waitingFor], [2, null]);
});

test("estimates the time from the median of past runs, including operations ahead", async ({ scene }) => {
  const hub = await scene.hub(3);
  const past = await scene.enqueue(...[0, 1, 2].map((i) => install(work, hub, i)));
  for (const [i, seconds] of [10, 60, 5000].entries()) {
    await scene.db.sql(
      `update jobs set state = 'succeeded', started_at = now() - $2::float8 * interval '1 second', finished_at = now()
       where id = $1`,
      [past[i]!.id, seconds],
    );
  }
  await scene.enqueue(install(work, hub, 0), install(work, hub, 1));
  await insertRow(scene.db, "replicas", { id: "r", release: "x" });
  await scene.db.sql(
    `update jobs set state = 'running', holder = 'r', started_at = now() - interval '1 hour' where seq = 4`,
  );
  const [running, queued] = (await views(scene, hub)).slice(3);
  assert.equal([running!.etaSeconds, queued!.etaSeconds], [0, 60]);
});

test("gives no estimate while the cluster is unavailable, also for operations behind", async ({ scene }) => {
  const hub = await scene.hub(3);
  const [past] = await scene.enqueue(install(work, hub, 0));
  await scene.db.sql(
    "update jobs set state = 'succeeded', started_at = now() - interval '60 seconds', finished_at = now() where id = $1",
    [past!.id],
  );
  const [first] = await scene.enqueue(install(work, hub, 1), install(work, hub, 2));
  const estimates = async () => (await views(scene, hub)).slice(1).map(({ etaSeconds }) => etaSeconds);
  assert.equal(await estimates(), [60, 120]);
  const fail = (code: string, done = "{}") =>
    scene.db.sql("update jobs set failure = $2::text::jsonb, finished_steps = $3::text[] where id = $1", [
      ...[first!.id, JSON.stringify({ step: "one", code }), done],
    ]);
  for (const code of ["unreachable", "TooManyRequests"]) {
    await fail(code);
    assert.equal(await estimates(), [null, null], code);
  }
  await fail("unreachable", "{one}");
  assert.equal(await estimates(), [60, 120], "it went on since");
  await fail("ImagePull");
  assert.equal(await estimates(), [60, 120]);
});

test("gives no estimate for a kind that has never succeeded", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [job] = await scene.enqueue(action(work, hub, 0));
  await insertRow(scene.db, "replicas", { id: "r", release: "x" });
  await updateRows(scene.db, "jobs", { state: "running", holder: "r", startedAt: NOW }, { id: job!.id });
  const [view] = await views(scene, hub);
  assert.is(view!.etaSeconds, null);
});

test("returns logs and events only for a single operation", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [job] = await scene.enqueue(action(work, hub, 0));
  const failure = {
    step: "one",
    code: "ErrImagePull",
    fault: "operator",
    message: "no such image",
    hint: null,
    log: ["line"],
    events: [{ at: "2026-01-01T00:00:00.000Z", object: "Pod/x", reason: "Failed", message: "m", count: 2 }],
  };
  await scene.db.sql("update jobs set state = 'failed', finished_at = now(), failure = $2::text::jsonb where id = $1", [
    job!.id,
    JSON.stringify(failure),
  ]);
  const [failed] = (await listOperations(scene.db.rows, { spokeId: hub.spokes[0]!, limit: 1 })).items;
  const { log, events, ...brief } = failure;
  assert.equal((await describeOperations(scene.db.rows, [failed!]))[0]!.error, brief);
  assert.equal(failed!.failure, { ...failure, log: [], events: [] }, "of many they are not even read");
  const alone = await findOperation(scene.db.rows, job!.id);
  assert.equal((await describeOperation(scene.db.rows, alone!)).error, { ...brief, log, events });
});

test.run();
