import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JobKind } from "#lib/operations/plan.ts";
import { claimJob, listSupportedJobKinds } from "#lib/jobs/claim.ts";
import { endHeldJob, recordStep } from "#lib/jobs/fence.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { describeSteps } from "#lib/jobs/steps.ts";
import { findOperation } from "#lib/jobs/store.ts";
import { restart } from "#lib/operations/restart.ts";
import { MINUTE } from "#lib/base/time.ts";
import { action, kind, openScene, type Scene } from "#test/lib/scheduler/scene.ts";
import { updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("describeSteps");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const work = kind("work", ["one", "two", "three"]);

async function begin(scene: Scene, of: JobKind = work): Promise<Job> {
  const [job] = await scene.enqueue(action(of, await scene.hub(1), 0));
  await scene.db.sql(
    "insert into replicas (id, release, heartbeat_at) values ('dead', 'x', now() - interval '5 seconds')",
  );
  const claim = { holder: "dead", label: "" }, candidate = { ...job!, finishedSteps: 0 };
  return (await scene.db.transact((tx) => claimJob(tx, candidate, listSupportedJobKinds([of]), claim)))!;
}

/** Ends the step this many minutes after the start of the test. */
async function pass(scene: Scene, job: Job, step: string, minutes: number): Promise<Job | null> {
  await scene.db.shiftClock(minutes * MINUTE);
  return await scene.db.transact((tx) => recordStep(tx, job, step, ""));
}

async function stepsOf(scene: Scene, { id }: Job) {
  const job = (await findOperation(scene.db.rows, id))!;
  const times = describeSteps(job).map(({ startedAt, finishedAt }) => [startedAt, finishedAt]);
  return { job, times };
}

test("starts each step at the end of the previous one", async ({ scene }) => {
  const held = await begin(scene);
  await pass(scene, held, "one", 1);
  const underWay = await stepsOf(scene, held);
  const end = underWay.times[0]![1] as Date;
  assert.ok(end > held.startedAt!);
  assert.equal(underWay.times, [[held.startedAt, end], [end, null], [null, null]]);
  await pass(scene, held, "two", 2);
  await scene.db.transact((tx) =>
    endHeldJob(tx, held, { state: "succeeded", label: "Done", failure: null, stepDone: "three" })
  );
  const { job, times } = await stepsOf(scene, held);
  const second = times[1]![1] as Date;
  assert.ok(second > end && second <= job.finishedAt!);
  assert.equal(times, [[job.startedAt, end], [end, second], [second, job.finishedAt]]);
});

for (const state of ["failed", "cancelled"] as const) {
  test(`the step that was ${state} ends with the operation, and none begins after it`, async ({ scene }) => {
    const held = await begin(scene);
    await pass(scene, held, "one", 1);
    await scene.db.shiftClock(2 * MINUTE);
    await scene.db.transact((tx) => endHeldJob(tx, held, { state, label: "Over", failure: null }));
    const { job, times } = await stepsOf(scene, held), end = times[0]![1];
    assert.ok(job.finishedAt! > (end as Date));
    assert.equal(times, [[job.startedAt, end], [end, job.finishedAt], [null, null]]);
  });
}

test("keeps recorded step times after a repeated record and a takeover", async ({ scene }) => {
  const held = await begin(scene);
  await pass(scene, held, "one", 1);
  const before = (await stepsOf(scene, held)).times;
  assert.is(await pass(scene, held, "one", 2), null);
  assert.equal((await stepsOf(scene, held)).times, before);
  const step = () => Promise.resolve();
  await scene.open([{ kind: work, steps: { one: step, two: step, three: step } }]);
  await scene.until(held.id, (job) => isFinalJobState(job.state));
  const { job, times: [first, second, third] } = await stepsOf(scene, held);
  assert.equal([first, second![0], third![1]], [before[0], first![1], job.finishedAt]);
});

test("returns null for times that an older release did not record", async ({ scene }) => {
  const held = await begin(scene);
  await updateRows(scene.db, "jobs", { finishedSteps: "{one}" });
  await pass(scene, held, "two", 1);
  const { times: [first, second, third] } = await stepsOf(scene, held);
  assert.equal([first, second![0], third], [[held.startedAt, null], null, [second![1], null]]);
  assert.instance(second![1], Date);
});

test("labels steps as declared, and by name if no plan has them", async ({ scene }) => {
  const [, known] = restart.kind.steps;
  const held = await begin(scene, kind("restart", ["of-old", known!.name]));
  const steps = describeSteps(held).map(({ name, label }) => [name, label]);
  assert.equal(steps, [["of-old", "of-old"], [known!.name, known!.label]]);
});

test("returns no times for an operation that has not started", async ({ scene }) => {
  const [job] = await scene.enqueue(action(work, await scene.hub(1), 0));
  assert.equal((await stepsOf(scene, job!)).times, [[null, null], [null, null], [null, null]]);
});

test.run();
