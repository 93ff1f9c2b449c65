import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("/api/federations/{id}");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

test("GET finds a hub by ID and by slug", async ({ scene }) => {
  for (const name of [scene.hub, "north"]) {
    const { status, body } = await scene.as("hubAdmin", "readonly").get(`/api/federations/${name}`);
    assert.equal([status, body.id, body.slug, body.spokeCount, body.operation], [200, scene.hub, "north", 1, null]);
  }
});

test("GET counts only a spoke admin's own spokes", async ({ scene }) => {
  await scene.as("operator").post(`/api/federations/${scene.hub}/spokes`, { slug: "ash" });
  assert.is((await scene.as("operator").get("/api/federations/north")).body.spokeCount, 2);
  assert.is((await scene.as("spokeAdmin").get("/api/federations/north")).body.spokeCount, 1);
});

test("GET is 404 for a stranger, a missing hub and hostile names", async ({ scene }) => {
  assert.is((await scene.as("stranger").get("/api/federations/north")).status, 404);
  const absent = await scene.as("operator").get("/api/federations/nowhere");
  const hidden = await scene.as("stranger").get(`/api/federations/${scene.hub}`);
  assert.equal(absent.body, hidden.body);
  for (const name of ["'--", "fed_", "%F0%9F%8D%8A", "a".repeat(3000), "..%2f..", "NORTH"]) {
    assert.is((await scene.as("operator").get(`/api/federations/${name}`)).status, 404, name);
  }
  assert.is((await scene.as("operator").get("/api/federations/%00")).status, 400);
});

test("GET is 404 for a spoke admin whose only spoke was removed", async () => {
  const scene = await openScene();
  await updateRows(scene.db, "spokes", { state: "removed", removedAt: NOW }, { id: scene.spoke });
  assert.is((await scene.as("spokeAdmin").get("/api/federations/north")).status, 404);
  assert.equal((await scene.as("spokeAdmin").get("/api/federations")).body, []);
  await scene.close();
});

test("PATCH changes the given fields and records it, or nothing if none changes", async ({ scene }) => {
  const admin = scene.as("hubAdmin", "cli");
  const { status, body } = await admin.patch("/api/federations/north", { name: "North", tier: "gold", mode: null });
  assert.equal([status, body.name, body.tier, body.mode, body.slug], [200, "North", "gold", null, "north"]);
  const audit = () => selectRows(scene.db, "audit_events", { objectId: scene.hub, kind: "federation_updated" });
  assert.equal((await audit()).map((event) => event.metadata.changed), [{ name: "North", tier: "gold" }]);
  const [event] = await scene.db.sql("select type from stream_events where spoke_id is null order by number desc");
  assert.is(event.type, "FederationUpdateActive");
  for (const input of [{}, undefined, { name: "North", slug: "north" }]) {
    assert.is((await admin.patch("/api/federations/north", input)).status, 200, JSON.stringify(input));
  }
  assert.is((await audit()).length, 1);
});

test("PATCH refuses a new slug and invalid values", async ({ scene }) => {
  for (const input of [{ slug: "other" }, { name: "" }, { mode: 5 }, { tier: "x".repeat(101) }]) {
    assert.is((await scene.as("operator").patch("/api/federations/north", input)).status, 400, JSON.stringify(input));
  }
});

test("PATCH is 409 for a hub that is being removed", async ({ scene }) => {
  const { body } = await scene.as("operator").post("/api/federations", { slug: "going" });
  await updateRows(scene.db, "federations", { state: "removing" }, { id: body.id });
  assert.is((await scene.as("operator").patch("/api/federations/going", { name: "Late" })).status, 409);
});

test("PATCH is 403 for users who only see the hub, and for narrower tokens", async ({ scene }) => {
  assert.is((await scene.as("spokeAdmin").patch("/api/federations/north", {})).status, 403);
  assert.is((await scene.as("hubAdmin", "provisioning").patch("/api/federations/north", {})).status, 403);
  assert.is((await scene.as("stranger").patch("/api/federations/north", {})).status, 404);
});

test("DELETE is 409 while the hub has spokes, and counts them", async ({ scene }) => {
  const { status, body } = await scene.as("operator").delete("/api/federations/north");
  assert.equal([status, body.error], [409, "Conflict"]);
  assert.match(body.message, /Cannot remove the hub north while it has \d spokes/);
  assert.is((await scene.as("operator").get("/api/federations/north")).body.state, "active");
});

