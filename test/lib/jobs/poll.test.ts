/** Tests polls with concurrent transactions, in each commit order in which a job could be lost. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { claimJob, listSupportedJobKinds } from "#lib/jobs/claim.ts";
import { endHeldJob, endJobInOneStatement, recordStep, requeueHeldJob, updateHeldJob } from "#lib/jobs/fence.ts";
import type { Job, NewJob } from "#lib/jobs/job.ts";
import { pollJobQueue, type PollResult } from "#lib/jobs/poll.ts";
import { requestJobCancellation } from "#lib/jobs/store.ts";
import { AWAITED_LOCKS_QUERY } from "#test/support/database.ts";
import { openQueryExplainer } from "#test/support/query-plans.ts";
import { until } from "#test/support/until.ts";
import { action, install, kind, openScene, type Scene } from "#test/lib/scheduler/scene.ts";

const test = suite<{ scene: Scene }>("pollJobQueue");
test.before.each(async (context) => {
  context.scene = await openScene();
  await context.scene.db.sql("insert into replicas (id, release) values ('r', 'x')");
});
test.after.each(({ scene }) => scene.close());

const work = kind("work", ["one"]), quiet = kind("quiet", ["one", "two"], { visible: false });
const quietIn = (lane: string): NewJob => ({ kind: quiet, lane, federationId: null, spokeId: null });

/** Polls as a replica that knows these kinds and starts `quiet` directly. */
async function poll({ db }: Scene, kinds: readonly JobKind[] = [work, quiet], limit = 10): Promise<PollResult> {
  const supported = listSupportedJobKinds(kinds, kinds.filter((one) => one === quiet));
  return await pollJobQueue(db.rows, { supported, holder: "r", limit });
}

async function pollIds(scene: Scene, kinds?: readonly JobKind[]): Promise<string[]> {
  const { started, candidates } = await poll(scene, kinds);
  return [...started, ...candidates].map(({ id }) => id);
}

async function claim({ db }: Scene, job: Job): Promise<Job> {
  const supported = listSupportedJobKinds([work]), candidate = { ...job, finishedSteps: 0 };
  return (await db.transact((tx) => claimJob(tx, candidate, supported, { holder: "r", label: "x" })))!;
}

const end = (tx: Tx, job: Job) => endHeldJob(tx, job, { state: "succeeded", label: "Done", failure: null });

/** Writes in a transaction that commits after `meanwhile` has ended. */
async function duringWrite({ db }: Scene, write: (tx: Tx) => Promise<unknown>, meanwhile: () => Promise<void>) {
  const written = Promise.withResolvers<void>(), commit = Promise.withResolvers<void>();
  const transaction = db.transact(async (tx) => {
    await write(tx);
    written.resolve();
    await commit.promise;
  });
  await written.promise;
  await meanwhile();
  commit.resolve();
  await transaction;
}

test("starts hidden jobs of many lanes, and returns the others as candidates", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [a, , b, operation] = await scene.enqueue(
    ...["a", "a", "b"].map(quietIn),
    action(work, hub, 0),
  );
  const { started, candidates, waitMs: wait } = await poll(scene);
  assert.equal(started.map(({ id, state, holder, attempt, label }) => [id, state, holder, attempt, label]), [
    [a!.id, "running", "r", 1, "Doing one"],
    [b!.id, "running", "r", 1, "Doing one"],
  ]);
  assert.ok(BigInt(started[1]!.fence) !== BigInt(started[0]!.fence) && started[0]!.deadlineAt && started[0]!.startedAt);
  assert.equal([candidates.map(({ id }) => id), wait], [[operation!.id], null]);
});

test("starts one job per lane, however many replicas poll", async ({ scene }) => {
  const lanes = Array.from({ length: 20 }, (_, i) => `lane ${i}`);
  await scene.enqueue(...[...lanes, ...lanes, ...lanes].map(quietIn));
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => poll(scene)));
  const started = results.flatMap((one) => one.status === "fulfilled" ? one.value.started : []);
  assert.is(new Set(started.map(({ lane }) => lane)).size, started.length);
  const [{ running }] = await scene.db.sql("select count(*)::int as running from jobs where state = 'running'");
  assert.is(running, started.length);
});

