import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("POST /api/federations/{id}/actions");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

test("provisions a failed hub again, once", async ({ scene }) => {
  await updateRows(scene.db, "federations", { state: "failed", stateReason: "no room" }, { id: scene.hub });
  const retry = () => scene.as("hubAdmin", "cli").post("/api/federations/north/actions", { action: "retry" });
  const all = await Promise.all([retry(), retry(), retry()]);
  assert.equal(all.map(({ status }) => status).sort(), [202, 409, 409]);
  const { body } = all.find(({ status }) => status === 202)!;
  assert.equal([body.state, body.stateReason, body.operation.kind], ["provisioning", null, "provision-hub"]);
  const jobs = await selectRows(scene.db, "jobs", { kind: "provision-hub" }, { columns: ["lane"] });
  assert.equal(jobs.map((job) => job.lane), [`federation:${scene.hub}`]);
});

test("is 409 for a hub that has not failed, and names the required state", async ({ scene }) => {
  await updateRows(scene.db, "federations", { state: "active" }, { id: scene.hub });
  const { status, body } = await scene.as("operator").post("/api/federations/north/actions", { action: "retry" });
  assert.equal([status, body.message], [409, "Cannot retry a hub that is active; only a failed hub can be retried"]);
});

test("is 400 for any other action, and names the valid one", async ({ scene }) => {
  for (const input of [{ action: "suspend" }, { action: null }, {}, { action: ["retry"] }]) {
    const { status, body } = await scene.as("operator").post("/api/federations/north/actions", input);
    assert.is(status, 400, JSON.stringify(input));
    assert.match(body.message, "action must be one of retry");
  }
});

test("is 403 for a spoke admin and 404 for a stranger", async ({ scene }) => {
  const input = { action: "retry" };
  assert.is((await scene.as("spokeAdmin").post("/api/federations/north/actions", input)).status, 403);
  assert.is((await scene.as("stranger").post("/api/federations/north/actions", input)).status, 404);
});

test.run();
