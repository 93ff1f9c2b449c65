/** Tests the recorded last use of a credential. Reads work even if it cannot be written. */
import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { findSession, findToken, recordSessionUse, recordTokenUse } from "#lib/domains/auth/credentials.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestSession, createTestToken, createTestUser, type TestUser } from "#test/support/users.ts";
import { rejection } from "#test/support/until.ts";

const ORIGIN = { ip: "192.0.2.7", userAgent: "curl" };

const test = suite<{ db: TestDatabase; ada: TestUser }>("recordTokenUse and recordSessionUse");
test.before.each(async (context) => {
  context.db = await openTestDatabase({ size: 1 });
  context.ada = await createTestUser(context.db, "ada");
});
test.after.each(({ db }) => db.close());

/** Makes updates of these tables fail with this error. */
async function refuse(db: TestDatabase, state: string): Promise<void> {
  await db.sql(`create function refuse() returns trigger language plpgsql
    as $$ begin raise exception 'refused' using errcode = '${state}'; end $$`);
  for (const table of ["api_tokens", "sessions"]) {
    await db.sql(`create trigger refuse before update on ${table} for each row execute function refuse()`);
  }
}

test("ignore a read-only database, but no other error", async ({ db, ada }) => {
  const token = await createTestToken(db, ada, "cli"), session = await createTestSession(db, ada);
  await db.sql("update sessions set last_used_at = last_used_at - interval '1 hour'");
  await refuse(db, "53100");
  await recordTokenUse(db.rows, token.id, ORIGIN);
  await recordSessionUse(db.rows, session.id);
  await db.sql("drop function refuse cascade");
  await refuse(db, "22012");
  for (const note of [recordTokenUse(db.rows, token.id, ORIGIN), recordSessionUse(db.rows, session.id)]) {
    assert.is((await rejection(note)).code, "22012");
  }
});

test("are not due on a read-only server", async ({ db, ada }) => {
  const token = await createTestToken(db, ada, "cli"), session = await createTestSession(db, ada);
  await db.sql("update sessions set last_used_at = last_used_at - interval '1 hour'");
  const stale = async () => [
    (await findToken(db.rows, { id: token.id }))?.stale,
    (await findSession(db.rows, { id: session.id }))?.stale,
  ];
  assert.equal(await stale(), [true, true]);
  await sql`set default_transaction_read_only = on`.execute(db.rows);
  assert.equal(await stale(), [false, false]);
});

test.run();
