import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { openPasswordHasher, verifyPassword } from "#lib/drivers/crypto/password.ts";
import { resetPasswordFromCommandLine } from "#lib/domains/auth/accounts.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestSession, createTestToken, createTestUser, PASSWORD } from "#test/support/users.ts";
import { rejection, until } from "#test/support/until.ts";
import { selectRows, updateRows } from "#test/support/rows.ts";

const test = suite<{ db: TestDatabase }>("resetByOperator");

test.before(async (stage) => {
  stage.db = await openTestDatabase();
});
test.after((stage) => stage.db.close());

test("returns a password that works, and invalidates the old one", async ({ db }) => {
  const ada = await createTestUser(db, "ada");
  const { password } = await resetPasswordFromCommandLine({ db, passwords: openPasswordHasher() }, " ADA@example.org ");
  const [{ passwordHash }] = await selectRows(db, "users", { id: ada.id }, { columns: ["passwordHash"] });
  assert.is(await verifyPassword(password, passwordHash), "right");
  assert.is(await verifyPassword(PASSWORD, passwordHash), "wrong");
});

test("ends the user's sessions and their streams, but keeps tokens and other users", async ({ db }) => {
  const ada = await createTestUser(db, "ann"), bob = await createTestUser(db, "bob");
  await createTestSession(db, ada);
  const other = await createTestSession(db, bob);
  await createTestToken(db, ada, "cli");
  let isWoken = false;
  const end = db.wakeups.subscribe(`user:${ada.id}`, () => void (isWoken = true));
  await resetPasswordFromCommandLine(quick(db), ada.email);
  await until(() => isWoken);
  end();
  assert.equal(await selectRows(db, "sessions", { endedAt: null }, { columns: ["id"] }), [{ id: other.id }]);
  assert.equal(await db.sql("select id from api_tokens where revoked_at is not null"), []);
});

test("verifies an unverified address and revokes a stranger's credentials", async ({ db }) => {
  const eve = await createTestUser(db, "eve", { verified: false });
  const { id } = await createTestToken(db, eve, "cli");
  await resetPasswordFromCommandLine(quick(db), eve.email);
  const [user] = await selectRows(db, "users", { id: eve.id }, { columns: ["emailVerifiedAt"] });
  assert.ok(user.emailVerifiedAt);
  assert.equal(await db.sql("select id from api_tokens where revoked_at is not null"), [{ id }]);
  const events = await kindsOf(db, eve.id);
  assert.equal(events, ["email_verified", "password_reset", "token_revoked"]);
});

test("is rejected for a disabled user while an operator can enable them", async ({ db }) => {
  await createTestUser(db, "root", { operator: true });
  for (const operator of [true, false]) {
    const dan = await createTestUser(db, `dan-${operator}`, { disabled: true, operator });
    const fault = await rejection(resetPasswordFromCommandLine(quick(db), dan.email));
    assert.equal([fault.code, /an operator must enable the user/.test(fault.message)], ["user_disabled", true]);
    assert.equal(await kindsOf(db, dan.id), []);
  }
});

test("enables a disabled operator only if no other operator is left", async ({ db }) => {
  await updateRows(db, "users", { operator: false });
  const lost = await createTestUser(db, "lost", { disabled: true, operator: true });
  await createTestUser(db, "unproven", { verified: false, operator: true });
  const plain = await createTestUser(db, "plain", { disabled: true });
  assert.is((await rejection(resetPasswordFromCommandLine(quick(db), plain.email))).code, "user_disabled");
  assert.is((await resetPasswordFromCommandLine(quick(db), lost.email)).enabled, true);
  const [user] = await selectRows(db, "users", { id: lost.id }, { columns: ["disabledAt"] });
  assert.is(user.disabledAt, null);
  const [event] = await selectRows(db, "audit_events", { kind: "user_updated" }, { columns: ["metadata"] });
  assert.equal(event.metadata, { changed: { disabled: false } });
});

test("is recorded without the password", async ({ db }) => {
  const ada = await createTestUser(db, "eda");
  const { password } = await resetPasswordFromCommandLine(quick(db), ada.email);
  const [event] = (await listAuditEvents(db.rows, {}, { limit: 9 })).items;
  assert.equal([event?.kind, event?.actor.id, event?.objectId], ["password_reset", "system", ada.id]);
  assert.not.match(JSON.stringify(event), password);
});

test("reports an unknown user", async ({ db }) => {
  const fault = await rejection(resetPasswordFromCommandLine(quick(db), "nobody@example.org"));
  assert.equal([fault.code, fault.message], [
    "user_missing",
    "There is no user with the email address nobody@example.org",
  ]);
});

test.run();

/** The dependencies, with a fast hash. */
function quick(db: TestDatabase) {
  const passwords = { hash: () => Promise.resolve("no hash"), verify: () => Promise.resolve("wrong" as const) };
  return { db, passwords };
}

async function kindsOf(db: TestDatabase, userId: string): Promise<string[]> {
  const found = await db.sql(
    "select kind from audit_events where object_id = $1 or metadata->>'userId' = $1 order by kind",
    [userId],
  );
  return found.map(({ kind }) => kind);
}
