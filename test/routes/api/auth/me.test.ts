import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { deleteRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("GET /api/auth/me");

test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

test("returns the user of a session, and of a token of any scope", async ({ scene }) => {
  const { id, email } = scene.people.spokeAdmin;
  for (const credential of ["session", "cli", "provisioning", "readonly"] as const) {
    const me = await scene.as("spokeAdmin", credential).get("/api/auth/me");
    assert.is(me.status, 200);
    assert.equal(me.body, {
      user: { id, email, role: "spoke_admin", federationIds: [], displayName: "spoke-admin", spokeIds: [scene.spoke] },
    });
  }
});

test("reflects a lost membership immediately", async ({ scene }) => {
  const admin = scene.as("hubAdmin", "readonly");
  assert.equal((await admin.get("/api/auth/me")).body.user.federationIds, [scene.hub]);
  await deleteRows(scene.db, "federation_members", { userId: scene.people.hubAdmin.id });
  const { user } = (await admin.get("/api/auth/me")).body;
  assert.equal([user.role, user.federationIds], ["spoke_admin", []]);
});

test("answers 401 without credentials, and for a bad token next to a good cookie", async ({ scene }) => {
  const nobody = await scene.as("nobody").get("/api/auth/me");
  const both = await scene.as("operator").get("/api/auth/me", { authorization: "Bearer ww_cli_nonsense" });
  for (const { status, headers, body } of [nobody, both]) {
    assert.equal([status, body.statusCode, body.error], [401, 401, "Unauthorized"]);
    assert.is(headers.get("www-authenticate"), "Bearer");
  }
});

const mine = suite<{ scene: Scene }>("PATCH /api/auth/me");

mine.before(async (context) => {
  context.scene = await openScene();
});
mine.after(({ scene }) => scene.close());

mine("changes the caller's name and records the change once", async ({ scene }) => {
  const { id } = scene.people.stranger;
  for (const body of [{}, { displayName: null }, { displayName: "Ada" }, { displayName: "Ada" }]) {
    const { status, body: { user } } = await scene.as("stranger").patch("/api/auth/me", body);
    assert.equal([status, user.id, user.displayName], [200, id, body.displayName ?? "stranger"]);
  }
  const events = (await listAuditEvents(scene.db.rows, { actorId: id }, { limit: 9 })).items;
  assert.equal(events.map(({ kind, objectId, metadata }) => [kind, objectId, metadata]), [
    ["user_updated", id, { changed: { displayName: "Ada" } }],
  ]);
});

mine("is refused for unverified addresses, because others see the name next to them", async ({ scene }) => {
  await updateRows(scene.db, "users", { emailVerifiedAt: null }, { id: scene.people.spokeAdmin.id });
  const refused = await scene.as("spokeAdmin").patch("/api/auth/me", { displayName: "The headmistress" });
  assert.equal([refused.status, refused.body.code], [403, "unverified"]);
  assert.is((await scene.as("spokeAdmin").get("/api/auth/me")).body.user.displayName, "spoke-admin");
});

mine("is refused for tokens", async ({ scene }) => {
  const refused = await scene.as("stranger", "cli").patch("/api/auth/me", { displayName: "Eve" });
  assert.equal([refused.status, refused.body.message], [401, "changing one's own account requires a session"]);
});

test.run();
mine.run();