test("finds a job that was enqueued while the previous one ended", async ({ scene }) => {
  const first = quietIn("lane");
  await scene.enqueue(first);
  const { started: [running] } = await poll(scene);
  let second: Job | undefined;
  await duringWrite(scene, (tx) => end(tx, running!), async () => {
    [second] = await scene.enqueue(first);
    assert.equal(await pollIds(scene), []); // and removes the mark of the second one
  });
  assert.equal(await pollIds(scene), [second!.id]);
});

test("finds an operation that waited for another one of its spoke, in any lane", async ({ scene }) => {
  for (const [one, other] of [[install, action], [action, install]] as const) {
    const hub = await scene.hub(1);
    const [first] = await scene.enqueue(one(work, hub, 0));
    const running = await claim(scene, first!);
    let second: Job | undefined;
    await duringWrite(scene, (tx) => end(tx, running), async () => {
      [second] = await scene.enqueue(other(work, hub, 0));
      assert.equal(await pollIds(scene), []);
    });
    assert.equal(await pollIds(scene), [second!.id]);
    await scene.db.transact(async (tx) => await end(tx, await claim(scene, second!)));
  }
});

test("finds an install once its hub is active", async ({ scene }) => {
  const hub = await scene.hub(1, "provisioning"), needy = kind("needy", ["one"], { needsActiveHub: true });
  const [job] = await scene.enqueue(install(needy, hub, 0));
  assert.equal(await pollIds(scene, [needy]), []);
  await scene.db.sql("update federations set state = 'active'");
  assert.equal(await pollIds(scene, [needy]), [job!.id]);
});

test("finds a requeued job when it is due, and returns the time until then", async ({ scene }) => {
  await scene.enqueue(quietIn("lane"));
  const { started: [job] } = await poll(scene);
  await scene.db.transact((tx) => requeueHeldJob(tx, job!, { label: "x", delayMs: 60_000, countsAsAttempt: true }));
  const { started, waitMs: wait } = await poll(scene);
  assert.ok(started.length === 0 && wait! > 50_000 && wait! <= 60_000);
  await scene.db.shiftClock(61_000);
  assert.equal(await pollIds(scene), [job!.id]);
});

test("finds the job behind one that is cancelled while it is being started", async ({ scene }) => {
  const [first, second] = await scene.enqueue(quietIn("lane"), quietIn("lane"));
  const columns = { state: "cancelled", finishedAt: new Date() } as const;
  const cancel = (tx: Tx) => tx.updateTable("jobs").set(columns).where("id", "=", first!.id).execute();
  let polled: Promise<PollResult>;
  await duringWrite(scene, cancel, async () => {
    polled = poll(scene);
    await until(async () => (await scene.db.sql(AWAITED_LOCKS_QUERY)).length > 0);
  });
  assert.equal((await polled!).started, []);
  assert.equal(await pollIds(scene), [second!.id]);
});

test("marks a lane for the replicas that know its next job, and wakes them", async ({ scene }) => {
  const odd = kind("odd", ["one"], { visible: false });
  const [first, next] = await scene.enqueue(quietIn("lane"), { ...quietIn("lane"), kind: odd });
  const { started: [job] } = await poll(scene, [quiet]);
  assert.is(job!.id, first!.id);
  assert.equal(await pollIds(scene, [odd]), []); // the lane is busy; the poll removes the mark of this kind
  await endJobInOneStatement(scene.db.rows, job!, "one");
  const result = await poll(scene, [quiet]);
  assert.equal([result.started, result.candidates, result.wakeOthers], [[], [], true]);
  assert.equal([(await poll(scene, [quiet])).wakeOthers, await pollIds(scene, [odd])], [false, [next!.id]]);
});

