/** Tests jobs whose stored data differs from what their kind declares. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { createJob, isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { declareJobKind } from "#lib/operations/plan.ts";
import { createHandler } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/base/time.ts";
import { type Hub, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene; hub: Hub }>("startRun of a job with other data");
test.before(async (context) => {
  context.scene = await openScene();
  context.hub = await context.scene.hub(1);
});
test.after(({ scene }) => scene.close());

const rules = {
  steps: { only: ["Working", MINUTE] },
  timeLimit: MINUTE,
  payload: v.object({ target: v.object({ version: v.string() }) }),
  progress: { plan: v.object({ size: v.number() }) },
} as const;
const visible = declareJobKind({ ...rules, kind: "move", visible: true });
const persistent = declareJobKind({ ...rules, kind: "clean", persistent: true });

async function enqueue({ scene, hub }: { scene: Scene; hub: Hub }, kind: typeof visible, progress: object) {
  const lane = `spoke:${hub.spokes[0]}`;
  const about = { lane, federationId: hub.id, spokeId: hub.spokes[0]! };
  const [job] = await scene.enqueue(createJob(kind, { target: { version: "4.5" } }, about));
  await scene.db.sql("update jobs set progress = $2::text::jsonb where id = $1", [job!.id, JSON.stringify(progress)]);
  return job!;
}

test("fails before its first step, names the value without showing it, and keeps the data", async (context) => {
  const { scene, hub } = context, stored = { plan: { size: "a secret" }, later: true };
  await scene.db.sql("update spokes set state = 'updating' where id = $1", [hub.spokes[0]]);
  const job = await enqueue(context, visible, stored);
  const called: string[] = [];
  const hook = (name: string) => () => {
    called.push(name);
    return Promise.resolve({});
  };
  await scene.open([createHandler({
    kind: visible,
    steps: { only: () => Promise.resolve(void called.push("step")) },
    hooks: { onSucceeded: hook("onSucceeded"), onFailed: hook("onFailed"), onCancelled: hook("onCancelled") },
  })]);
  const { state, failure, progress, attempt } = await scene.until(job.id, ended);
  assert.equal([state, attempt, called], ["failed", 1, []]);
  assert.equal([failure?.code, failure?.step, failure?.fault], ["JobDataInvalid", "only", "operator"]);
  assert.is(failure?.message, `The stored data of move ${job.id} cannot be read: progress.plan.size must be number`);
  assert.match(failure!.hint!, /^Another release of Wheelwright wrote this data/);
  assert.equal(progress, stored);
  const [spoke] = await scene.db.sql("select state, state_reason from spokes where id = $1", [hub.spokes[0]]);
  assert.equal(spoke, { state: "failed", stateReason: failure!.message });
});

test("waits for a release that reads the data if its kind is persistent", async (context) => {
  const { scene } = context, job = await enqueue(context, persistent, { plan: null });
  const sizes: (number | undefined)[] = [];
  await scene.open([createHandler({
    kind: persistent,
    steps: { only: (run) => Promise.resolve(void sizes.push(run.job.progress.plan?.size)) },
  })]);
  const waiting = await scene.until(job.id, ({ attempt, failure }) => failure !== null && attempt > 1);
  assert.equal([waiting.failure!.code, isFinalJobState(waiting.state)], ["JobDataInvalid", false]);
  await scene.db.sql(`update jobs set progress = '{"plan": {"size": 3}}' where id = $1`, [job.id]);
  assert.is((await scene.until(job.id, ended)).state, "succeeded");
  assert.equal(sizes, [3]);
});

const ended = ({ state }: Job) => isFinalJobState(state);

test.run();
