import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { authenticate, reauthenticate } from "#lib/domains/auth/authenticate.ts";
import { createSecret } from "#lib/drivers/crypto/secret.ts";
import { createApiToken } from "#lib/drivers/crypto/token.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#lib/base/time.ts";
import { createTestApp } from "#test/support/app.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestSession, createTestToken, createTestUser, type TestUser } from "#test/support/users.ts";
import { rejection } from "#test/support/until.ts";
import { NOW, updateRows } from "#test/support/rows.ts";

const ORIGIN = { ip: "192.0.2.7", userAgent: "curl" };
const MESSAGE = "The Authorization header does not contain a valid token";

interface Stage {
  db: TestDatabase;
  app: App;
  person: TestUser;
}

const test = suite<Stage>("authenticate");

test.before(async (stage) => {
  stage.db = await openTestDatabase();
  stage.app = await createTestApp(stage.db);
});
test.before.each(async (stage) => {
  await stage.db.shiftClock(0);
  stage.person = await createTestUser(stage.db, crypto.randomUUID());
});
test.after((stage) => stage.db.close());

test("returns null without header and cookie", async ({ app }) => {
  assert.is(await authenticate(app, requestWith({}), ORIGIN), null);
});

test("finds a session by its cookie, among other cookies", async ({ app, db, person }) => {
  const { id, secret } = await createTestSession(db, person);
  const actor = await authenticate(app, requestWith({ cookie: `theme=dark; wheelwright=${secret}; x=y` }), ORIGIN);
  assert.equal(actor, {
    userId: person.id,
    email: person.email,
    displayName: person.email.split("@")[0],
    role: "spoke_admin",
    federationIds: [],
    spokeIds: [],
    credential: { kind: "session", id, recent: true, hasFactor: false },
    ...ORIGIN,
    tokenPrefix: null,
    hubLimit: null,
  });
});

test("finds a token with scope and prefix, whatever the case of Bearer", async ({ app, db, person }) => {
  const { id, plaintext, prefix } = await createTestToken(db, person, "provisioning");
  for (const word of ["Bearer", "bearer", "BEARER "]) {
    const actor = await authenticate(app, requestWith({ authorization: `${word} ${plaintext}` }), ORIGIN);
    assert.equal(actor?.credential, { kind: "token", id, scope: "provisioning" });
    assert.equal([actor?.userId, actor?.tokenPrefix, actor?.ip], [person.id, prefix, ORIGIN.ip]);
  }
});

test("reads only the cookie __Host-wheelwright on a public service", async ({ db, person }) => {
  const app = await createTestApp(db, { PUBLIC_URL: "https://hubs.example.org" });
  const { secret } = await createTestSession(db, person);
  assert.is(await authenticate(app, requestWith({ cookie: `wheelwright=${secret}` }), ORIGIN), null);
  assert.is(
    (await authenticate(app, requestWith({ cookie: `__Host-wheelwright=${secret}` }), ORIGIN))?.userId,
    person.id,
  );
});

test("never falls back to the cookie if the header is invalid", async ({ app, db, person }) => {
  const { secret } = await createTestSession(db, person);
  const { plaintext } = await createTestToken(db, person, "cli");
  const headers = [
    "",
    "Bearer",
    "Bearer ",
    plaintext,
    `Basic ${btoa("a:b")}`,
    `Token ${plaintext}`,
    `Bearer ${plaintext}x`,
    `Bearer ${plaintext} ${plaintext}`,
    `Bearer ${plaintext}, Bearer ${plaintext}`,
    `Bearer "${plaintext}"`,
    `Bearer ${secret}`,
    `Bearer ${createApiToken("cli").plaintext}`,
  ];
  for (const authorization of headers) {
    const request = requestWith({ authorization, cookie: `wheelwright=${secret}` });
    const fault = await rejection(authenticate(app, request, ORIGIN));
    assert.equal([fault.code, fault.message], ["bad_credentials", MESSAGE], authorization);
  }
});

test("does not query the database for malformed tokens and cookies", async ({ app, db, person }) => {
  const { plaintext } = await createTestToken(db, person, "cli");
  const unasked = { ...app, db: deaf(db) };
  const mistyped = plaintext.slice(0, -1) + (plaintext.endsWith("0") ? "1" : "0");
  for (const token of [mistyped, "x".repeat(10_000), plaintext.replace("cli", "ro"), "%00"]) {
    const fault = await rejection(authenticate(unasked, requestWith({ authorization: `Bearer ${token}` }), ORIGIN));
    assert.is(fault.code, "bad_credentials", token);
  }
  for (
    const cookie of ["wheelwright=", "wheelwright=x", `wheelwright=${"y".repeat(5000)}`, "wheelwright=%ff", "=;;="]
  ) {
    assert.is(await authenticate(unasked, requestWith({ cookie }), ORIGIN), null, cookie);
  }
});

test("rejects an unknown session", async ({ app }) => {
  assert.is(await authenticate(app, requestWith({ cookie: `wheelwright=${createSecret()}` }), ORIGIN), null);
});

test("expires a session 12 hours after its last use", async ({ app, db, person }) => {
  const request = requestWith({ cookie: `wheelwright=${(await createTestSession(db, person)).secret}` });
  await db.shiftClock(12 * HOUR - MINUTE);
  assert.ok(await authenticate(app, request, ORIGIN));
  await db.shiftClock(24 * HOUR - 2 * MINUTE);
  assert.ok(await authenticate(app, request, ORIGIN));
  await db.shiftClock(36 * HOUR);
  assert.is(await authenticate(app, request, ORIGIN), null);
});

