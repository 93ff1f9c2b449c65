import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("GET /api/auth/me");

test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

test("shows the user of a session and of a token of any scope", async ({ scene }) => {
  const { id, email } = scene.people.spokeAdmin;
  for (const means of ["session", "cli", "provisioning", "readonly"] as const) {
    const me = await scene.as("spokeAdmin", means).get("/api/auth/me");
    assert.is(me.status, 200);
    assert.equal(me.body, {
      user: { id, email, role: "spoke_admin", federationIds: [], displayName: "spoke-admin", spokeIds: [scene.spoke] },
    });
  }
});

test("shows a lost membership at once", async ({ scene }) => {
  const admin = scene.as("hubAdmin", "readonly");
  assert.equal((await admin.get("/api/auth/me")).body.user.federationIds, [scene.hub]);
  await scene.db.sql("delete from federation_members where user_id = $1", [scene.people.hubAdmin.id]);
  const { user } = (await admin.get("/api/auth/me")).body;
  assert.equal([user.role, user.federationIds], ["spoke_admin", []]);
});

test("is 401 for nobody, and for a bad token beside a good cookie", async ({ scene }) => {
  const nobody = await scene.as("nobody").get("/api/auth/me");
  const both = await scene.as("operator").get("/api/auth/me", { authorization: "Bearer ww_cli_nonsense" });
  for (const { status, headers, body } of [nobody, both]) {
    assert.equal([status, body.statusCode, body.error], [401, 401, "Unauthorized"]);
    assert.is(headers.get("www-authenticate"), "Bearer");
  }
});

test.run();
