import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { remove } from "#lib/operations/remove.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene; removal: string; hubs: string }>("GET /api/operations/{id}");
test.before(async (context) => {
  const scene = context.scene = await openScene();
  const hub = await scene.as("operator").post("/api/federations", { slug: "south" });
  context.hubs = hub.body.operation.id;
  context.removal = (await scene.as("operator").delete(`/api/spokes/${scene.spoke}`)).body.operation.id;
});
test.after(({ scene }) => scene.close());

test("shows the operation to everyone who can see its spoke", async ({ scene, removal }) => {
  for (const who of ["operator", "hubAdmin", "spokeAdmin"] as const) {
    const { status, body } = await scene.as(who, "readonly").get(`/api/operations/${removal}`);
    assert.equal([status, body.id, body.kind, body.state, body.step], [200, removal, "remove", "queued", 0]);
    assert.equal([body.federationId, body.spokeId, body.position, body.error], [scene.hub, scene.spoke, 1, null]);
  }
});

test("lists the steps in order, with labels and times", async ({ scene, removal }) => {
  const { body } = await scene.as("spokeAdmin").get(`/api/operations/${removal}`);
  const expected = remove.kind.steps.map(({ name, label }) => ({ name, label, startedAt: null, finishedAt: null }));
  assert.equal(body.steps, expected);
  await scene.db.sql(
    `update jobs set started_at = '2026-11-21T12:00:00Z', finished_steps = step_names[1:1],
       step_times = jsonb_build_object(step_names[1], '2026-11-21T12:01:00+00:00'::timestamptz) where id = $1`,
    [removal],
  );
  const { body: { steps: [first, second, third] } } = await scene.as("spokeAdmin").get(`/api/operations/${removal}`);
  const [began, passed] = ["2026-11-21T12:00:00.000Z", "2026-11-21T12:01:00.000Z"];
  assert.equal([first, second, third].map(({ startedAt, finishedAt }) => [startedAt, finishedAt]), [
    [began, passed],
    [passed, null],
    [null, null],
  ]);
});

test("shows the report of a failure", async ({ scene, hubs }) => {
  const failure = {
    step: "namespace",
    code: "Forbidden",
    fault: "operator",
    message: "namespaces is forbidden",
    hint: "Grant it",
    log: ["a line"],
    events: [],
  };
  await scene.db.sql(
    "update jobs set state = 'failed', finished_at = wheelwright_now(), failure = $2::text::jsonb where id = $1",
    [hubs, JSON.stringify(failure)],
  );
  const { body } = await scene.as("operator").get(`/api/operations/${hubs}`);
  assert.equal([body.state, body.error], ["failed", failure]);
});

test("is 404 for a stranger, members of other hubs and missing operations", async ({ scene, removal, hubs }) => {
  assert.is((await scene.as("stranger").get(`/api/operations/${removal}`)).status, 404);
  assert.is((await scene.as("hubAdmin").get(`/api/operations/${hubs}`)).status, 404);
  for (const id of [createId("op"), "op_", scene.spoke, "'"]) {
    assert.is((await scene.as("operator").get(`/api/operations/${id}`)).status, 404, id);
  }
});

test("is 404 for a job that is no operation", async ({ scene, removal }) => {
  await updateRows(scene.db, "jobs", { visible: false }, { id: removal });
  assert.is((await scene.as("operator").get(`/api/operations/${removal}`)).status, 404);
  await updateRows(scene.db, "jobs", { visible: true }, { id: removal });
});

test("stays readable after its spoke was removed", async ({ scene, removal }) => {
  await updateRows(scene.db, "spokes", { state: "removed", removedAt: NOW }, { id: scene.spoke });
  await updateRows(scene.db, "jobs", { state: "succeeded", finishedAt: NOW }, { id: removal });
  const { status, body } = await scene.as("hubAdmin").get(`/api/operations/${removal}`);
  assert.equal([status, body.state], [200, "succeeded"]);
});

test.run();
