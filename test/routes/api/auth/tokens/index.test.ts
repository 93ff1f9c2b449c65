import { suite } from "uvu";
import * as assert from "uvu/assert";
import { HOUR } from "#lib/base/time.ts";
import { openScene, type Scene } from "#test/support/scene.ts";

const PATH = "/api/auth/tokens";

const test = suite<{ scene: Scene }>(`POST ${PATH}`);
const listing = suite<{ scene: Scene }>(`GET ${PATH}`);

for (const each of [test, listing]) {
  each.before(async (context) => {
    context.scene = await openScene();
  });
  each.after(({ scene }) => scene.close());
}

test("returns the plaintext once, and the token works", async ({ scene }) => {
  const made = await scene.as("hubAdmin").post(PATH, { name: "CI", scope: "readonly" });
  assert.is(made.status, 201);
  assert.equal(Object.keys(made.body).sort(), [
    "createdAt",
    "expiresAt",
    "federationIds",
    "id",
    "name",
    "prefix",
    "scope",
    "token",
  ]);
  assert.equal([made.body.name, made.body.scope, made.body.expiresAt], ["CI", "readonly", null]);
  assert.is(made.headers.get("location"), `${PATH}/${made.body.id}`);
  assert.ok(made.body.token.startsWith(made.body.prefix));
  const me = await scene.send("/api/auth/me", { headers: { authorization: `Bearer ${made.body.token}` } });
  assert.is(me.body.user.id, scene.people.hubAdmin.id);
});

test("accepts a future expiry in any time zone, and null for none", async ({ scene }) => {
  const at = new Date(Date.now() + HOUR).toISOString();
  const expiring = await scene.as("stranger").post(PATH, { name: "x", scope: "cli", expiresAt: at });
  assert.equal([expiring.status, expiring.body.expiresAt], [201, at]);
  const zoned = await scene.as("stranger").post(PATH, {
    name: "x",
    scope: "cli",
    expiresAt: "2999-01-01T01:00:00+01:00",
  });
  assert.is(zoned.body.expiresAt, "2999-01-01T00:00:00.000Z");
  const none = await scene.as("stranger").post(PATH, { name: "x", scope: "cli", expiresAt: null });
  assert.equal([none.status, none.body.expiresAt], [201, null]);
});

test("answers 400 and names an invalid field", async ({ scene }) => {
  const good = { name: "CI", scope: "cli" };
  const cases: [string, unknown][] = [
    ["name", { scope: "cli" }],
    ["name", { ...good, name: "" }],
    ["name", { ...good, name: "x".repeat(101) }],
    ["name", { ...good, name: "nul\0" }],
    ["scope", { ...good, scope: "admin" }],
    ["scope", { name: "CI" }],
    ["expiresAt", { ...good, expiresAt: "tomorrow" }],
    ["expiresAt", { ...good, expiresAt: "2030-02-30T00:00:00Z" }],
    ["expiresAt", { ...good, expiresAt: 1893456000000 }],
    ["expiresAt", { ...good, expiresAt: "2020-01-01T00:00:00Z" }],
  ];
  for (const [field, body] of cases) {
    const refused = await scene.as("stranger").post(PATH, body);
    assert.is(refused.status, 400, JSON.stringify(body));
    assert.match(refused.body.message, field);
  }
});

test("answers 401 for tokens of any scope: creation requires a session", async ({ scene }) => {
  for (const credential of ["cli", "provisioning", "readonly"] as const) {
    const refused = await scene.as("operator", credential).post(PATH, { name: "x", scope: "readonly" });
    assert.is(refused.status, 401);
    assert.match(refused.body.message, "token minting requires a session");
  }
});

test("answers 403 for a page of another site", async ({ scene }) => {
  const body = { name: "x", scope: "cli" };
  assert.is((await scene.as("stranger").post(PATH, body, { "sec-fetch-site": "same-site" })).status, 403);
});

test.run();

listing("shows the caller's tokens without plaintext, by session or token", async ({ scene }) => {
  const { body: made } = await scene.as("spokeAdmin").post(PATH, { name: "CI", scope: "cli" });
  for (const credential of ["session", "readonly"] as const) {
    const { status, body } = await scene.as("spokeAdmin", credential).get(PATH);
    assert.is(status, 200);
    const { token: _, ...shown } = made;
    const unused = { lastUsedAt: null, lastUsedIp: null, lastUsedAgent: null };
    assert.equal(body.find((each: { id: string }) => each.id === made.id), { ...shown, ...unused });
  }
  const others = await scene.as("operator").get(PATH);
  assert.not(others.body.some((each: { id: string }) => each.id === made.id));
});

listing.run();
