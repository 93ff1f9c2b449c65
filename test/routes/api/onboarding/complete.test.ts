import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addOneTimeTokenSecret, createOneTimeToken } from "#lib/domains/auth/one-time-tokens.ts";
import { verifyPassword } from "#lib/drivers/crypto/password.ts";
import { createTestSession, createTestToken, createTestUser, type TestUser } from "#test/support/users.ts";
import type { ClientResponse } from "#test/support/client.ts";
import { openScene, type Scene } from "#test/support/scene.ts";
import { NOW, selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ scene: Scene }>("POST /api/onboarding/complete");
test.before(async (context) => {
  context.scene = await openScene();
});
test.after(({ scene }) => scene.close());

const PATH = "/api/onboarding/complete";
const PASSWORD = "what nobody would ever guess";

interface Newcomer {
  readonly person: TestUser;
  readonly cookie: string;
  complete(body?: unknown): Promise<ClientResponse>;
}

async function newcomer(scene: Scene, name: string, verified = true): Promise<Newcomer> {
  const person = await createTestUser(scene.db, name, { verified });
  const cookie = await cookieOf(scene, person);
  const headers = { cookie, "content-type": "application/json" };
  return {
    person,
    cookie,
    complete: (body = {}) => scene.send(PATH, { method: "POST", headers, body: JSON.stringify(body) }),
  };
}

async function cookieOf(scene: Scene, person: TestUser): Promise<string> {
  return `wheelwright=${(await createTestSession(scene.db, person)).secret}`;
}

async function statusOf(scene: Scene, headers: Record<string, string>): Promise<number> {
  return (await scene.send("/api/auth/me", { headers })).status;
}

function renewed({ headers }: ClientResponse): string {
  return headers.get("set-cookie")!.split(";")[0]!;
}

async function rowOf(scene: Scene, { id }: TestUser) {
  const [row] = await selectRows(scene.db, "users", { id });
  return row;
}

test("sets name and password and requests a first hub in one transaction", async ({ scene }) => {
  const { person, cookie, complete } = await newcomer(scene, "ada");
  const other = await cookieOf(scene, person), token = await createTestToken(scene.db, person, "readonly");
  const grant = await scene.db.transact((tx) => createOneTimeToken(tx, "password_reset", person.id));
  assert.equal((await scene.send("/api/onboarding", { headers: { cookie } })).body, { onboardedAt: null });
  const answer = await complete({ displayName: "Ada", password: PASSWORD, federationRequest: { slug: "adas" } });
  assert.is(answer.status, 200);
  const { user, federationRequest } = answer.body;
  assert.equal([user.id, user.displayName, federationRequest.slug, federationRequest.state], [
    person.id,
    "Ada",
    "adas",
    "pending",
  ]);
  const row = await rowOf(scene, person);
  assert.is(await verifyPassword(PASSWORD, row.passwordHash), "right");
  assert.is(await scene.db.transact((tx) => addOneTimeTokenSecret(tx, grant.id)), null); // an open reset is void
  // All previous sessions ended; the new one and the token still work.
  assert.is(await statusOf(scene, { cookie }), 401);
  assert.is(await statusOf(scene, { cookie: other }), 401);
  assert.is(await statusOf(scene, { cookie: renewed(answer) }), 200);
  assert.is(await statusOf(scene, { authorization: `Bearer ${token.plaintext}` }), 200);
  const { body } = await scene.send("/api/onboarding", { headers: { cookie: renewed(answer) } });
  assert.is(body.onboardedAt, row.onboardedAt!.toISOString());
  const audit = await selectRows(scene.db, "audit_events", { actorId: person.id }, { orderBy: "at" });
  assert.equal(audit.map(({ kind, metadata }) => [kind, metadata.changed]), [
    ["onboarding_completed", ["displayName", "password"]],
    ["federation_requested", undefined],
  ]);
  assert.not.match(JSON.stringify(audit), PASSWORD);
  const [{ payload }] = await scene.db.sql(
    "select payload from jobs where payload->'letter'->>'template' = 'password-changed'",
  );
  assert.equal([payload.letter.template, payload.letter.to.email], ["password-changed", person.email]);
});

test("accepts an empty body, which only completes onboarding", async ({ scene }) => {
  const { person, cookie, complete } = await newcomer(scene, "bob");
  const other = await cookieOf(scene, person), before = await rowOf(scene, person);
  const answer = await complete({ displayName: null, password: null, federationRequest: null });
  assert.equal([answer.status, answer.body.federationRequest, answer.body.user.displayName], [200, null, "bob"]);
  const after = await rowOf(scene, person);
  assert.equal([after.passwordHash, after.displayName], [before.passwordHash, before.displayName]);
  assert.is(await statusOf(scene, { cookie: other }), 200);
  assert.is(await statusOf(scene, { cookie }), 401);
  assert.is(await statusOf(scene, { cookie: renewed(answer) }), 200);
});

