import { scryptSync } from "node:crypto";
import { encodeBase64NoPadding } from "@oslojs/encoding";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { App } from "#lib/app.ts";
import { listAuditEvents } from "#lib/audit/store.ts";
import { authenticate } from "#lib/domains/auth/authenticate.ts";
import { signIn, signOut } from "#lib/domains/auth/login.ts";
import type { PasswordHasher } from "#lib/drivers/crypto/password.ts";
import { createLoginThrottle } from "#lib/base/limits/login-attempts.ts";
import { SECOND } from "#lib/base/time.ts";
import { resetPasswordFromCommandLine } from "#lib/domains/auth/accounts.ts";
import { createTestApp } from "#test/support/app.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createFakePasswords } from "#test/support/mail-link-flows.ts";
import { createTestSession, createTestUser, PASSWORD } from "#test/support/users.ts";
import { rejection } from "#test/support/until.ts";
import { selectRows } from "#test/support/rows.ts";

const ORIGIN = { ip: "192.0.2.7", userAgent: "Firefox" };
const REFUSAL = "Wrong email address or password";

interface Stage {
  db: TestDatabase;
  app: App;
}

const test = suite<Stage>("signIn");

test.before.each(async (stage) => {
  stage.db = await openTestDatabase();
  stage.app = await createTestApp(stage.db);
});
test.after.each((stage) => stage.db.close());

