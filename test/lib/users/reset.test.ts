import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readAudit } from "#lib/audit/store.ts";
import { verifyPassword } from "#lib/crypto/password.ts";
import { resetPassword } from "#lib/users/reset.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { makePerson, makeSession, makeToken, PASSWORD } from "#test/support/people.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("resetPassword");

test.before.each(async (stage) => {
  stage.db = await openTestDatabase();
});
test.after.each((stage) => stage.db.close());

test("returns a password that is right from then on, and the old one is not", async ({ db }) => {
  const ada = await makePerson(db, "ada");
  const password = await resetPassword(db, " ADA@example.org ");
  const [{ password_hash }] = await db.sql("select password_hash from users where id = $1", [ada.id]);
  assert.is(await verifyPassword(password, password_hash), "right");
  assert.is(await verifyPassword(PASSWORD, password_hash), "wrong");
});

test("ends the user's sessions, tells their streams, and leaves tokens and others alone", async ({ db }) => {
  const ada = await makePerson(db, "ada"), bob = await makePerson(db, "bob");
  await makeSession(db, ada);
  const other = await makeSession(db, bob);
  await makeToken(db, ada, "cli");
  let told = false;
  const end = db.wakeups.subscribe("credentials", () => void (told = true));
  await resetPassword(db, ada.email);
  await until(() => told);
  end();
  assert.equal(await db.sql("select id from sessions where ended_at is null"), [{ id: other.id }]);
  assert.equal(await db.sql("select id from api_tokens where revoked_at is not null"), []);
});

test("is written down, without the password", async ({ db }) => {
  const ada = await makePerson(db, "ada");
  const password = await resetPassword(db, ada.email);
  const [event] = await readAudit(db.rows, {}, { limit: 9 });
  assert.equal([event?.kind, event?.actor.id, event?.objectId], ["password_reset", "system", ada.id]);
  assert.not.match(JSON.stringify(event), password);
});

test("says that there is no such user", async ({ db }) => {
  const fault = await rejection(resetPassword(db, "nobody@example.org"));
  assert.equal([fault.code, fault.message], [
    "user_missing",
    "There is no user with the e-mail address nobody@example.org",
  ]);
});

test.run();
