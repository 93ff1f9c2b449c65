import { suite } from "uvu";
import * as assert from "uvu/assert";
import { catchClaimConflict, claimJob, listSupportedJobKinds, type SupportedJobKinds } from "#lib/jobs/claim.ts";
import { pollJobQueue } from "#lib/jobs/poll.ts";
import { endHeldJob, endJobInOneStatement, FenceLostError, requeueHeldJob, updateHeldJob } from "#lib/jobs/fence.ts";
import type { Job } from "#lib/jobs/job.ts";
import { rejection } from "#test/support/until.ts";
import { action, install, kind, loose, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("claimJob");
test.before.each(async (context) => {
  context.scene = await openScene();
  await context.scene.db.sql("insert into replicas (id, release) values ('r', 'x'), ('s', 'x')");
});
test.after.each(({ scene }) => scene.close());

const work = kind("work", ["one"]);
const supported = listSupportedJobKinds([work]);

async function claim(scene: Scene, job: Job, holder = "r"): Promise<Job | null> {
  const candidate = { ...job, finishedSteps: 0 };
  return await catchClaimConflict(
    scene.db.transact((tx) => claimJob(tx, candidate, supported, { holder, label: "Doing one" })),
  );
}

async function poll(scene: Scene, supported: SupportedJobKinds, limit: number) {
  return (await pollJobQueue(scene.db.rows, { supported, holder: "r", limit })).candidates;
}

test("gives a job to one of several replicas that claim it", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [job] = await scene.enqueue(action(work, hub, 0));
  const claims = await Promise.all(Array.from({ length: 5 }, (_, i) => claim(scene, job!, i % 2 ? "r" : "s")));
  assert.is(claims.filter((claimed) => claimed !== null).length, 1);
});

test("gives one job of a lane, even when two are claimed at the same time", async ({ scene }) => {
  const hub = await scene.hub(2);
  const [a, b] = await scene.enqueue(install(work, hub, 0), install(work, hub, 1));
  const claims = await Promise.all([claim(scene, a!), claim(scene, b!, "s")]);
  assert.is(claims.filter((claimed) => claimed !== null).length, 1);
  assert.is(await claim(scene, claims[0] ? b! : a!), null);
});

test("finds the oldest job of each free lane, and jobs without a lane", async ({ scene }) => {
  const [a, b] = [await scene.hub(2), await scene.hub(2)];
  const free = kind("free", ["one"], { visible: false });
  const [a0, , , b1, mail] = await scene.enqueue(
    install(work, a, 0),
    install(work, a, 1),
    install(work, b, 0),
    install(work, b, 1),
    loose(free),
  );
  await scene.db.sql("update jobs set run_at = now() + interval '1 hour' where spoke_id = $1", [b.spokes[0]]);
  const all = listSupportedJobKinds([work, free]);
  assert.equal((await poll(scene, all, 10)).map(({ id }) => id), [a0!.id, b1!.id, mail!.id]);
  assert.equal((await poll(scene, all, 1)).map(({ id }) => id), [a0!.id]);
  assert.ok(await claim(scene, a0!));
  assert.equal((await poll(scene, all, 10)).map(({ id }) => id), [b1!.id, mail!.id]);
  const { waitMs: wait } = await pollJobQueue(scene.db.rows, { supported, holder: "r", limit: 10 });
  assert.ok(wait! > 3_500_000 && wait! <= 3_600_000);
});

test("does not start jobs behind a job of an unknown kind", async ({ scene }) => {
  const hub = await scene.hub(1);
  await scene.enqueue(action(kind("unknown", ["one"]), hub, 0), action(work, hub, 0));
  assert.equal(await poll(scene, supported, 10), []);
});

test("rejects every write with an outdated fence", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [job] = await scene.enqueue(action(work, hub, 0));
  const held = await claim(scene, job!);
  await scene.db.sql("update jobs set fence = nextval('job_fences')");
  const writes = [
    () => scene.db.transact((tx) => updateHeldJob(tx, held!, { label: "x" })),
    () => scene.db.transact((tx) => endHeldJob(tx, held!, { state: "succeeded", label: "x", failure: null })),
    () => scene.db.transact((tx) => requeueHeldJob(tx, held!, { label: "x", delayMs: 0, countsAsAttempt: true })),
    () => endJobInOneStatement(scene.db.rows, held!, "one"),
  ];
  for (const write of writes) assert.instance(await rejection(write()), FenceLostError);
  const [row] = await selectRows(scene.db, "jobs", {}, { columns: ["state", "label"] });
  assert.equal(row, { state: "running", label: "Doing one" });
});

test("records a step once, and does not count an interrupted attempt", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [job] = await scene.enqueue(action(work, hub, 0));
  const held = (await claim(scene, job!))!;
  for (const _ of [1, 2]) {
    await scene.db.transact((tx) => updateHeldJob(tx, held, { stepDone: "one", progress: { a: 1 } }));
  }
  const back = await scene.db.transact((tx) =>
    requeueHeldJob(tx, held, { label: "x", delayMs: 0, countsAsAttempt: false })
  );
  assert.equal([back.finishedSteps, back.attempt, back.progress, back.holder], [["one"], 0, { a: 1 }, null]);
});

test.run();
