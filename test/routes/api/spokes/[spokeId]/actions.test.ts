import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("POST /api/spokes/{id}/actions");
test.before.each(async (context) => {
  context.scene = await openScene();
});
test.after.each(({ scene }) => scene.close());

test("answers 202 with the spoke on its way", async ({ scene }) => {
  for (const [action, state] of [["suspend", "suspending"], ["resume", "suspending"]] as const) {
    const { status, body } = await scene.as("spokeAdmin", "cli").post(`/api/spokes/${scene.spoke}/actions`, { action });
    assert.equal([status, body.id, body.state, body.operation.kind], [202, scene.spoke, state, "suspend"]);
  }
});

test("is 409 where the state does not allow it, and says which does", async ({ scene }) => {
  await scene.db.sql("update spokes set state = 'provisioning' where id = $1", [scene.spoke]);
  const { status, body } = await scene.as("operator").post(`/api/spokes/${scene.spoke}/actions`, { action: "suspend" });
  assert.equal(body, {
    statusCode: 409,
    message: "Cannot suspend a spoke that is provisioning; wait until it is active",
    error: "Conflict",
  });
  assert.is(status, 409);
});

test("is 400 for an action that there is not, and names those that there are", async ({ scene }) => {
  for (const action of ["explode", "upgrade", "", null, 1, ["suspend"], "constructor"]) {
    const { status, body } = await scene.as("operator").post(`/api/spokes/${scene.spoke}/actions`, { action });
    assert.is(status, 400, String(action));
    assert.match(body.message, "action must be one of suspend, resume, restart, retry");
  }
  assert.is((await scene.as("operator").post(`/api/spokes/${scene.spoke}/actions`)).status, 400);
});

test("is 403 for lesser tokens and 404 for a stranger and a removed spoke", async ({ scene }) => {
  const path = `/api/spokes/${scene.spoke}/actions`, input = { action: "restart" };
  assert.is((await scene.as("hubAdmin", "provisioning").post(path, input)).status, 403);
  assert.is((await scene.as("hubAdmin", "readonly").post(path, input)).status, 403);
  assert.is((await scene.as("stranger").post(path, input)).status, 404);
  await scene.db.sql("update spokes set state = 'removed', removed_at = wheelwright_now() where id = $1", [
    scene.spoke,
  ]);
  assert.is((await scene.as("operator").post(path, input)).status, 404);
});

test.run();