test("succeeds once, also simultaneously", async ({ scene }) => {
  const { person, complete } = await newcomer(scene, "cid");
  const cookies = await Promise.all([1, 2, 3].map(() => cookieOf(scene, person)));
  const all = await Promise.all(cookies.map((cookie, i) =>
    scene.send(PATH, {
      method: "POST",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify({ displayName: `Cid ${i}` }),
    })
  ));
  assert.equal(all.map(({ status }) => status).sort(), [200, 409, 409]);
  assert.match(all.find(({ status }) => status === 409)!.body.message, "Onboarding is already complete");
  const { displayName } = await rowOf(scene, person);
  assert.is((await complete({ displayName: "Late", password: PASSWORD })).status, 409);
  assert.is((await rowOf(scene, person)).displayName, displayName);
  assert.is(all.findIndex(({ status }) => status === 200), Number(displayName.split(" ")[1]));
});

test("changes nothing if the hub request is refused", async ({ scene }) => {
  const { person, cookie, complete } = await newcomer(scene, "dan"), before = await rowOf(scene, person);
  const refused = await complete({ displayName: "Dan", password: PASSWORD, federationRequest: { slug: "north" } });
  assert.is(refused.status, 409);
  assert.match(refused.body.message, "north is taken");
  const una = await newcomer(scene, "una", false);
  assert.is((await una.complete({ displayName: "Una", federationRequest: { slug: "unas" } })).status, 403);
  assert.equal(await rowOf(scene, person), before);
  assert.is(await statusOf(scene, { cookie }), 200);
  assert.is((await complete({ federationRequest: { slug: "dans" } })).status, 200);
});

test("sets a password for a recent session only", async ({ scene }) => {
  const { person, complete } = await newcomer(scene, "gil"), before = await rowOf(scene, person);
  await scene.db.sql("update sessions set created_at = created_at - interval '2 hours' where user_id = $1", [
    person.id,
  ]);
  const { status, body } = await complete({ displayName: "Gil", password: PASSWORD });
  assert.equal([status, body.code], [403, "session_too_old"]);
  assert.match(body.message, "sign in again to set a password");
  assert.equal(await rowOf(scene, person), before);
  assert.is((await complete({ displayName: "Gil" })).status, 200);
});

test("sets nothing if the session ends while the password is hashed", async ({ scene }) => {
  const { person, complete } = await newcomer(scene, "eve"), before = await rowOf(scene, person);
  const app = scene.app as { passwords: Scene["app"]["passwords"] }, { passwords } = app;
  app.passwords = {
    ...passwords,
    async hash() {
      // Like a password reset during the request.
      await updateRows(scene.db, "sessions", { endedAt: NOW }, { userId: person.id });
      return "a hash";
    },
  };
  try {
    const { status, headers } = await complete({ password: PASSWORD });
    assert.equal([status, headers.get("set-cookie")], [401, null]);
  } finally {
    app.passwords = passwords;
  }
  assert.equal(await rowOf(scene, person), before);
});

test("refuses passwords that break the rules, and names the field", async ({ scene }) => {
  const { complete } = await newcomer(scene, "fay");
  const cases: [unknown, RegExp][] = [
    [{ password: "short" }, /password must have 12 to 256 characters/],
    [{ password: 7 }, /password must be/],
    [{ password: "password1234" }, /password must not be/],
    [{ password: "FAY@example.org" }, /password must not be the account's email address/],
    [{ displayName: "" }, /displayName must be/],
    [{ displayName: "nul\u0000" }, /displayName must be/],
    [{ federationRequest: {} }, /federationRequest.slug is missing/],
    [{ federationRequest: "adas" }, /federationRequest must be/],
  ];
  for (const [input, message] of cases) {
    const { status, body } = await complete(input);
    assert.is(status, 400, JSON.stringify(input));
    assert.match(body.message, message);
  }
});

test("requires a session: 401 for tokens, with the reason, and without credentials", async ({ scene }) => {
  const { status, body } = await scene.as("operator", "cli").post(PATH, {});
  assert.is(status, 401);
  assert.is(body.message, "completing onboarding requires a session");
  assert.is((await scene.as("nobody").post(PATH, {})).status, 401);
});

test.run();
