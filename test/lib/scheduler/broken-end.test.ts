/** Tests starts and ends that a handler cannot write because of a bug. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { isFinalJobState, type Job } from "#lib/jobs/job.ts";
import { action, kind, openScene, type Scene } from "./scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("endStoppedRun");
test.before(async (context) => void (context.scene = await openScene()));
test.after(({ scene }) => scene.close());

const ended = (job: Job) => isFinalJobState(job.state);

test("fails an operation whose end cannot be recorded after several attempts, and frees the lane", async ({ scene }) => {
  const hub = await scene.hub(1);
  const odd = kind("odd", ["only"]), next = kind("next", ["only"]);
  let attempts = 0;
  const refuse = () => Promise.reject(new ClusterError("ErrImagePull", "no such image", { transient: false }));
  const mistake = () => Promise.reject(new TypeError(`secret of ours ${++attempts}`));
  await updateRows(scene.db, "spokes", { state: "updating" }, { id: hub.spokes[0] });
  const [job, after] = await scene.enqueue(action(odd, hub, 0), action(next, hub, 0));
  await scene.open([
    { kind: odd, steps: { only: refuse }, hooks: { onFailed: mistake } },
    { kind: next, steps: { only: () => Promise.resolve() } },
  ]);
  assert.is((await scene.until(after!.id, ended)).state, "succeeded");
  const broken = await scene.until(job!.id, ended);
  assert.equal([broken.state, attempts, broken.failure?.code], ["failed", 3, "internal"]);
  const [row] = await selectRows(scene.db, "spokes", { id: hub.spokes[0] }, {
    columns: ["state", "health", "stateReason"],
  });
  assert.equal(row, { state: "failed", health: "unknown", stateReason: broken.failure!.message });
  assert.match(row.stateReason!, /^The service could not record the result of the operation/);
  assert.not.match(JSON.stringify(broken.failure), "secret");
});

test("retries a start that cannot be recorded, and runs the jobs behind it first", async ({ scene }) => {
  const hub = await scene.hub(1);
  const odd = kind("shy", ["only"]), next = kind("bold", ["only"]);
  let isFixed = false;
  const ran: string[] = [];
  const onStart = () => isFixed ? Promise.resolve({}) : Promise.reject(new TypeError("secret of ours"));
  const [job, after] = await scene.enqueue(action(odd, hub, 0), action(next, hub, 0));
  await scene.open([
    { kind: odd, steps: { only: () => Promise.resolve(void ran.push("odd")) }, hooks: { onStart } },
    { kind: next, steps: { only: () => Promise.resolve(void (isFixed = true, ran.push("next"))) } },
  ], { retry: { firstMs: 300, maxMs: 300 } });
  await scene.until(after!.id, ended);
  assert.is((await scene.until(job!.id, ended)).state, "succeeded");
  assert.equal(ran, ["next", "odd"]);
});

test("fails an operation whose start cannot be recorded after several attempts, without a change of the spoke", async ({ scene }) => {
  const hub = await scene.hub(1), odd = kind("stuck", ["only"]);
  let attempts = 0, ran = 0;
  const mistake = () => Promise.reject(new TypeError(`secret of ours ${++attempts}`));
  await updateRows(scene.db, "spokes", { state: "active" }, { id: hub.spokes[0] });
  const [job] = await scene.enqueue(action(odd, hub, 0));
  await scene.open([{ kind: odd, steps: { only: () => Promise.resolve(void ran++) }, hooks: { onStart: mistake } }]);
  const broken = await scene.until(job!.id, ended);
  assert.equal([broken.state, attempts, ran, broken.failure?.code], ["failed", 3, 0, "internal"]);
  const [row] = await selectRows(scene.db, "spokes", { id: hub.spokes[0] }, { columns: ["state", "stateReason"] });
  assert.equal(row, { state: "active", stateReason: broken.failure!.message });
  assert.match(
    row.stateReason!,
    /^The service could not record the start of the operation .* The site was not changed/,
  );
  assert.not.match(JSON.stringify(broken.failure), "secret");
});

test.run();