test("DELETE answers 202 with the removing hub, and repeats the same operation", async ({ scene }) => {
  const operator = scene.as("operator", "cli");
  const { body: { id } } = await operator.post("/api/federations", { slug: "doomed" });
  const { status, body } = await operator.delete("/api/federations/doomed");
  assert.equal([status, body.id, body.state, body.status, body.operation.kind], [
    202,
    id,
    "removing",
    "removing",
    "remove-hub",
  ]);
  const again = await operator.delete(`/api/federations/${id}`);
  assert.equal([again.status, again.body.operation.id], [202, body.operation.id]);
  for (const [path, input] of [["/spokes", { slug: "late" }], ["/actions", { action: "retry" }]] as const) {
    assert.is((await operator.post(`/api/federations/doomed${path}`, input)).status, 409, path);
  }
  // Its slug stays reserved until it is removed.
  assert.is((await operator.post("/api/federations", { slug: "doomed" })).status, 409);
});

test("DELETE with abandon=true abandons only a failed removal", async ({ scene }) => {
  const operator = scene.as("operator", "cli");
  const { body: { id } } = await operator.post("/api/federations", { slug: "lost" });
  const path = "/api/federations/lost?abandon=true";
  const early = await operator.delete(path);
  assert.is(early.status, 409);
  assert.match(early.body.message, /^Cannot abandon a hub that is provisioning; remove it/);
  const { body } = await operator.delete("/api/federations/lost");
  assert.is((await operator.delete(path)).status, 409);
  const failure = { step: "namespace", code: "Busy", fault: "cluster", message: "no", hint: null, log: [], events: [] };
  await updateRows(scene.db, "jobs", { failure: JSON.stringify(failure) }, { id: body.operation.id });
  const { status, body: given } = await operator.delete(path);
  assert.equal([status, given.id, given.state, given.operation], [202, id, "removed", null]);
  const [told] = await selectRows(scene.db, "audit_events", { kind: "federation_destroyed" }, {
    columns: ["metadata"],
  });
  assert.equal([told.metadata.abandoned, told.metadata.operationId], [true, body.operation.id]);
  const [last] = await scene.db.sql("select type from stream_events where federation_id = $1 order by number desc", [
    id,
  ]);
  assert.is(last.type, "FederationUpdateRemoved");
  assert.is((await operator.delete(path)).status, 404);
});

test("a removed hub is 404 and in no list, its admins have no access, and its slug is free", async ({ scene }) => {
  const operator = scene.as("operator"), admin = scene.as("hubAdmin");
  const { body: { id } } = await operator.post("/api/federations", { slug: "done" });
  await scene.db.sql("insert into federation_members values ($1, $2)", [id, scene.people.hubAdmin.id]);
  assert.equal((await admin.get("/api/auth/me")).body.user.federationIds, [scene.hub, id]);
  await operator.delete("/api/federations/done");
  assert.is((await admin.get("/api/federations/done")).body.state, "removing");
  await updateRows(scene.db, "federations", { state: "removed", removedAt: NOW }, { id });
  assert.is((await admin.get("/api/federations/done")).status, 404);
  assert.equal((await admin.get("/api/auth/me")).body.user.federationIds, [scene.hub]);
  assert.is((await operator.get(`/api/federations/${id}`)).status, 404);
  assert.is((await operator.delete(`/api/federations/${id}`)).status, 404);
  assert.is((await operator.get(`/api/federations/${id}?includeRemoved=true`)).body.state, "removed");
  assert.is((await admin.get(`/api/federations/${id}?includeRemoved=true`)).status, 404);
  const next = await operator.post("/api/federations", { slug: "done" });
  assert.is(next.status, 201);
  assert.is((await operator.get("/api/federations/done?includeRemoved=true")).body.id, next.body.id);
});

test("DELETE is for operators: 403 for the hub's admins, 404 for strangers", async ({ scene }) => {
  assert.is((await scene.as("hubAdmin").delete("/api/federations/north")).status, 403);
  assert.is((await scene.as("spokeAdmin").delete("/api/federations/north")).status, 403);
  assert.is((await scene.as("stranger").delete("/api/federations/north")).status, 404);
  assert.is((await scene.as("operator", "provisioning").delete("/api/federations/north")).status, 403);
  assert.is((await scene.as("nobody").delete("/api/federations/north")).status, 401);
});

test.run();
