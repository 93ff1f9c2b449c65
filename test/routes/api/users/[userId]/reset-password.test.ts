import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addSpokeAdmin, createTestSession, createTestToken, createTestUser } from "#test/support/users.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { selectRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("POST /api/users/{userId}/reset-password");

test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

const pathOf = ({ id }: { readonly id: string }) => `/api/users/${id}/reset-password`;

test("shows a new, working password once, and stores it nowhere", async ({ scene }) => {
  const ann = await createTestUser(scene.db, "ann");
  const key = { "idempotency-key": "again" };
  const { status, body, headers } = await scene.as("operator").post(pathOf(ann), {}, key);
  assert.equal([status, Object.keys(body).sort(), body.userId], [200, ["password", "userId"], ann.id]);
  assert.is(headers.get("cache-control"), "no-store");
  const login = await scene.as("nobody").post("/api/auth/login", { email: ann.email, password: body.password });
  assert.is(login.status, 200);
  for (const table of ["audit_events", "jobs", "idempotency_keys", "users", "one_time_tokens"]) {
    const found = await scene.db.sql(`select * from ${table} as row where row::text like '%' || $1 || '%'`, [
      body.password,
    ]);
    assert.equal(found, [], table);
  }
  assert.equal(await scene.db.sql("select id from audit_events where metadata::text like '%scrypt%'"), []);
  const again = await scene.as("operator").post(pathOf(ann), {}, key);
  assert.is.not(again.body.password, body.password, "an Idempotency-Key does not return the password again");
});

test("ends the user's sessions and links, keeps their tokens, sends an email and records the reset", async ({ scene }) => {
  const bob = await createTestUser(scene.db, "bob");
  const cookie = `wheelwright=${(await createTestSession(scene.db, bob)).secret}`;
  const authorization = `Bearer ${(await createTestToken(scene.db, bob, "readonly")).plaintext}`;
  await scene.db.sql(
    `insert into one_time_tokens (id, purpose, user_id, expires_at)
     values ('ott_bob', 'password_reset', $1, wheelwright_now() + interval '1 hour')`,
    [bob.id],
  );
  await scene.as("operator").post(pathOf(bob));
  assert.is((await scene.as("nobody").get("/api/auth/me", { cookie })).status, 401);
  assert.is((await scene.as("nobody").get("/api/auth/me", { authorization })).status, 200);
  const [{ voidedAt }] = await selectRows(scene.db, "one_time_tokens", { id: "ott_bob" }, { columns: ["voidedAt"] });
  assert.ok(voidedAt);
  const [event] = await selectRows(scene.db, "audit_events", { kind: "password_reset", objectId: bob.id });
  assert.is(event.actorId, scene.people.operator.id);
  const mails = await scene.db.sql("select payload->'letter' as letter from jobs where kind = 'mail'");
  const letters = mails.map(({ letter }) => letter).filter(({ to }) => to.email === bob.email);
  assert.equal(letters.map(({ template }) => template), ["password-changed"]);
});

test("works for an invited user without an email, and ends a stranger's access", async ({ scene }) => {
  const eve = await createTestUser(scene.db, "eve", { verified: false });
  await addSpokeAdmin(scene.db, eve, scene.spoke);
  const authorization = `Bearer ${(await createTestToken(scene.db, eve, "cli")).plaintext}`;
  assert.is((await scene.as("operator").post(pathOf(eve))).status, 200);
  assert.is((await scene.as("nobody").get("/api/auth/me", { authorization })).status, 401);
  const cookie = `wheelwright=${(await createTestSession(scene.db, eve)).secret}`;
  const { body } = await scene.as("nobody").get("/api/auth/me", { cookie });
  assert.equal(body.user.spokeIds, [scene.spoke]);
  const events = await selectRows(scene.db, "audit_events", { objectId: eve.id, actorId: scene.people.operator.id }, {
    columns: ["kind"],
    orderBy: "kind",
  });
  assert.equal(events.map(({ kind }) => kind), ["email_verified", "password_reset"]);
});

test("is 409 for a disabled user, and keeps the password", async ({ scene }) => {
  const dan = await createTestUser(scene.db, "dan", { disabled: true });
  const [before] = await selectRows(scene.db, "users", { id: dan.id }, { columns: ["passwordHash"] });
  const { status, body } = await scene.as("operator").post(pathOf(dan));
  assert.is(status, 409);
  assert.match(body.message, /enable the user first/);
  assert.equal(await selectRows(scene.db, "users", { id: dan.id }, { columns: ["passwordHash"] }), [before]);
});

test("is 401 with a token of any scope, and names the requirement", async ({ scene }) => {
  for (const credential of ["cli", "provisioning", "readonly"] as const) {
    const { status, body } = await scene.as("operator", credential).post(pathOf(scene.people.stranger));
    assert.is(status, 401);
    assert.match(body.message, "resetting a password requires a session");
  }
  assert.is((await scene.as("hubAdmin").post(pathOf(scene.people.stranger))).status, 403);
});

test("of the caller ends the current session too", async ({ scene }) => {
  const root = await createTestUser(scene.db, "root", { operator: true });
  const cookie = `wheelwright=${(await createTestSession(scene.db, root)).secret}`;
  assert.is((await scene.as("nobody").post(pathOf(root), {}, { cookie })).status, 200);
  assert.is((await scene.as("nobody").get("/api/auth/me", { cookie })).status, 401);
});

test.run();
