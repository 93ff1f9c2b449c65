import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("POST /api/spokes/actions");
test.before.each(async (context) => {
  context.scene = await openScene();
});
test.after.each(({ scene }) => scene.close());

const path = "/api/spokes/actions";

test("answers 202 with an outcome for each visible spoke", async ({ scene }) => {
  const { body: made } = await scene.as("operator").post("/api/federations/north/spokes", { slug: "young" });
  const ids = [made.id, createId("spk"), scene.spoke, scene.spoke];
  const { status, body } = await scene.as("hubAdmin", "cli").post(path, { ids, action: "suspend" });
  assert.is(status, 202);
  assert.equal(body.map(({ id, accepted }: { id: string; accepted: boolean }) => [id, accepted]), [
    [made.id, false],
    [scene.spoke, true],
  ]);
  assert.equal(Object.keys(body[0]), ["id", "accepted", "error"]);
  assert.equal([body[0].error.statusCode, body[0].error.error], [409, "Conflict"]);
  assert.equal([body[1].spoke.id, body[1].spoke.state], [scene.spoke, "suspending"]);
});

test("is 400 or 403 if the request itself is invalid, and changes nothing", async ({ scene }) => {
  const ids = [scene.spoke];
  const ask = async (input: object) => (await scene.as("hubAdmin", "cli").post(path, { ids, ...input })).status;
  assert.is(await ask({ action: "upgrade" }), 400);
  assert.is(await ask({ action: "resize", size: "huge" }), 400);
  assert.is(await ask({ action: "reapply" }), 403);
  assert.is(await ask({ action: "suspend", size: 7 }), 400);
  assert.equal(await scene.db.sql("select 1 from jobs where visible and spoke_id = $1 and state = 'queued'", ids), []);
});

test("skips spokes that the caller cannot see", async ({ scene }) => {
  const { status, body } = await scene.as("stranger").post(path, { ids: [scene.spoke], action: "suspend" });
  assert.equal([status, body], [202, []]);
  const [row] = await selectRows(scene.db, "spokes", { id: scene.spoke }, { columns: ["state"] });
  assert.is(row.state, "active");
});

test("accepts at most five hundred IDs", async ({ scene }) => {
  const ids = (count: number) => Array.from({ length: count }, () => createId("spk"));
  const send = (count: number) => scene.as("operator").post(path, { ids: ids(count), action: "restart" });
  assert.equal([(await send(500)).status, (await send(501)).status, (await send(0)).status], [202, 400, 400]);
  const wrong = Array.from({ length: 100_000 }, () => 7); // none of them is read
  const { body } = await scene.as("operator").post(path, { ids: wrong, action: "restart" });
  assert.is(body.message, "ids must be a list of 1 to 500 ids");
});

test("is 400 for an invalid body", async ({ scene }) => {
  const good = { ids: [scene.spoke], action: "suspend" };
  for (
    const change of [{ ids: scene.spoke }, { ids: [1] }, { ids: null }, { action: "explode" }, { action: undefined }]
  ) {
    assert.is((await scene.as("operator").post(path, { ...good, ...change })).status, 400, JSON.stringify(change));
  }
});

test("is 403 for narrower tokens and 401 without credentials", async ({ scene }) => {
  const input = { ids: [scene.spoke], action: "suspend" };
  assert.is((await scene.as("operator", "provisioning").post(path, input)).status, 403);
  assert.is((await scene.as("nobody").post(path, input)).status, 401);
});

test("refuses a dry run", async ({ scene }) => {
  const input = { ids: [scene.spoke], action: "suspend" };
  const { status, body } = await scene.as("operator").post("/api/spokes/actions?dryRun=true", input);
  assert.equal([status, body.message], [400, "dryRun is possible for one spoke at a time"]);
  assert.is((await scene.as("operator").get(`/api/spokes/${scene.spoke}`)).body.state, "active");
});

test.run();
