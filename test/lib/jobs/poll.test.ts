/** Tests polls with concurrent transactions, in each commit order in which a job could be lost. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { claimJob, listSupportedKinds } from "#lib/jobs/claim.ts";
import { endHeldJob, endJobDirectly, recordStep, requeueHeldJob, updateHeldJob } from "#lib/jobs/fence.ts";
import type { Job, NewJob } from "#lib/jobs/job.ts";
import { pollQueue, type PollResult } from "#lib/jobs/poll.ts";
import { requestCancel } from "#lib/jobs/store.ts";
import { AWAITED_LOCKS_QUERY } from "#test/support/database.ts";
import { openQueryExplainer } from "#test/support/query-plans.ts";
import { until } from "#test/support/until.ts";
import { action, install, kind, openScene, type Scene } from "#test/lib/scheduler/scene.ts";

const test = suite<{ scene: Scene }>("lookForWork");
test.before.each(async (context) => {
  context.scene = await openScene();
  await context.scene.db.sql("insert into replicas (id, release) values ('r', 'x')");
});
test.after.each(({ scene }) => scene.close());

const work = kind("work", ["one"]), quiet = kind("quiet", ["one", "two"], { visible: false });
const quietIn = (lane: string): NewJob => ({ kind: quiet, lane, federationId: null, spokeId: null });

/** Polls as a replica that knows these kinds and starts `quiet` directly. */
async function look({ db }: Scene, kinds: readonly JobKind[] = [work, quiet], most = 10): Promise<PollResult> {
  const known = listSupportedKinds(kinds, kinds.filter((one) => one === quiet));
  return await pollQueue(db.rows, { supported: known, holder: "r", limit: most });
}

async function found(scene: Scene, kinds?: readonly JobKind[]): Promise<string[]> {
  const { started, candidates } = await look(scene, kinds);
  return [...started, ...candidates].map(({ id }) => id);
}

async function claim({ db }: Scene, job: Job): Promise<Job> {
  const known = listSupportedKinds([work]), candidate = { ...job, finishedSteps: 0 };
  return (await db.transact((tx) => claimJob(tx, candidate, known, { holder: "r", label: "x" })))!;
}

const end = (tx: Tx, job: Job) => endHeldJob(tx, job, { state: "succeeded", label: "Done", failure: null });

/** Writes in a transaction that commits after `meanwhile` has ended. */
async function beside({ db }: Scene, write: (tx: Tx) => Promise<unknown>, meanwhile: () => Promise<void>) {
  const written = Promise.withResolvers<void>(), commit = Promise.withResolvers<void>();
  const whole = db.transact(async (tx) => {
    await write(tx);
    written.resolve();
    await commit.promise;
  });
  await written.promise;
  await meanwhile();
  commit.resolve();
  await whole;
}

test("starts the jobs of many lanes that are nobody's operation, and tells of the others", async ({ scene }) => {
  const hub = await scene.hub(1);
  const [a, , b, operation] = await scene.enqueue(
    ...["a", "a", "b"].map(quietIn),
    action(work, hub, 0),
  );
  const { started, candidates, waitMs: wait } = await look(scene);
  assert.equal(started.map(({ id, state, holder, attempt, label }) => [id, state, holder, attempt, label]), [
    [a!.id, "running", "r", 1, "Doing one"],
    [b!.id, "running", "r", 1, "Doing one"],
  ]);
  assert.ok(BigInt(started[1]!.fence) !== BigInt(started[0]!.fence) && started[0]!.deadlineAt && started[0]!.startedAt);
  assert.equal([candidates.map(({ id }) => id), wait], [[operation!.id], null]);
});

test("starts one job a lane, however many look at once", async ({ scene }) => {
  const lanes = Array.from({ length: 20 }, (_, i) => `lane ${i}`);
  await scene.enqueue(...[...lanes, ...lanes, ...lanes].map(quietIn));
  const looks = await Promise.allSettled(Array.from({ length: 8 }, () => look(scene)));
  const started = looks.flatMap((one) => one.status === "fulfilled" ? one.value.started : []);
  assert.is(new Set(started.map(({ lane }) => lane)).size, started.length);
  const [{ running }] = await scene.db.sql("select count(*)::int as running from jobs where state = 'running'");
  assert.is(running, started.length);
});

test("finds what was enqueued while the job before it ended", async ({ scene }) => {
  const first = quietIn("lane");
  await scene.enqueue(first);
  const { started: [running] } = await look(scene);
  let second: Job | undefined;
  await beside(scene, (tx) => end(tx, running!), async () => {
    [second] = await scene.enqueue(first);
    assert.equal(await found(scene), []); // and takes the call of the second away
  });
  assert.equal(await found(scene), [second!.id]);
});

test("finds an operation that waited for another one of its spoke, in whichever lanes they are", async ({ scene }) => {
  for (const [one, other] of [[install, action], [action, install]] as const) {
    const hub = await scene.hub(1);
    const [first] = await scene.enqueue(one(work, hub, 0));
    const running = await claim(scene, first!);
    let second: Job | undefined;
    await beside(scene, (tx) => end(tx, running), async () => {
      [second] = await scene.enqueue(other(work, hub, 0));
      assert.equal(await found(scene), []);
    });
    assert.equal(await found(scene), [second!.id]);
    await scene.db.transact(async (tx) => await end(tx, await claim(scene, second!)));
  }
});

