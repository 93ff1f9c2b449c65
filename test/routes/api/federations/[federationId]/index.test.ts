import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("/api/federations/{id}");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

test("GET finds a hub by id and by slug", async ({ scene }) => {
  for (const name of [scene.hub, "north"]) {
    const { status, body } = await scene.as("hubAdmin", "readonly").get(`/api/federations/${name}`);
    assert.equal([status, body.id, body.slug, body.spokeCount, body.operation], [200, scene.hub, "north", 1, null]);
  }
});

test("GET counts for a spoke admin its own spokes alone", async ({ scene }) => {
  await scene.as("operator").post(`/api/federations/${scene.hub}/spokes`, { slug: "ash" });
  assert.is((await scene.as("operator").get("/api/federations/north")).body.spokeCount, 2);
  assert.is((await scene.as("spokeAdmin").get("/api/federations/north")).body.spokeCount, 1);
});

test("GET is 404 for a stranger, for what is not there, and for hostile names", async ({ scene }) => {
  assert.is((await scene.as("stranger").get("/api/federations/north")).status, 404);
  const absent = await scene.as("operator").get("/api/federations/nowhere");
  const hidden = await scene.as("stranger").get(`/api/federations/${scene.hub}`);
  assert.equal(absent.body, hidden.body);
  for (const name of ["'--", "fed_", "%F0%9F%8D%8A", "a".repeat(3000), "..%2f..", "NORTH"]) {
    assert.is((await scene.as("operator").get(`/api/federations/${name}`)).status, 404, name);
  }
  assert.is((await scene.as("operator").get("/api/federations/%00")).status, 400);
});

test("GET is 404 for a spoke admin whose only spoke there was removed", async () => {
  const scene = await openScene();
  await scene.db.sql("update spokes set state = 'removed', removed_at = wheelwright_now() where id = $1", [
    scene.spoke,
  ]);
  assert.is((await scene.as("spokeAdmin").get("/api/federations/north")).status, 404);
  assert.equal((await scene.as("spokeAdmin").get("/api/federations")).body, []);
  await scene.close();
});

test("PATCH changes what is given, says so, and is quiet where nothing changes", async ({ scene }) => {
  const admin = scene.as("hubAdmin", "cli");
  const { status, body } = await admin.patch("/api/federations/north", { name: "North", tier: "gold", mode: null });
  assert.equal([status, body.name, body.tier, body.mode, body.slug], [200, "North", "gold", null, "north"]);
  const audit = () =>
    scene.db.sql("select * from audit_events where object_id = $1 and kind = 'federation_updated'", [scene.hub]);
  assert.equal((await audit()).map((event) => event.metadata.changed), [{ name: "North", tier: "gold" }]);
  const [event] = await scene.db.sql("select type from stream_events where spoke_id is null order by number desc");
  assert.is(event.type, "FederationUpdateActive");
  for (const input of [{}, undefined, { name: "North", slug: "north" }, body]) {
    assert.is((await admin.patch("/api/federations/north", input)).status, 200, JSON.stringify(input));
  }
  assert.is((await audit()).length, 1);
});

test("PATCH refuses another slug and bad values", async ({ scene }) => {
  for (const input of [{ slug: "other" }, { name: "" }, { mode: 5 }, { tier: "x".repeat(101) }]) {
    assert.is((await scene.as("operator").patch("/api/federations/north", input)).status, 400, JSON.stringify(input));
  }
});

test("PATCH of a hub that is going is 409", async ({ scene }) => {
  const { body } = await scene.as("operator").post("/api/federations", { slug: "going" });
  await scene.db.sql("update federations set state = 'removing' where id = $1", [body.id]);
  assert.is((await scene.as("operator").patch("/api/federations/going", { name: "Late" })).status, 409);
});

test("PATCH is 403 for who sees the hub and does not run it, and for lesser tokens", async ({ scene }) => {
  assert.is((await scene.as("spokeAdmin").patch("/api/federations/north", {})).status, 403);
  assert.is((await scene.as("hubAdmin", "provisioning").patch("/api/federations/north", {})).status, 403);
  assert.is((await scene.as("stranger").patch("/api/federations/north", {})).status, 404);
});

test("DELETE is not possible yet", async ({ scene }) => {
  const { status, headers } = await scene.as("operator").delete("/api/federations/north");
  assert.is(status, 405);
  assert.match(headers.get("allow")!, "PATCH");
});

test.run();
