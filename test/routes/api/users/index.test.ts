import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addSpokeAdmin, createTestUser } from "#test/support/users.ts";
import { nextPage } from "#test/support/next-page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("GET /api/users");

test.before(async (context) => {
  context.scene = await openScene();
  const { db, spoke } = context.scene;
  await createTestUser(db, "gone", { disabled: true });
  await createTestUser(db, "signed-up", { verified: false });
  await addSpokeAdmin(db, await createTestUser(db, "invited", { verified: false }), spoke);
  await createTestUser(db, "flagged", { verified: false, operator: true });
});
test.after(({ scene }) => scene.close());

test("lists all users newest first, with details for operators and no hash", async ({ scene }) => {
  const { status, body } = await scene.as("operator", "readonly").get("/api/users");
  assert.is(status, 200);
  assert.is(body.length, 8);
  const stamps = body.map((each: { createdAt: string }) => each.createdAt);
  assert.equal(stamps, [...stamps].sort().reverse());
  const { hubAdmin } = scene.people;
  const { createdAt, updatedAt, emailVerifiedAt, ...shown } = body.find((each: { id: string }) =>
    each.id === hubAdmin.id
  );
  assert.ok([createdAt, updatedAt, emailVerifiedAt].every((stamp) => !Number.isNaN(Date.parse(stamp))));
  assert.equal(shown, {
    id: hubAdmin.id,
    email: hubAdmin.email,
    displayName: "hub-admin",
    role: "hub_admin",
    operator: false,
    state: "active",
    federationIds: [scene.hub],
    spokeIds: [],
    disabledAt: null,
    mailRefusal: null,
  });
  assert.not.match(JSON.stringify(body), "scrypt");
});

test("finds users by state, role and address, or its beginning", async ({ scene }) => {
  const find = async (query: string) => {
    const { status, body } = await scene.as("operator").get(`/api/users?${query}`);
    assert.is(status, 200, query);
    return body.map((each: { email: string }) => each.email.split("@")[0]).sort();
  };
  assert.equal(await find("state=disabled"), ["gone"]);
  assert.equal(await find("state=invited"), ["invited"]);
  assert.equal(await find("state=unverified"), ["flagged", "signed-up"]);
  assert.equal(await find("state=active"), ["hub-admin", "operator", "spoke-admin", "stranger"]);
  assert.equal(await find("role=operator"), ["operator"], "an unverified user is not an operator");
  assert.equal(await find("role=hub_admin"), ["hub-admin"]);
  assert.equal(await find("role=spoke_admin&state=active"), ["spoke-admin", "stranger"]);
  assert.equal(await find("email=S"), ["signed-up", "spoke-admin", "stranger"]);
  assert.equal(await find("email=stranger%40example.org"), ["stranger"]);
  assert.equal(await find("email=%25"), [], "the text is not a pattern");
  assert.equal(await find("email=_tranger"), []);
  assert.equal(await find("q=ADMIN"), ["hub-admin", "spoke-admin"]);
  assert.equal(await find("q=admin&role=hub_admin"), ["hub-admin"]);
  assert.equal(await find("q=%25"), []);
});

test("pages through each user once, with any filter, even if many have the same time", async ({ scene }) => {
  for (const query of ["", "&state=active", "&role=spoke_admin", "&email=s"]) {
    const all = (await scene.as("operator").get(`/api/users?limit=100${query}`)).body;
    await scene.db.sql("update users set created_at = date_trunc('minute', created_at) where email < 'm'");
    const ids: string[] = [];
    for (let page: string | null = `/api/users?limit=1${query}`; page !== null;) {
      const { body, headers } = await scene.as("operator").get(page);
      ids.push(...body.map((each: { id: string }) => each.id));
      page = nextPage(headers);
    }
    assert.equal(ids.toSorted(), all.map((each: { id: string }) => each.id).sort(), query);
  }
});

test("is 400 for an invalid state, role or limit, and for operators only", async ({ scene }) => {
  for (const query of ["state=odd", "role=admin", "limit=0", "limit=101", "before=x", "email="]) {
    assert.is((await scene.as("operator").get(`/api/users?${query}`)).status, 400, query);
  }
  assert.is((await scene.as("hubAdmin").get("/api/users")).status, 403);
});

test.run();
