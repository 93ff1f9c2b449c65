/** Tests Jobs whose logs cannot be read, for example after a node was drained. Missing lines then prove nothing. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkAndEnqueueAction } from "#lib/domains/spokes/actions.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: WorkScene }>("an unreadable log of a Job");
test.before(async (context) => {
  context.scene = await openWorkScene();
  await context.scene.replica();
});
test.after(({ scene }) => scene.close());

/** Makes the logs of these Jobs unreadable until the operation has failed once. Returns the spoke's ID. */
async function unread(scene: WorkScene, kind: string, job: string, ask: () => Promise<string>): Promise<string> {
  const { faults } = scene.simulator, fault = faults.add({ type: "answer", status: 404, path: `/pods/${job}-` });
  const id = await ask();
  const failure = await until(
    async () => (await scene.operations(id)).find((one) => one.kind === kind)?.failure,
  );
  faults.remove(fault);
  assert.equal(
    [job, failure.code, (await scene.ended(id, kind)).state],
    [job, "LogUnread", "succeeded"],
    failure.message,
  );
  return id;
}

test("is retried, and not taken as a missing or unhealthy site", async ({ scene }) => {
  const hub = await scene.hub("math");
  await unread(scene, "provision", "claim", () => scene.spoke(hub, "algebra"));
  const id = await unread(scene, "provision", "setup", () => scene.spoke(hub, "logic"));
  for (
    const [action, job, parameters] of [
      ["restart", "verify", {}],
      ["restart", "health", {}],
      ["reset-admin-password", "password", {}],
      ["upgrade", "preflight", { lmsVersion: "5.2.2" }],
    ] as const
  ) {
    await unread(scene, action, job, async () => {
      await scene.db.transact((tx) => checkAndEnqueueAction(scene.app, tx, scene.actor, id, { action, parameters }));
      return id;
    });
  }
  assert.is((await scene.row(id)).state, "active");
});

test.run();
