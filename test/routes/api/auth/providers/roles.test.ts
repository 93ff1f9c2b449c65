/** Tests the roles that a provider's groups give at each sign-in. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { openProviderScene, type ProviderScene } from "#test/support/provider-sign-in.ts";
import { insertHub } from "#test/support/insert-rows.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";
import { createTestUser, type TestUser } from "#test/support/users.ts";

const test = suite<ProviderScene & { ada: TestUser; signInWith(...groups: string[]): Promise<void> }>(
  "roles from a provider's groups",
);

test.before.each(async (context) => {
  const roles = { "ww-operators": "operator", "north-*": { hubAdmin: "north" }, "hub-*": { hubAdmin: "*" } };
  Object.assign(context, await openProviderScene({ settings: { roles } }));
  const { scene, signIn } = context;
  context.ada = await createTestUser(scene.db, "ada");
  context.signInWith = async (...groups) => {
    const { status } = await signIn({ sub: "ada", email: "ada@example.org", email_verified: true, groups });
    assert.is(status, 303);
  };
});
test.after.each(({ close }) => close());

const rolesOf = async ({ scene }: ProviderScene, { id }: TestUser) => {
  const { body } = await scene.as("operator").get(`/api/users/${id}`);
  return [body.role, body.federationIds];
};
const listKinds = async ({ scene }: ProviderScene, kind: "federation_member_added" | "federation_member_removed") =>
  (await listAuditEvents(scene.db.rows, { kind }, { limit: 100 })).items.map(({ metadata }) => metadata.provider);

test("are given, kept and removed as the groups change, and recorded only when something changes", async (context) => {
  const { scene, ada, signInWith } = context;
  await signInWith("north-staff", "unknown");
  assert.equal(await rolesOf(context, ada), ["hub_admin", [scene.hub]]);
  await signInWith("north-others");
  assert.equal(await listKinds(context, "federation_member_added"), ["contoso"]);
  await signInWith();
  assert.equal(await rolesOf(context, ada), ["spoke_admin", []]);
  assert.equal(await listKinds(context, "federation_member_removed"), ["contoso"]);
  await signInWith();
  assert.equal(await listKinds(context, "federation_member_removed"), ["contoso"]);
});

test("can be for the hub that the group names, unless it is missing or removed", async (context) => {
  const { scene, ada, signInWith } = context;
  const south = await insertHub(scene.db, scene.people.operator.id, "south");
  await updateRows(scene.db, "federations", { state: "removed", removedAt: NOW }, {
    id: await insertHub(scene.db, scene.people.operator.id, "gone"),
  });
  await signInWith("hub-south", "hub-gone", "hub-none");
  assert.equal(await rolesOf(context, ada), ["hub_admin", [south]]);
});

test("never remove a membership that a person gave, also afterwards", async (context) => {
  const { scene, ada, signInWith } = context;
  const add = () => scene.as("operator").post(`/api/federations/${scene.hub}/members`, { email: ada.email });
  assert.is((await add()).body.status, "added");
  await signInWith("north-staff");
  await signInWith();
  assert.equal(await rolesOf(context, ada), ["hub_admin", [scene.hub]]);
  await scene.as("operator").delete(`/api/federations/${scene.hub}/members/${ada.id}`);
  await signInWith("north-staff");
  assert.is((await add()).body.status, "added", "from now on, a person has given the membership");
  assert.is((await add()).body.status, "unchanged");
  await signInWith();
  assert.equal(await rolesOf(context, ada), ["hub_admin", [scene.hub]]);
});

test("do not outlive a membership that a person removed and gave again", async (context) => {
  const { scene, ada, signInWith } = context;
  await signInWith("north-staff");
  await scene.as("operator").delete(`/api/federations/${scene.hub}/members/${ada.id}`);
  await scene.as("operator").post(`/api/federations/${scene.hub}/members`, { email: ada.email });
  await signInWith();
  assert.equal(await rolesOf(context, ada), ["hub_admin", [scene.hub]]);
});

test("make operators, and demote only those whom they made", async (context) => {
  const { scene, ada, signInWith } = context;
  await signInWith("ww-operators");
  assert.is((await rolesOf(context, ada))[0], "operator");
  await signInWith();
  assert.is((await rolesOf(context, ada))[0], "spoke_admin");
  await signInWith("ww-operators");
  await scene.as("operator").patch(`/api/users/${ada.id}`, { operator: true });
  await signInWith();
  assert.is((await rolesOf(context, ada))[0], "operator", "a person has given the role");
});

test("never demote the last operator, until there is another", async (context) => {
  const { scene, ada, signInWith } = context, { id: root } = scene.people.operator;
  await signInWith("ww-operators");
  await updateRows(scene.db, "users", { operator: false }, { id: root });
  await signInWith();
  assert.equal((await selectRows(scene.db, "users", { id: ada.id }))[0].operator, true);
  const logins = await listAuditEvents(scene.db.rows, { kind: "auth_login" }, { limit: 1 });
  assert.is(logins.items[0]!.metadata.keptOperator, true);
  await updateRows(scene.db, "users", { operator: true }, { id: root });
  await signInWith();
  assert.equal((await selectRows(scene.db, "users", { id: ada.id }))[0].operator, false);
});

test("take effect in an open session of the user immediately", async (context) => {
  const { scene, provider, openBrowser, ada } = context, browser = openBrowser();
  provider.person = { sub: "ada", email: ada.email, email_verified: true, groups: ["ww-operators"] };
  await browser.get(await browser.reachCallback());
  assert.is((await browser.get("/api/users")).status, 200);
  provider.person = { ...provider.person, groups: [] };
  const other = openBrowser();
  await other.get(await other.reachCallback());
  assert.is((await browser.get("/api/users")).status, 403);
  assert.is((await scene.as("operator").get("/api/users")).status, 200);
});

test.run();
