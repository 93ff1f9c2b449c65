/** Installations that a release before has begun, or enqueued: they end by the plan that they were made for. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { provisionVersion1 } from "#lib/operations/provision.ts";
import { describeSteps } from "#lib/jobs/steps.ts";
import { showOperation } from "#lib/domains/operations/show.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";

const test = suite<{ scene: WorkScene }>("an installation of plan 1");
test.before.each(async (context) => void (context.scene = await openWorkScene()));
test.after.each(({ scene }) => scene.close());

const NAMES = provisionVersion1.kind.steps.map(({ name }) => name);

/** Queues a job as that release would, with these steps done. */
async function enqueue(scene: WorkScene, done: readonly string[] = []): Promise<string> {
  const id = await scene.spoke(await scene.hub("math"), "algebra");
  await scene.db.sql("update jobs set plan = 1, step_names = $1, steps_done = $2 where spoke_id = $3", [
    NAMES,
    done,
    id,
  ]);
  await scene.db.sql("update lane_calls set plan = 1 where kind = 'provision'");
  return id;
}

test("is made whole, step by step of its own plan", async ({ scene }) => {
  const id = await enqueue(scene);
  await scene.replica();
  const row = await scene.becomes(id, "active", "failed");
  const [job] = await scene.operations(id);
  assert.equal([row.state, job!.plan, job!.stepsDone], ["active", 1, NAMES]);
  assert.match(row.siteIdentifier!, /^\w{32}/);
  assert.match(job!.progress.notes.at(-1), /sign-in-link/);
  const { email } = scene.simulator.site(row.namespace).database!.accounts!.admin!;
  assert.is(email, row.adminEmail);
});

test("shows its steps in its own plan's words, and waits for no other release", async ({ scene }) => {
  const id = await enqueue(scene);
  const [job] = await scene.operations(id);
  assert.not.match((await showOperation(scene.db.rows, scene.actor, job!)).label, /release/);
  assert.equal(
    describeSteps(job!).map(({ label }) => label).slice(-2),
    ["Opening the site to the web", "Checking the site's login page"],
  );
});

test("goes on with what an earlier holder of its own release had done", async ({ scene }) => {
  const first = await scene.spoke(await scene.hub("chem"), "acids");
  const replica = await scene.replica();
  await scene.becomes(first, "active");
  await replica.close();
  await scene.db.sql(
    `update jobs set plan = 1, step_names = $1, steps_done = $2, state = 'queued', finished_at = null, label = 'x'
     where spoke_id = $3`,
    [NAMES, NAMES.slice(0, NAMES.indexOf("seed")), first],
  );
  await scene.db.sql("update spokes set state = 'provisioning' where id = $1", [first]);
  await scene.replica();
  assert.is((await scene.becomes(first, "active", "failed")).state, "active");
  assert.equal((await scene.operations(first))[0]!.stepsDone, NAMES);
});

test.run();
