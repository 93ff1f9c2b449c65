import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listAuditEvents } from "#lib/audit/store.ts";
import { verifyPassword } from "#lib/drivers/crypto/password.ts";
import { createLog, SILENT_LOG } from "#lib/base/log.ts";
import { bootstrapFirstOperator, createFirstOperator, ensureFirstOperator } from "#lib/domains/users/bootstrap.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestSession, createTestToken, createTestUser } from "#test/support/users.ts";
import { selectRows } from "#test/support/rows.ts";

const ADMIN = { email: "root@example.org", password: "a long enough one" };

interface Stage {
  db: TestDatabase;
}

const test = suite<Stage>("bootstrapAdmin");
const first = suite<Stage>("ensureFirstOperator");

for (const each of [test, first]) {
  each.before.each(async (stage) => {
    stage.db = await openTestDatabase();
  });
  each.after.each((stage) => stage.db.close());
}

test("creates an operator with the configured address and password, and records it", async ({ db }) => {
  await bootstrapFirstOperator(db, ADMIN, SILENT_LOG);
  const [user] = await selectRows(db, "users");
  assert.equal([user.email, user.operator, user.disabledAt], [ADMIN.email, true, null]);
  assert.instance(user.emailVerifiedAt, Date);
  assert.is(await verifyPassword(ADMIN.password, user.passwordHash), "right");
  const events = (await listAuditEvents(db.rows, {}, { limit: 9 })).items;
  assert.equal(events.map(({ kind, actor, objectId }) => [kind, actor.id, objectId]), [
    ["user_created", "system", user.id],
  ]);
});

test("creates one after other users have signed up, and revokes a stranger's credentials", async ({ db }) => {
  const stranger = await createTestUser(db, "root", { verified: false }), other = await createTestUser(db, "ada");
  const session = await createTestSession(db, stranger), token = await createTestToken(db, stranger, "cli");
  await bootstrapFirstOperator(db, ADMIN, SILENT_LOG);
  const [user] = await db.sql("select * from users where operator");
  assert.equal([user.id, user.email, user.displayName], [stranger.id, ADMIN.email, ADMIN.email]);
  assert.instance(user.emailVerifiedAt, Date);
  assert.is(await verifyPassword(ADMIN.password, user.passwordHash), "right");
  assert.equal(await selectRows(db, "sessions", { id: session.id, endedAt: null }), []);
  assert.equal(await selectRows(db, "api_tokens", { id: token.id, revokedAt: null }), []);
  assert.equal(await db.sql("select id from users where not operator"), [{ id: other.id }]);
  const [event] = (await listAuditEvents(db.rows, {}, { limit: 9 })).items;
  assert.equal([event!.kind, event!.objectId], ["user_updated", stranger.id]);
});

test("changes nothing if an operator exists", async ({ db }) => {
  await bootstrapFirstOperator(db, ADMIN, SILENT_LOG);
  const before = await selectRows(db, "users");
  await bootstrapFirstOperator(db, { email: "other@example.org", password: "another password" }, SILENT_LOG);
  await bootstrapFirstOperator(db, { ...ADMIN, password: "another password" }, SILENT_LOG);
  assert.equal(await selectRows(db, "users"), before);
});

test("creates one operator when several replicas start at the same time", async ({ db }) => {
  const replicas = await Promise.all([db.openAgain(), db.openAgain(), db.openAgain()]);
  try {
    const made = await Promise.all(
      replicas.map((replica, i) => createFirstOperator(replica, { ...ADMIN, email: `root${i % 2}@example.org` })),
    );
    assert.is(made.filter(Boolean).length, 1);
    assert.is((await selectRows(db, "users")).length, 1);
    assert.is((await listAuditEvents(db.rows, {}, { limit: 9 })).items.length, 1);
  } finally {
    for (const replica of replicas) await replica.close();
  }
});

test("accepts a password that breaks the rules, and logs a warning without the password", async ({ db }) => {
  const { log, lines } = listening();
  await bootstrapFirstOperator(db, { ...ADMIN, password: "admin" }, log);
  const [user] = await selectRows(db, "users", {}, { columns: ["passwordHash"] });
  assert.is(await verifyPassword("admin", user.passwordHash), "right");
  assert.match(lines.join(""), "must have 12 to 256 characters");
  assert.not.match(lines.join(""), '"admin"');
});

test("accepts the operator's address as the password, with a warning", async ({ db }) => {
  const { log, lines } = listening();
  await bootstrapFirstOperator(db, { ...ADMIN, password: ADMIN.email }, log);
  const [user] = await selectRows(db, "users", {}, { columns: ["passwordHash"] });
  assert.is(await verifyPassword(ADMIN.email, user.passwordHash), "right");
  assert.match(lines.join(""), "must not be the account's email address");
});

test("warns if no operator is configured and none exists", async ({ db }) => {
  const { log, lines } = listening();
  await bootstrapFirstOperator(db, null, log);
  assert.match(lines.join(""), "BOOTSTRAP_ADMIN_EMAIL");
  await createTestUser(db, "ada", { operator: true });
  lines.length = 0;
  await bootstrapFirstOperator(db, null, log);
  assert.equal(lines, []);
});

test.run();

first("generates a password if none is configured, and returns it once", async ({ db }) => {
  const made = await ensureFirstOperator(db, null, SILENT_LOG);
  const [user] = await selectRows(db, "users", {}, { columns: ["email", "passwordHash"] });
  assert.is(made.email, user.email);
  assert.is(await verifyPassword(made.password!, user.passwordHash), "right");
  assert.equal(await ensureFirstOperator(db, null, SILENT_LOG), { email: user.email, password: null });
});

first("returns the configured operator without repeating the password", async ({ db }) => {
  assert.equal(await ensureFirstOperator(db, ADMIN, SILENT_LOG), { email: ADMIN.email, password: null });
});

first("returns the existing operator, whatever is configured now", async ({ db }) => {
  await ensureFirstOperator(db, ADMIN, SILENT_LOG);
  const other = { email: "other@example.org", password: "another password" };
  assert.equal(await ensureFirstOperator(db, other, SILENT_LOG), { email: ADMIN.email, password: null });
});

first.run();

function listening() {
  const lines: string[] = [];
  return { log: createLog({ level: "info", format: "json", write: (line) => void lines.push(line) }), lines };
}
