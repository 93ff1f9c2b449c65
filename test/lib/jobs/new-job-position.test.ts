import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readNewJobPosition } from "#lib/jobs/new-job-position.ts";
import { type JobQueuePosition, readQueuePositions } from "#lib/jobs/queue.ts";
import { enqueueJob } from "#lib/jobs/store.ts";
import { type Hub, install, kind, openScene, type Scene } from "#test/lib/scheduler/scene.ts";

const test = suite<{ scene: Scene }>("readNewJobPosition");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const provision = kind("provision", ["one", "two"]), other = kind("other", ["one"]);

/** Enqueues a job, and returns its position if the query for any job returns the same. */
async function position({ db, asker }: Scene, hub: Hub): Promise<JobQueuePosition> {
  return await db.transact(async (tx) => {
    const job = await enqueueJob(tx, asker, install(provision, hub, hub.spokes.length - 1));
    const found = await readNewJobPosition(tx, job);
    assert.equal(found, (await readQueuePositions(tx, [job.id])).get(job.id));
    return found;
  });
}

async function succeed({ db }: Scene, id: string, seconds: number): Promise<void> {
  await db.sql(
    `update jobs set state = 'succeeded', holder = null, started_at = now() - $2::float8 * interval '1 second', finished_at = now()
     where id = $1`,
    [id, seconds],
  );
}

async function run({ db }: Scene, id: string, since: string): Promise<void> {
  await db.sql("insert into replicas (id, release) values ('r', 'x') on conflict do nothing");
  await db.sql(
    "update jobs set state = 'running', holder = 'r', started_at = now() - $2::interval, attempt = 1 where id = $1",
    [id, since],
  );
}

test("returns position 1 and no estimate for the first job of its kind", async ({ scene }) => {
  assert.equal(await position(scene, await scene.hub(1)), {
    position: 1,
    etaSeconds: null,
    waitingFor: null,
    nextAttemptAt: null,
    hubState: null,
    waitsForTurn: false,
  });
});

test("counts the jobs ahead, and waits for the last of them", async ({ scene }) => {
  const hub = await scene.hub(4), elsewhere = await scene.hub(1);
  const ahead = await scene.enqueue(install(other, hub, 0), install(provision, hub, 1), install(other, hub, 2));
  await scene.enqueue(install(provision, elsewhere, 0));
  const found = await position(scene, hub);
  assert.equal([found.position, found.waitingFor?.id], [4, ahead[2]!.id]);
});

test("waits for the running job, and adds up the medians of all kinds ahead", async ({ scene }) => {
  const hub = await scene.hub(5);
  const past = await scene.enqueue(install(other, hub, 0), install(provision, hub, 1));
  await succeed(scene, past[0]!.id, 100);
  await succeed(scene, past[1]!.id, 1000);
  const [first, second] = await scene.enqueue(install(other, hub, 0), install(provision, hub, 1));
  await run(scene, first!.id, "1 hour");
  const found = await position(scene, hub);
  assert.equal([found.position, found.waitingFor?.id, found.etaSeconds], [3, first!.id, 2000]);
  await succeed(scene, first!.id, 100);
  await run(scene, second!.id, "-1 hour");
  assert.is((await position(scene, hub)).etaSeconds! > 4600, true, "the running job has not used up its time");
});

test("gives no estimate while a job ahead waits for its cluster", async ({ scene }) => {
  const hub = await scene.hub(3);
  const [past] = await scene.enqueue(install(provision, hub, 0));
  await succeed(scene, past!.id, 60);
  const [ahead] = await scene.enqueue(install(provision, hub, 1));
  await scene.db.sql("update jobs set failure = $2::text::jsonb where id = $1", [
    ahead!.id,
    JSON.stringify({ step: "one", code: "unreachable" }),
  ]);
  assert.is((await position(scene, hub)).etaSeconds, null);
});

test("waits for the setup of its hub", async ({ scene }) => {
  const hub = await scene.hub(1, "provisioning");
  const [setup] = await scene.enqueue({ ...install(other, hub, 0), lane: null, spokeId: null });
  const found = await position(scene, hub);
  assert.equal([found.hubState, found.waitingFor?.id], ["provisioning", setup!.id]);
});

test.run();
