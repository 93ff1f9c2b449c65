/** Tests creating and revoking API tokens. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createTestToken } from "#test/support/users.ts";
import { parsePage } from "#test/support/page.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const test = suite<{ scene: Scene }>("/tokens");

test.before(async (context) => void (context.scene = await openScene()));
test.after(({ scene }) => scene.close());

const NEW = { Name: "nightly <b>report</b>", scope: "provisioning", Expires: "30" };

test("creates a token and shows it once", async ({ scene }) => {
  const list = await parsePage(scene, "/tokens", "hubAdmin");
  assert.ok(list.has("heading", "No tokens yet"));
  const form = await list.part("main").follow("New token").catch(() => parsePage(scene, "/tokens/new", "hubAdmin"));
  const made = await form.submit("Create token", NEW);
  assert.equal([made.status, made.headers.get("cache-control")], [200, "no-store"]);
  const [token] = /ww_prv_\w{20,}/.exec(made.text)!;
  assert.match(made.text, `curl -H 'Authorization: Bearer ${token}' http://localhost:3000/api/auth/me`);
  const me = await scene.send("/api/auth/me", { headers: { authorization: `Bearer ${token}` } });
  assert.is(me.body.user.email, "hub-admin@example.org");
  const { body: [known] } = await scene.as("hubAdmin").get("/api/auth/tokens");
  assert.equal([known.name, known.scope], [NEW.Name, "provisioning"]);
  assert.is(Math.round((Date.parse(known.expiresAt) - Date.parse(known.createdAt)) / 86_400_000), 30);
  const after = await made.follow("I have copied the token");
  assert.not.match(after.html, token);
  assert.match(after.part("listitem", /nightly/).text, /nightly <b>report<\/b>ww_prv_\w{4}… Add and remove spokes/);
});

test("keeps the values of a refused form, and shows problems at their fields", async ({ scene }) => {
  const again = await (await parsePage(scene, "/tokens/new", "stranger")).submit("Create token", { ...NEW, Name: "" });
  assert.is(again.status, 400);
  assert.ok(again.field("Name").wrong);
  assert.match(again.field("Name").description, "must be text of 1 to 100 characters");
  assert.is(again.field("Expires").value, "30");
  assert.ok(again.field("Add and remove spokes").ticked);
  const never = await again.submit("Create token", { ...NEW, Expires: "never" });
  assert.match(never.text, "Expires never");
});

test("limits a token to ticked hubs, which a search keeps", async ({ scene }) => {
  await insertManyHubs(scene);
  const form = await parsePage(scene, "/tokens/new", "operator");
  assert.is(form.all("checkbox").length, 20);
  const empty = await form.submit("Create token", { ...NEW, limit: "hubs" });
  assert.equal([empty.status, empty.text.includes("The limit must name at least one hub.")], [400, true]);
  const found = await form.submit("Search hubs", { ...NEW, limit: "hubs", q: "hub-19", "Hub 25 hub-25": true });
  assert.equal(found.all("checkbox"), ["hub-25", "Hub 19 hub-19"]);
  const made = await found.submit("Create token", { "Hub 19 hub-19": true });
  const [token] = /ww_prv_\w{20,}/.exec(made.text)!;
  const { body } = await scene.send("/api/auth/me", { headers: { authorization: `Bearer ${token}` } });
  assert.equal([body.user.role, body.user.federationIds.length], ["hub_admin", 2]);
  assert.match(
    (await parsePage(scene, "/tokens", "operator")).text,
    /Add and remove spokes, limited to hub-19, hub-25/,
  );
});

test("takes the end of a chosen day as the expiry", async ({ scene }) => {
  const form = await parsePage(scene, "/tokens/new", "stranger");
  const wrong = await form.submit("Create token", { ...NEW, Expires: "date" });
  assert.match(wrong.field("Date").description, "must be a date such as 2027-06-30");
  await wrong.submit("Create token", { Date: "2199-12-31" });
  const { body: [{ expiresAt }] } = await scene.as("stranger").get("/api/auth/tokens");
  assert.is(expiresAt, "2200-01-01T00:00:00.000Z");
});

test("revokes a token after a confirmation", async ({ scene }) => {
  const { plaintext } = await createTestToken(scene.db, scene.people.spokeAdmin, "readonly");
  const confirmation = await (await parsePage(scene, "/tokens", "spokeAdmin")).follow("Revoke … readonly");
  assert.is(confirmation.part("heading").text, "Revoke readonly?");
  const done = await confirmation.submit("Revoke token");
  assert.equal([done.path, done.has("heading", "No tokens yet")], ["/tokens?done=revoked", true]);
  const headers = { authorization: `Bearer ${plaintext}` };
  assert.is((await scene.send("/api/auth/me", { headers })).status, 401);
});

test("marks expired tokens, and shows users only their own", async ({ scene }) => {
  const token = await createTestToken(scene.db, scene.people.operator, "cli", new Date("2026-01-01T00:00:00Z"));
  assert.match((await parsePage(scene, "/tokens", "operator")).part("listitem", /cli/).text, "Expired");
  assert.not((await parsePage(scene, "/tokens", "hubAdmin")).has("listitem", /cli/));
  assert.is((await parsePage(scene, `/tokens/${token.id}/revoke`, "hubAdmin")).status, 404);
});

test.run();

/** Inserts 30 hubs, "Hub 1" with the slug hub-1 first. */
async function insertManyHubs({ db, people }: Scene): Promise<void> {
  await db.sql(
    `insert into federations (id, slug, name, state, cluster, namespace, created_by)
     select 'fed_' || lpad(i::text, 26, '0'), 'hub-' || i, 'Hub ' || i, 'active', 'default', 'hub-' || i, $1
     from generate_series(1, 30) i`,
    [people.operator.id],
  );
}