test("expires a session after 30 days, even if it is used", async ({ app, db, person }) => {
  const { id, secret } = await createTestSession(db, person);
  const request = requestWith({ cookie: `wheelwright=${secret}` });
  const use = (ago: number) =>
    db.sql(
      "update sessions set last_used_at = wheelwright_now(), created_at = wheelwright_now() - $2::float8 * interval '1 ms' where id = $1",
      [id, ago],
    );
  await use(30 * DAY - MINUTE);
  assert.ok(await authenticate(app, request, ORIGIN));
  await use(30 * DAY + SECOND);
  assert.is(await authenticate(app, request, ORIGIN), null);
});

test("rejects a token from its expiry on", async ({ app, db, person }) => {
  const expiresAt = new Date((await db.now()).getTime() + HOUR);
  const { plaintext } = await createTestToken(db, person, "cli", expiresAt);
  const request = requestWith({ authorization: `Bearer ${plaintext}` });
  await db.shiftClock(HOUR - MINUTE);
  assert.ok(await authenticate(app, request, ORIGIN));
  await db.shiftClock(HOUR);
  assert.is((await rejection(authenticate(app, request, ORIGIN))).message, MESSAGE);
});

test("rejects sessions and tokens of a disabled user", async ({ app, db, person }) => {
  const cookie = `wheelwright=${(await createTestSession(db, person)).secret}`;
  const authorization = `Bearer ${(await createTestToken(db, person, "cli")).plaintext}`;
  await updateRows(db, "users", { disabledAt: NOW }, { id: person.id });
  assert.is(await authenticate(app, requestWith({ cookie }), ORIGIN), null);
  assert.is((await rejection(authenticate(app, requestWith({ authorization }), ORIGIN))).message, MESSAGE);
});

test("needs one statement, and records the use of a credential at most once a minute", async (stage) => {
  const { app, db, person } = stage;
  const token = await createTestToken(db, person, "cli"), session = await createTestSession(db, person);
  const countingDb = counting(db);
  const noted = async () => {
    const [row] = await db.sql(
      "select api_tokens.last_used_at as token_used_at, sessions.last_used_at as session_used_at from api_tokens, sessions where api_tokens.id = $1 and sessions.id = $2",
      [token.id, session.id],
    );
    return [row.tokenUsedAt, row.sessionUsedAt].map(String);
  };
  const use = async () => {
    countingDb.statements.length = 0;
    const asking = { ...app, db: countingDb.db };
    await authenticate(asking, requestWith({ authorization: `Bearer ${token.plaintext}` }), ORIGIN);
    await authenticate(asking, requestWith({ cookie: `wheelwright=${session.secret}` }), ORIGIN);
    return countingDb.statements.map((text) => text.split(" ")[0]);
  };
  assert.equal(await use(), ["select", "update", "select"], "a token's first use is noted, a session's is its login");
  const first = await noted();
  await db.shiftClock(50 * SECOND);
  assert.equal(await use(), ["select", "select"]);
  assert.equal(await noted(), first);
  await db.shiftClock(2 * MINUTE);
  assert.equal(await use(), ["select", "update", "select", "update"]);
  const second = await noted();
  assert.ok(first.every((stamp, i) => stamp !== second[i]));
});

test.run();

const again = suite<Stage>("reauthenticate");

again.before(async (stage) => {
  stage.db = await openTestDatabase();
  stage.app = await createTestApp(stage.db);
  stage.person = await createTestUser(stage.db, "person");
});
again.after((stage) => stage.db.close());

again("returns the caller's current permissions, with the same credential", async ({ app, db, person }) => {
  const { plaintext } = await createTestToken(db, person, "readonly");
  const actor = (await authenticate(app, requestWith({ authorization: `Bearer ${plaintext}` }), ORIGIN))!;
  assert.equal(await reauthenticate(app, actor), actor);
  await updateRows(db, "users", { operator: true }, { id: person.id });
  assert.is((await reauthenticate(app, actor))?.role, "operator");
});

again("returns null if the token is revoked or the session has ended", async ({ app, db, person }) => {
  const token = await createTestToken(db, person, "readonly"), session = await createTestSession(db, person);
  const byToken = (await authenticate(app, requestWith({ authorization: `Bearer ${token.plaintext}` }), ORIGIN))!;
  const bySession = (await authenticate(app, requestWith({ cookie: `wheelwright=${session.secret}` }), ORIGIN))!;
  await updateRows(db, "api_tokens", { revokedAt: NOW });
  assert.is(await reauthenticate(app, byToken), null);
  assert.equal(await reauthenticate(app, bySession), bySession);
  await updateRows(db, "sessions", { endedAt: NOW });
  assert.is(await reauthenticate(app, bySession), null);
});

again.run();

function requestWith(headers: Record<string, string>): Request {
  return new Request("http://localhost:3000/api/auth/me", { headers });
}

/** Returns a database whose queries all fail. */
function deaf(db: TestDatabase): TestDatabase {
  return Object.defineProperty({ ...db }, "rows", {
    get() {
      throw new Error("Unexpected query");
    },
  });
}

/** Returns the database, and the list of its statements. */
function counting(db: TestDatabase) {
  const statements: string[] = [];
  const rows = db.rows.withPlugin({
    transformQuery: ({ node }) => (statements.push(node.kind.replace("QueryNode", "").toLowerCase()), node),
    transformResult: ({ result }) => Promise.resolve(result),
  });
  return { statements, db: { ...db, rows } };
}
