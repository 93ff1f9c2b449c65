/** Tests starts and ends that a handler cannot write because of a bug. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { isFinished, type Job } from "#lib/jobs/job.ts";
import { action, kind, openScene, type Scene } from "./scene.ts";

const test = suite<{ scene: Scene }>("breakOff");
test.before(async (context) => void (context.scene = await openScene()));
test.after(({ scene }) => scene.close());

const ended = (job: Job) => isFinished(job.state);

test("ends an operation whose end cannot be recorded after some tries, says so in the row, and the lane goes on", async ({ scene }) => {
  const hub = await scene.hub(1);
  const odd = kind("odd", ["only"]), next = kind("next", ["only"]);
  let tries = 0;
  const refuse = () => Promise.reject(new ClusterError("ErrImagePull", "no such image", { transient: false }));
  const mistake = () => Promise.reject(new TypeError(`secret of ours ${++tries}`));
  await scene.db.sql("update spokes set state = 'updating' where id = $1", [hub.spokes[0]]);
  const [job, after] = await scene.enqueue(action(odd, hub, 0), action(next, hub, 0));
  await scene.open([
    { kind: odd, steps: { only: refuse }, hooks: { onFailed: mistake } },
    { kind: next, steps: { only: () => Promise.resolve() } },
  ]);
  assert.is((await scene.until(after!.id, ended)).state, "succeeded");
  const broken = await scene.until(job!.id, ended);
  assert.equal([broken.state, tries, broken.failure?.code], ["failed", 3, "internal"]);
  const [row] = await scene.db.sql("select state, health, state_reason from spokes where id = $1", [hub.spokes[0]]);
  assert.equal(row, { state: "failed", health: "unknown", stateReason: broken.failure!.message });
  assert.match(row.stateReason, /^The service could not record the result of the operation/);
  assert.not.match(JSON.stringify(broken.failure), "secret");
});

test("a start that cannot be recorded is tried again, and what stands behind it in its lane goes first", async ({ scene }) => {
  const hub = await scene.hub(1);
  const odd = kind("shy", ["only"]), next = kind("bold", ["only"]);
  let mended = false;
  const ran: string[] = [];
  const onStart = () => mended ? Promise.resolve({}) : Promise.reject(new TypeError("secret of ours"));
  const [job, after] = await scene.enqueue(action(odd, hub, 0), action(next, hub, 0));
  await scene.open([
    { kind: odd, steps: { only: () => Promise.resolve(void ran.push("odd")) }, hooks: { onStart } },
    { kind: next, steps: { only: () => Promise.resolve(void (mended = true, ran.push("next"))) } },
  ], { retry: { firstMs: 300, maxMs: 300 } });
  await scene.until(after!.id, ended);
  assert.is((await scene.until(job!.id, ended)).state, "succeeded");
  assert.equal(ran, ["next", "odd"]);
});

test("ends an operation whose start cannot be recorded after some tries: nothing was done, and its spoke is as it was", async ({ scene }) => {
  const hub = await scene.hub(1), odd = kind("stuck", ["only"]);
  let tries = 0, ran = 0;
  const mistake = () => Promise.reject(new TypeError(`secret of ours ${++tries}`));
  await scene.db.sql("update spokes set state = 'active' where id = $1", [hub.spokes[0]]);
  const [job] = await scene.enqueue(action(odd, hub, 0));
  await scene.open([{ kind: odd, steps: { only: () => Promise.resolve(void ran++) }, hooks: { onStart: mistake } }]);
  const broken = await scene.until(job!.id, ended);
  assert.equal([broken.state, tries, ran, broken.failure?.code], ["failed", 3, 0, "internal"]);
  const [row] = await scene.db.sql("select state, state_reason from spokes where id = $1", [hub.spokes[0]]);
  assert.equal(row, { state: "active", stateReason: broken.failure!.message });
  assert.match(
    row.stateReason,
    /^The service could not record the start of the operation .* The site was not changed/,
  );
  assert.not.match(JSON.stringify(broken.failure), "secret");
});

test.run();
