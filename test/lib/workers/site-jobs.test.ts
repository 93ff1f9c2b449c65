/** Jobs whose logs cannot be read, as where a node was drained: what a log lacks then says nothing of the site. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { acceptAction } from "#lib/domains/spokes/actions.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { until } from "#test/support/until.ts";

const test = suite<{ scene: WorkScene }>("a Job's log that cannot be read");
test.before(async (context) => {
  context.scene = await openWorkScene();
  await context.scene.replica();
});
test.after(({ scene }) => scene.close());

/** Has these Jobs' logs answered as those of pods that are gone, until what is asked was tried so; gives back its spoke. */
async function unread(scene: WorkScene, kind: string, job: string, ask: () => Promise<string>): Promise<string> {
  const { faults } = scene.simulator, fault = faults.add({ type: "answer", status: 404, path: `/pods/${job}-` });
  const id = await ask();
  const tried = await until(async () => (await scene.operations(id)).find((one) => one.kind === kind)?.failure, 60_000);
  faults.remove(fault);
  assert.equal([job, tried.code, (await scene.ended(id, kind)).state], [job, "LogUnread", "succeeded"], tried.message);
  return id;
}

test("is tried again, and takes no site for lost, none for ill and none for unfinished", async ({ scene }) => {
  const hub = await scene.hub("math");
  await unread(scene, "provision", "claim", () => scene.spoke(hub, "algebra"));
  const id = await unread(scene, "provision", "setup", () => scene.spoke(hub, "logic"));
  for (
    const [action, job, wish] of [
      ["restart", "verify", {}],
      ["restart", "health", {}],
      ["reset-admin-password", "password", {}],
      ["upgrade", "preflight", { lmsVersion: "5.2.2" }],
    ] as const
  ) {
    await unread(scene, action, job, async () => {
      await scene.db.transact((tx) => acceptAction(scene.app, tx, scene.actor, id, { action, parameters: wish }));
      return id;
    });
  }
  assert.is((await scene.row(id)).state, "active");
});

test.run();