test("finds the job behind a queued job of an unknown kind once that is cancelled", async ({ scene }) => {
  const odd = kind("odd", ["one"], { visible: false });
  const [first, second] = await scene.enqueue({ ...quietIn("lane"), kind: odd }, quietIn("lane"));
  assert.equal(await pollIds(scene), []); // and removes the mark of the second one
  await scene.db.transact((tx) => requestJobCancellation(tx, first!.id));
  assert.equal(await pollIds(scene), [second!.id]);
});

test("keeps the mark of a candidate that it did not start", async ({ scene }) => {
  const odd = kind("odd", ["one"], { visible: false });
  const [first] = await scene.enqueue({ ...quietIn("lane"), kind: work }, { ...quietIn("lane"), kind: odd });
  await scene.db.sql("update jobs set run_at = run_at - interval '1 hour' where kind = 'odd'");
  assert.equal(await pollIds(scene, [work, odd]), [first!.id]); // the replica then dies
  assert.equal(await pollIds(scene, [work]), [first!.id]);
});

test("removes duplicate marks of a lane, and reaches the lanes behind it", async ({ scene }) => {
  await scene.enqueue(...Array.from({ length: 300 }, () => quietIn("busy")));
  const [other] = await scene.enqueue(quietIn("other"));
  const ids: string[] = [];
  for (let more = true; more;) {
    const one = await poll(scene);
    ids.push(...one.started.map(({ id }) => id));
    more = one.hasMore;
  }
  assert.is(ids.at(-1), other!.id);
  const [{ calls }] = await scene.db.sql("select count(*)::int as calls from ready_lanes");
  assert.equal([ids.length, calls], [2, 0]);
});

test("costs the same with any number of queued jobs", async ({ scene }) => {
  const explainer = openQueryExplainer(scene.db.url), supported = listSupportedJobKinds([work]);
  const pages = async () => {
    await scene.db.sql("analyze");
    const [plan] = await explainer.explain((rows) => pollJobQueue(rows, { supported, holder: "r", limit: 10 }));
    assert.equal(plan!.scannedTables.filter((table) => table === "jobs" || table === "ready_lanes"), []);
    return plan!.buffers;
  };
  const fill = (lanes: number, jobs: number) =>
    scene.db.sql(
      `insert into jobs (id, kind, visible, lane, time_limit_ms, plan, step_names, label, requester_id, requester_email, requester_ip,
         requester_agent)
       select gen_random_uuid(), 'work', true, 'lane ' || n % ${lanes}, 1000, 1, '{one}', '', '', '', '', ''
       from generate_series(1, ${jobs}) as n`,
    );
  await fill(5_000, 5_000);
  const few = await pages();
  await fill(30_000, 30_000);
  await fill(1, 5_000);
  const many = await pages();
  await explainer.close();
  assert.ok(many <= 1.5 * few, `${few} pages with 5,000 jobs, ${many} with 40,000`);
});

test("finds jobs that manual SQL has queued, and no cancelled ones", async ({ scene }) => {
  await scene.db.sql(
    `insert into jobs (id, kind, visible, lane, time_limit_ms, plan, step_names, label, state, finished_at, requester_id,
        requester_email, requester_ip, requester_agent)
      select 'op_' || n, 'quiet', false, 'lane ' || n, 1000, 1, '{one}', '',
        case when n = 1 then 'cancelled' else 'queued' end, case when n = 1 then now() end, '', '', '', ''
      from generate_series(1, 2) as n`,
  );
  const { started } = await poll(scene);
  assert.equal(started.map(({ id }) => id), ["op_2"]);
});

test("returns null for a step that is already recorded", async ({ scene }) => {
  await scene.enqueue(quietIn("lane"));
  const { started: [job] } = await poll(scene);
  const pass = () => scene.db.transact((tx) => recordStep(tx, job!, "one", "Doing two"));
  assert.equal((await pass())?.label, "Doing two");
  assert.is(await pass(), null);
  assert.equal((await scene.db.transact((tx) => updateHeldJob(tx, job!))).finishedSteps, ["one"]);
});

test.run();