test("finds an install once its hub is active", async ({ scene }) => {
  const hub = await scene.hub(1, "provisioning"), needy = kind("needy", ["one"], { needsActiveHub: true });
  const [job] = await scene.enqueue(install(needy, hub, 0));
  assert.equal(await found(scene, [needy]), []);
  await scene.db.sql("update federations set state = 'active'");
  assert.equal(await found(scene, [needy]), [job!.id]);
});

test("finds a job that was put back when its time has come, and says when that is", async ({ scene }) => {
  await scene.enqueue(quietIn("lane"));
  const { started: [job] } = await look(scene);
  await scene.db.transact((tx) => requeueHeldJob(tx, job!, { label: "x", delayMs: 60_000, countsAsAttempt: true }));
  const { started, waitMs: wait } = await look(scene);
  assert.ok(started.length === 0 && wait! > 50_000 && wait! <= 60_000);
  await scene.db.shiftClock(61_000);
  assert.equal(await found(scene), [job!.id]);
});

test("finds what stands behind a job that is called off while it is being started", async ({ scene }) => {
  const [first, second] = await scene.enqueue(quietIn("lane"), quietIn("lane"));
  const off = { state: "cancelled", finishedAt: new Date() } as const;
  const callOff = (tx: Tx) => tx.updateTable("jobs").set(off).where("id", "=", first!.id).execute();
  let looked: Promise<PollResult>;
  await beside(scene, callOff, async () => {
    looked = look(scene);
    await until(async () => (await scene.db.sql(AWAITED_LOCKS_QUERY)).length > 0);
  });
  assert.equal((await looked!).started, []);
  assert.equal(await found(scene), [second!.id]);
});

test("hands a lane on to the replicas that know what comes next in it, and says so", async ({ scene }) => {
  const odd = kind("odd", ["one"], { visible: false });
  const [first, next] = await scene.enqueue(quietIn("lane"), { ...quietIn("lane"), kind: odd });
  const { started: [job] } = await look(scene, [quiet]);
  assert.is(job!.id, first!.id);
  assert.equal(await found(scene, [odd]), []); // it runs; and takes the call of its kind away
  await endJobDirectly(scene.db.rows, job!, "one");
  const seen = await look(scene, [quiet]);
  assert.equal([seen.started, seen.candidates, seen.wakeOthers], [[], [], true]);
  assert.equal([(await look(scene, [quiet])).wakeOthers, await found(scene, [odd])], [false, [next!.id]]);
});

test("finds what stands behind a queued job of a kind that nobody knows, once that is called off", async ({ scene }) => {
  const odd = kind("odd", ["one"], { visible: false });
  const [first, second] = await scene.enqueue({ ...quietIn("lane"), kind: odd }, quietIn("lane"));
  assert.equal(await found(scene), []); // and takes the call of the second away
  await scene.db.transact((tx) => requestCancel(tx, first!.id));
  assert.equal(await found(scene), [second!.id]);
});

test("leaves what leads other replicas to a job that it has found and not started", async ({ scene }) => {
  const odd = kind("odd", ["one"], { visible: false });
  const [first] = await scene.enqueue({ ...quietIn("lane"), kind: work }, { ...quietIn("lane"), kind: odd });
  await scene.db.sql("update jobs set run_at = run_at - interval '1 hour' where kind = 'odd'");
  assert.equal(await found(scene, [work, odd]), [first!.id]); // and dies
  assert.equal(await found(scene, [work]), [first!.id]);
});

test("takes away what calls a lane twice, and comes to the lanes behind it", async ({ scene }) => {
  await scene.enqueue(...Array.from({ length: 300 }, () => quietIn("busy")));
  const [other] = await scene.enqueue(quietIn("other"));
  const ids: string[] = [];
  for (let more = true; more;) {
    const one = await look(scene);
    ids.push(...one.started.map(({ id }) => id));
    more = one.hasMore;
  }
  assert.is(ids.at(-1), other!.id);
  const [{ calls }] = await scene.db.sql("select count(*)::int as calls from ready_lanes");
  assert.equal([ids.length, calls], [2, 0]);
});

test("costs the same whatever waits", async ({ scene }) => {
  const explainer = openQueryExplainer(scene.db.url), known = listSupportedKinds([work]);
  const pages = async () => {
    await scene.db.sql("analyze");
    const [plan] = await explainer.explain((rows) => pollQueue(rows, { supported: known, holder: "r", limit: 10 }));
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
  const { started } = await look(scene);
  assert.equal(started.map(({ id }) => id), ["op_2"]);
});

test("a step is passed once: the second time says that it was", async ({ scene }) => {
  await scene.enqueue(quietIn("lane"));
  const { started: [job] } = await look(scene);
  const pass = () => scene.db.transact((tx) => recordStep(tx, job!, "one", "Doing two"));
  assert.equal((await pass())?.label, "Doing two");
  assert.is(await pass(), null);
  assert.equal((await scene.db.transact((tx) => updateHeldJob(tx, job!))).finishedSteps, ["one"]);
});

test.run();
