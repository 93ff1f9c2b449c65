import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addSpokeAdmin } from "#test/support/users.ts";
import { openScene, type Scene, type SceneRole } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("POST /api/spokes/{id}/actions");
test.before.each(async (context) => {
  context.scene = await openScene();
});
test.after.each(({ scene }) => scene.close());

/** Creates an active spoke through the API, with blueprint inputs. The scene's spoke is a bare row. */
async function makeSpoke(scene: Scene): Promise<string> {
  const { body } = await scene.as("operator").post("/api/federations/north/spokes", { slug: "elm" });
  await updateRows(scene.db, "jobs", { state: "succeeded", finishedAt: NOW }, { spokeId: body.id });
  await updateRows(scene.db, "spokes", { state: "active", readyAt: NOW }, { id: body.id });
  await addSpokeAdmin(scene.db, scene.people.spokeAdmin, body.id);
  return body.id;
}

test("answers 202 with the changing spoke", async ({ scene }) => {
  for (const [action, state] of [["suspend", "suspending"], ["resume", "suspending"]] as const) {
    const { status, body } = await scene.as("spokeAdmin", "cli").post(`/api/spokes/${scene.spoke}/actions`, { action });
    assert.equal([status, body.id, body.state, body.operation.kind], [202, scene.spoke, state, "suspend"]);
  }
});

test("is 409 if the state does not allow it, and names those that do", async ({ scene }) => {
  await updateRows(scene.db, "spokes", { state: "provisioning" }, { id: scene.spoke });
  const { status, body } = await scene.as("operator").post(`/api/spokes/${scene.spoke}/actions`, { action: "suspend" });
  assert.equal(body, {
    statusCode: 409,
    code: "spoke_state",
    message: "Cannot suspend a spoke that is provisioning; wait until it is active",
    error: "Conflict",
  });
  assert.is(status, 409);
});

test("is 400 for an unknown action, and names the valid ones", async ({ scene }) => {
  for (const action of ["explode", "Upgrade", "", null, 1, ["suspend"], "constructor"]) {
    const { status, body } = await scene.as("operator").post(`/api/spokes/${scene.spoke}/actions`, { action });
    assert.is(status, 400, String(action));
    assert.match(body.message, "action must be one of suspend, resume, restart, upgrade");
  }
  assert.is((await scene.as("operator").post(`/api/spokes/${scene.spoke}/actions`)).status, 400);
});

test("is 400 for missing or unexpected parameters, 409 or 422 for useless ones", async ({ scene }) => {
  const id = await makeSpoke(scene);
  const ask = async (input: object) => {
    const { status, body } = await scene.as("spokeAdmin").post(`/api/spokes/${id}/actions`, input);
    return `${status} ${body.message}`;
  };
  assert.is(await ask({ action: "upgrade" }), "400 lmsVersion is required to upgrade: the target version");
  assert.is(await ask({ action: "resize", size: null }), "400 size is required to resize: the new size");
  assert.is(await ask({ action: "resize", size: "huge" }), "400 size must be one of small, medium, large");
  assert.match(await ask({ action: "upgrade", lmsVersion: "newest" }), /^400 lmsVersion must be a version such as/);
  assert.match(
    await ask({ action: "upgrade", lmsVersion: "5.2", moodleVersion: "5.3" }),
    /^400 .*are the same parameter/,
  );
  assert.match(
    await ask({ action: "upgrade", lmsVersion: "3.9" }),
    /^422 Cannot upgrade to 3\.9: the spoke runs [0-9.]+, and/,
  );
  const { lmsVersion } = (await scene.as("operator").get(`/api/spokes/${id}`)).body;
  const same = await scene.as("spokeAdmin").post(`/api/spokes/${id}/actions`, { action: "upgrade", lmsVersion });
  assert.equal([same.status, same.body.code], [409, "version_unchanged"]);
  assert.is(same.body.message, `Cannot upgrade to ${lmsVersion}: the spoke already runs ${lmsVersion}`);
  const { size } = (await scene.as("operator").get(`/api/spokes/${id}`)).body;
  assert.is(await ask({ action: "resize", size }), `422 Cannot resize to ${size}: the spoke already has this size`);
  assert.is((await scene.as("operator").get(`/api/spokes/${id}`)).body.state, "active");
});

test("is for everyone who administers the spoke, except reapply, which is for operators", async ({ scene }) => {
  const id = await makeSpoke(scene);
  const ask = async (who: SceneRole, input: object) =>
    (await scene.as(who, "cli").post(`/api/spokes/${id}/actions`, input)).status;
  assert.equal([await ask("hubAdmin", { action: "reapply" }), await ask("spokeAdmin", { action: "reapply" })], [
    403,
    403,
  ]);
  assert.is(await ask("stranger", { action: "reapply" }), 404);
  for (const action of ["backup", "purge-caches", "run-cron", "reset-admin-password", "maintenance-on"]) {
    assert.is(await ask("spokeAdmin", { action }), 202, action);
  }
  assert.is(await ask("spokeAdmin", { action: "upgrade", moodleVersion: "5.2.2" }), 202);
  assert.is(await ask("operator", { action: "reapply" }), 409); // an upgrade must be the last queued operation
});

test("returns a dry run with 200 and changes nothing", async ({ scene }) => {
  const id = await makeSpoke(scene);
  const path = `/api/spokes/${id}/actions?dryRun=true`;
  const { status, body } = await scene.as("spokeAdmin", "cli").post(path, { action: "purge-caches" });
  assert.equal([status, body.dryRun, body.action, body.state], [200, true, "purge-caches", "active"]);
  assert.is((await scene.as("spokeAdmin", "cli").post(path, { action: "reapply" })).status, 403);
  assert.is((await scene.as("operator").post(path, { action: "resume" })).status, 409);
  assert.is((await scene.as("stranger").post(path, { action: "purge-caches" })).status, 404);
  assert.equal(await selectRows(scene.db, "jobs", { kind: "purge-caches" }), []);
});

test("is 403 for narrower tokens, and 404 for a stranger and a removed spoke", async ({ scene }) => {
  const path = `/api/spokes/${scene.spoke}/actions`, input = { action: "restart" };
  assert.is((await scene.as("hubAdmin", "provisioning").post(path, input)).status, 403);
  assert.is((await scene.as("hubAdmin", "readonly").post(path, input)).status, 403);
  assert.is((await scene.as("stranger").post(path, input)).status, 404);
  await updateRows(scene.db, "spokes", { state: "removed", removedAt: NOW }, { id: scene.spoke });
  assert.is((await scene.as("operator").post(path, input)).status, 404);
});

test.run();