test("starts a session for the cookie, and records who signed in from where", async ({ app, db }) => {
  const ada = await createTestUser(db, "ada");
  const { user, cookie } = await signIn(app, ORIGIN, { email: ada.email, password: PASSWORD });
  assert.equal([user.id, user.role, user.displayName], [ada.id, "spoke_admin", "ada"]);
  assert.match(cookie, /^wheelwright=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
  const actor = await authenticate(app, withCookie(cookie), ORIGIN);
  assert.is(actor?.userId, ada.id);
  const [event] = (await listAuditEvents(db.rows, {}, { limit: 9 })).items;
  assert.equal(
    [event?.kind, event?.actor, event?.objectType, event?.objectId, event?.ip, event?.userAgent],
    ["auth_login", ada, "session", actor?.credential.id, "192.0.2.7", "Firefox"],
  );
});

test("asks unverified users to verify the address, and emails the link at most once an hour", async ({ app, db }) => {
  const una = await createTestUser(db, "una", { verified: false }), ada = await createTestUser(db, "ada");
  await rejection(signIn(app, ORIGIN, { email: una.email, password: "a wrong password" }));
  const mails = () => db.sql("select payload -> 'letter' as letter from jobs where kind = 'mail'");
  assert.equal(await mails(), []);
  for (let i = 0; i < 2; i++) {
    const { message } = await signIn(app, ORIGIN, { email: una.email, password: PASSWORD });
    assert.match(message ?? "", "Verify your email address");
    assert.equal((await mails()).map(({ letter }) => [letter.template, letter.to.email]), [[
      "verification",
      una.email,
    ]]);
  }
  assert.is((await signIn(app, ORIGIN, { email: ada.email, password: PASSWORD })).message, undefined);
  assert.is((await mails()).length, 1);
});

test("stores only the hash of a session's secret", async ({ app, db }) => {
  const ada = await createTestUser(db, "ada");
  const { cookie } = await signIn(app, ORIGIN, { email: ada.email, password: PASSWORD });
  const secret = cookie.slice("wheelwright=".length).split(";")[0]!;
  const [{ kept }] = await db.sql(
    "select string_agg(sessions::text, '') || (select string_agg(audit_events::text, '') from audit_events) as kept from sessions",
  );
  assert.not.match(kept, secret);
  assert.not.match(kept, PASSWORD);
});

test("starts a new session each time", async ({ app, db }) => {
  const ada = await createTestUser(db, "ada");
  const login = { email: ada.email, password: PASSWORD };
  assert.is.not((await signIn(app, ORIGIN, login)).cookie, (await signIn(app, ORIGIN, login)).cookie);
});

test("behaves the same for a wrong address, a wrong or missing password, and a disabled user", async ({ app, db }) => {
  const runs = counting(app.passwords);
  const ada = await createTestUser(db, "ada");
  const invited = await createTestUser(db, "invited", { passwordHash: null });
  const gone = await createTestUser(db, "gone", { disabled: true });
  const attempts = [
    { email: "nobody@example.org", password: PASSWORD },
    { email: ada.email, password: "a wrong password" },
    { email: invited.email, password: PASSWORD },
    { email: gone.email, password: PASSWORD },
  ];
  const costs: unknown[] = [];
  for (const login of attempts) {
    const statements: string[] = [];
    const fault = await rejection(signIn({ ...app, db: watched(db, statements), passwords: runs }, ORIGIN, login));
    assert.equal([fault.code, fault.message], ["login_failed", REFUSAL]);
    costs.push([statements, runs.count()]);
  }
  for (const cost of costs) assert.equal(cost, costs[0]);
  assert.is((costs[0] as [string[], number])[1], 1, "one run of scrypt");
  assert.equal(await selectRows(db, "sessions", {}, { columns: ["id"] }), []);
});

test("records a failure with the entered address and without the password", async ({ app, db }) => {
  const ada = await createTestUser(db, "ada");
  for (const email of [ada.email, "nobody@example.org"]) {
    await rejection(signIn(app, ORIGIN, { email, password: "my secret, mistyped" }));
  }
  const events = (await listAuditEvents(db.rows, { kind: "auth_login_failed" }, { limit: 9 })).items;
  assert.equal(events.map(({ actor, objectType, objectId }) => ({ actor, objectType, objectId })), [
    { actor: { id: "anonymous", email: "nobody@example.org" }, objectType: "user", objectId: "unknown" },
    { actor: { id: "anonymous", email: ada.email }, objectType: "user", objectId: ada.id },
  ]);
  assert.not.match(JSON.stringify(events), "mistyped");
});

test("waits in the queue without a connection until the request ends, whether or not the account exists", async ({ app, db }) => {
  const ada = await createTestUser(db, "ada"), quick = { ...app, passwords: createFakePasswords() };
  const outcomes: unknown[] = [];
  for (const email of [ada.email, "nobody@example.org"]) {
    const attempts = createLoginThrottle({ after: () => () => {} }), statements: string[] = [];
    const stage = { ...quick, loginAttempts: attempts, db: watched(db, statements) };
    for (let i = 0; i < 5; i++) await rejection(signIn(stage, ORIGIN, { email, password: "a wrong password" }));
    const countBefore = statements.splice(0).length, leaving = new AbortController();
    const waiting = rejection(signIn(stage, ORIGIN, { email, password: PASSWORD }, { signal: leaving.signal }));
    leaving.abort(new Error("The client is gone"));
    outcomes.push([countBefore, (await waiting).message, statements, quick.passwords.count()]);
  }
  assert.equal(outcomes, Array.from({ length: 2 }, () => [10, "The client is gone", [], 5]));
});

test("lets the owner sign in between slowed guesses of others", async ({ app, db }) => {
  const ada = await createTestUser(db, "ada"), waiting: (() => void)[] = [];
  const attempts = createLoginThrottle({ after: (ms, work) => (ms <= 2 * SECOND && waiting.push(work), () => {}) });
  const stage = { ...app, loginAttempts: attempts, passwords: createFakePasswords() };
  const attempt = (ip: string, password: string) =>
    signIn(stage, { ...ORIGIN, ip }, { email: ada.email, password }).catch((error) => error.code);
  for (let i = 0; i < 5; i++) await attempt("2001:db8:1::1", "a wrong password");
  const guesses = Array.from({ length: 9 }, (_, i) => attempt(`2001:db8:1:${i}::1`, "a wrong password"));
  const owner = attempt("192.0.2.7", PASSWORD);
  waiting.shift()!();
  assert.is((await owner).user.id, ada.id);
  assert.equal([...new Set(await Promise.all(guesses.slice(0, 5)))], ["login_failed"]);
});

test("rehashes an outdated hash once", async ({ app, db }) => {
  const ada = await createTestUser(db, "ada", { passwordHash: cheapHash(PASSWORD) });
  const login = { email: ada.email, password: PASSWORD };
  const hash = async () => (await selectRows(db, "users"))[0].passwordHash!;
  await signIn(app, ORIGIN, login);
  const renewed = await hash();
  assert.match(renewed, /^\$scrypt\$ln=15,r=8,p=3\$/);
  await signIn(app, ORIGIN, login);
  assert.is(await hash(), renewed);
});

test("accepts two parallel logins with an outdated hash", async ({ app, db }) => {
  const ada = await createTestUser(db, "ada", { passwordHash: cheapHash(PASSWORD) });
  const login = { email: ada.email, password: PASSWORD };
  const both = await Promise.all([signIn(app, ORIGIN, login), signIn(app, ORIGIN, login)]);
  for (const { cookie } of both) assert.ok(await authenticate(app, withCookie(cookie), ORIGIN));
});

test("rejects the old password if a new one is set during the check", async ({ app, db }) => {
  const ada = await createTestUser(db, "ada");
  let checks = 0;
  const passwords: PasswordHasher = {
    ...app.passwords,
    async verify(...args) {
      const verdict = await app.passwords.verify(...args);
      if (++checks === 1) await resetPasswordFromCommandLine(app, ada.email);
      return verdict;
    },
  };
  const fault = await rejection(signIn({ ...app, passwords }, ORIGIN, { email: ada.email, password: PASSWORD }));
  assert.equal([fault.code, checks], ["login_failed", 2]);
  assert.equal(await selectRows(db, "sessions", {}, { columns: ["id"] }), []);
});

test.run();

const leaving = suite<Stage>("signOut");

leaving.before.each(async (stage) => {
  stage.db = await openTestDatabase();
  stage.app = await createTestApp(stage.db);
});
leaving.after.each((stage) => stage.db.close());

leaving("ends only this session, once, and clears the cookie", async ({ app, db }) => {
  const ada = await createTestUser(db, "ada");
  const [one, other] = [await createTestSession(db, ada), await createTestSession(db, ada)];
  const actor = await authenticate(app, withCookie(`wheelwright=${one.secret}`), ORIGIN);
  const cleared = await signOut(app, actor);
  assert.is(cleared, "wheelwright=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax");
  await signOut(app, actor);
  assert.is(await authenticate(app, withCookie(`wheelwright=${one.secret}`), ORIGIN), null);
  assert.ok(await authenticate(app, withCookie(`wheelwright=${other.secret}`), ORIGIN));
  const events = (await listAuditEvents(db.rows, { kind: "auth_logout" }, { limit: 9 })).items;
  assert.equal(events.map((event) => [event.actor, event.objectId]), [[ada, one.id]]);
});

leaving("does nothing without a session", async ({ app, db }) => {
  assert.match(await signOut(app, null), "Max-Age=0");
  assert.equal((await listAuditEvents(db.rows, {}, { limit: 9 })).items, []);
});

leaving.run();

function withCookie(cookie: string): Request {
  return new Request("http://localhost:3000/", { headers: { cookie: cookie.split(";")[0]! } });
}

function counting(passwords: PasswordHasher): PasswordHasher & { count(): number } {
  let runs = 0;
  return {
    hash: (...args) => (runs++, passwords.hash(...args)),
    verify: (...args) => (runs++, passwords.verify(...args)),
    count: () => {
      const count = runs;
      runs = 0;
      return count;
    },
  };
}

/** Returns the database, and the list of the kinds of its statements. */
function watched(db: TestDatabase, statements: string[]): TestDatabase {
  const rows = db.rows.withPlugin({
    transformQuery: ({ node }) => (statements.push(node.kind), node),
    transformResult: ({ result }) => Promise.resolve(result),
  });
  const transact: TestDatabase["transact"] = (work) => db.transact((tx) => (statements.push("transaction"), work(tx)));
  return { ...db, rows, transact };
}

function cheapHash(password: string): string {
  const salt = new Uint8Array(16).fill(7), key = scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 });
  return `$scrypt$ln=4,r=8,p=1$${encodeBase64NoPadding(salt)}$${encodeBase64NoPadding(key)}`;
}
