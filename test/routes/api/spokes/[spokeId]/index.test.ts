import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createId } from "#lib/base/ids.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("/api/spokes/{id}");
test.before.each(async (context) => {
  context.scene = await openScene();
});
test.after.each(({ scene }) => scene.close());

const removed = "update spokes set state = 'removed', removed_at = wheelwright_now() where id = $1";

test("GET shows the spoke to everyone with access", async ({ scene }) => {
  for (const who of ["operator", "hubAdmin", "spokeAdmin"] as const) {
    const { status, body } = await scene.as(who, "readonly").get(`/api/spokes/${scene.spoke}`);
    assert.equal([status, body.id, body.state, body.status], [200, scene.spoke, "active", "active"]);
  }
});

test("GET is the same 404 for missing, invisible and invalid IDs", async ({ scene }) => {
  const hidden = await scene.as("stranger").get(`/api/spokes/${scene.spoke}`);
  const absent = await scene.as("operator").get(`/api/spokes/${createId("spk")}`);
  assert.is(hidden.status, 404);
  assert.equal(hidden.body, absent.body);
  for (const id of ["oak", "spk_", "'", "a".repeat(2000), scene.hub]) {
    assert.is((await scene.as("operator").get(`/api/spokes/${encodeURIComponent(id)}`)).status, 404, id);
  }
});

test("finds a spoke by its domain in any case, for users who can see it", async ({ scene }) => {
  const [{ domain }] = await selectRows(scene.db, "spokes", { id: scene.spoke }, { columns: ["domain"] });
  const at = `/api/spokes/${domain}`;
  const { status, body } = await scene.as("spokeAdmin", "readonly").get(at.replace("oak", "OAK"));
  assert.equal([status, body.id], [200, scene.spoke]);
  const hidden = await scene.as("stranger").get(at);
  const absent = await scene.as("operator").get("/api/spokes/nothing.example.org");
  assert.equal([hidden.status, hidden.body], [404, absent.body]);
  assert.is((await scene.as("spokeAdmin").delete(at)).status, 403);
  assert.is((await scene.as("spokeAdmin", "cli").post(`${at}/actions`, { action: "restart" })).status, 202);
  const removal = await scene.as("hubAdmin", "provisioning").delete(at);
  assert.equal([removal.status, removal.body.id], [202, scene.spoke]);
});

test("finds a removed spoke only by its ID: its domain is free", async ({ scene }) => {
  const [{ domain }] = await selectRows(scene.db, "spokes", { id: scene.spoke }, { columns: ["domain"] });
  await scene.db.sql(removed, [scene.spoke]);
  const get = (name: string) => scene.as("operator").get(`/api/spokes/${name}?includeRemoved=true`);
  assert.is((await get(domain)).status, 404);
  assert.is((await get(scene.spoke)).body.state, "removed");
  const { body: next } = await scene.as("operator").post("/api/federations/north/spokes", { slug: "oak", domain });
  assert.is((await get(domain)).body.id, next.id);
});

test("GET shows a removed spoke only to operators on request", async ({ scene }) => {
  await scene.db.sql(removed, [scene.spoke]);
  const path = `/api/spokes/${scene.spoke}`;
  assert.is((await scene.as("operator").get(path)).status, 404);
  assert.is((await scene.as("operator").get(`${path}?includeRemoved=true`)).body.state, "removed");
  for (const who of ["hubAdmin", "spokeAdmin"] as const) {
    assert.is((await scene.as(who).get(`${path}?includeRemoved=true`)).status, 404, who);
  }
});

test("DELETE answers 202 with the removal, and repeats the same one", async ({ scene }) => {
  const admin = scene.as("hubAdmin", "provisioning");
  const first = await admin.delete(`/api/spokes/${scene.spoke}`);
  assert.equal([first.status, first.body.state, first.body.operation.kind], [202, "removing", "remove"]);
  const again = await admin.delete(`/api/spokes/${scene.spoke}`);
  assert.equal([again.status, again.body.operation.id], [202, first.body.operation.id]);
});

test("DELETE with abandon=true is for operators, after a failed removal", async ({ scene }) => {
  const path = `/api/spokes/${scene.spoke}?abandon=true`;
  const operator = scene.as("operator", "provisioning");
  assert.is((await scene.as("hubAdmin", "provisioning").delete(path)).status, 403);
  const early = await operator.delete(path);
  assert.is(early.status, 409);
  assert.match(early.body.message, /^Cannot abandon a spoke that is active; remove it/);
  const { body } = await operator.delete(`/api/spokes/${scene.spoke}`);
  assert.is((await operator.delete(path)).status, 409);
  const failure = { step: "stop", code: "Busy", fault: "cluster", message: "no", hint: null, log: [], events: [] };
  await updateRows(scene.db, "jobs", { failure: JSON.stringify(failure) }, { id: body.operation.id });
  const { status, body: given } = await operator.delete(path);
  assert.equal([status, given.state, given.operation], [202, "removed", null]);
  assert.is((await operator.delete(path)).status, 404);
  assert.is((await operator.delete(`/api/spokes/${scene.spoke}`)).status, 404);
});

test("DELETE is 404 for a removed spoke, also for operators", async ({ scene }) => {
  await scene.db.sql(removed, [scene.spoke]);
  const { status } = await scene.as("operator").delete(`/api/spokes/${scene.spoke}?includeRemoved=true`);
  assert.is(status, 404);
});

test("DELETE is 403 for its own admin and a readonly token, 404 for a stranger", async ({ scene }) => {
  assert.is((await scene.as("spokeAdmin").delete(`/api/spokes/${scene.spoke}`)).status, 403);
  assert.is((await scene.as("hubAdmin", "readonly").delete(`/api/spokes/${scene.spoke}`)).status, 403);
  assert.is((await scene.as("stranger").delete(`/api/spokes/${scene.spoke}`)).status, 404);
  const [row] = await selectRows(scene.db, "spokes", { id: scene.spoke }, { columns: ["state"] });
  assert.is(row.state, "active");
});

test.run();
