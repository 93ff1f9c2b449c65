/** Tests that a site with single sign-on is protected when it is created, reapplied and restored. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createSpoke } from "#lib/domains/spokes/create.ts";
import { openWorkScene, type WorkScene } from "#test/lib/workers/scene.ts";
import { backUp, runAction, runRestore } from "#test/lib/recovery/restore/scene.ts";

const test = suite<{ scene: WorkScene }>("a site with single sign-on");
test.before(async (context) => {
  context.scene = await openWorkScene();
  await context.scene.replica();
});
test.after(({ scene }) => scene.close());

/** Returns how often the Job has run in the spoke's namespace. */
async function protections(scene: WorkScene, id: string): Promise<number> {
  const { namespace } = await scene.row(id);
  const jobs = scene.simulator.writes().filter(({ method, path, status }) =>
    method === "DELETE" && status < 300 && path.includes(`/namespaces/${namespace}/jobs/protect-sign-in-`)
  );
  return jobs.length;
}

async function create(scene: WorkScene, identity: boolean): Promise<string> {
  const hub = await scene.hub(`hub-${identity}`);
  const { id } = await createSpoke(
    scene.app,
    scene.actor,
    hub,
    { slug: "ash", size: "small", identity } as never,
    null,
  );
  await scene.becomes(id, "active", "failed");
  return id;
}

test("is protected by an installation, a reapply and a restore", async ({ scene }) => {
  const id = await create(scene, true);
  assert.equal([(await scene.row(id)).stateReason, await protections(scene, id)], [null, 1]);
  assert.is((await runAction(scene, id, "reapply")).state, "succeeded");
  assert.is(await protections(scene, id), 2);
  await backUp(scene, id);
  assert.is((await runRestore(scene, id)).state, "succeeded");
  assert.is(await protections(scene, id), 3);
});

test("needs nothing without single sign-on", async ({ scene }) => {
  assert.is(await protections(scene, await create(scene, false)), 0);
});

test.run();
