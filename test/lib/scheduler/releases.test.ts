/** Tests two releases on one database: each job is run by the plan that it was created for. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { HOUR } from "#lib/base/time.ts";
import { action, install, kind, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene }>("openScheduler with two releases");
test.before.each(async (context) => void (context.scene = await openScene()));
test.after.each(({ scene }) => scene.close());

const ended = (job: Job) => isFinalJobState(job.state);
const older = kind("build", ["dig", "pour"]);
const newer = kind("build", ["survey", "dig", "pour"], { plan: 2 });

/** Records which release ran which step of which job. */
function handlerOf(plan: JobKind, release: string, log: string[][]): JobHandler {
  const step = (name: string) => async ({ job }: { job: Job }) => void log.push([job.id, name, release]);
  return { kind: plan, steps: Object.fromEntries(plan.steps.map(({ name }) => [name, step(name)])) };
}

test("finishes older jobs with the older plan, and starts new jobs with the newer plan", async ({ scene }) => {
  const hub = await scene.hub(2);
  const [begun] = await scene.enqueue(install(older, hub, 0));
  const [fresh] = await scene.enqueue(install(newer, hub, 1));
  await scene.db.sql(
    "insert into replicas (id, release, heartbeat_at) values ('old', '1', now() - interval '5 seconds')",
  );
  await scene.db.sql(
    `update jobs set state = 'running', holder = 'old', fence = nextval('job_fences'), attempt = 1,
       finished_steps = '{dig}', started_at = now(), deadline_at = now() + interval '1 hour' where id = $1`,
    [begun!.id],
  );
  const log: string[][] = [];
  await scene.open([handlerOf(older, "new", log), handlerOf(newer, "new", log)]);
  for (const job of [begun, fresh]) assert.is((await scene.until(job!.id, ended)).state, "succeeded");
  assert.equal(log, [[begun!.id, "pour", "new"], ...["survey", "dig", "pour"].map((step) => [fresh!.id, step, "new"])]);
});

test("runs the jobs of each release while both are running", async ({ scene }) => {
  const hub = await scene.hub(12);
  const plans = hub.spokes.map((_, i) => i % 2 === 0 ? older : newer);
  const log: string[][] = [];
  await scene.open([handlerOf(older, "old", log)]);
  await scene.open([handlerOf(older, "new", log), handlerOf(newer, "new", log)]);
  const jobs = await scene.enqueue(...plans.map((plan, i) => action(plan, hub, i)));
  for (const { id } of jobs) assert.is((await scene.until(id, ended)).state, "succeeded");
  jobs.forEach(({ id }, i) => {
    const own = log.filter(([job]) => job === id);
    assert.equal(own.map(([, step]) => step), plans[i]!.steps.map(({ name }) => name));
    if (plans[i] === newer) assert.equal(new Set(own.map(([, , release]) => release)), new Set(["new"]));
  });
});

test("continues a repeated kind with the newer plan, without waiting for an older run", async ({ scene }) => {
  const daily = { visible: false, repeatEvery: 24 * HOUR };
  const before = kind("sweep", ["only"], daily), after = { ...before, plan: 2 };
  const log: string[][] = [];
  const old = await scene.open([handlerOf(before, "old", log)]);
  await scene.until((await runOf(scene, 1)).id, ended);
  await old.close();
  await scene.open([handlerOf(after, "new", log)]);
  await scene.until((await runOf(scene, 2)).id, ended);
  assert.equal(log.map(([, , release]) => release), ["old", "new"]);
  const left = await scene.db.sql("select plan, count(*)::int as runs from jobs where state = 'queued' group by plan");
  assert.equal(left, [{ plan: 2, runs: 1 }]);
});

/** The first run of this plan. */
async function runOf(scene: Scene, plan: number): Promise<{ id: string }> {
  const [row] = await scene.db.sql("select id from jobs where plan = $1 order by seq limit 1", [plan]);
  return row;
}

test.run();
