import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DAY, HOUR } from "#lib/base/time.ts";
import { mailExpiringTokens } from "#lib/domains/auth/expiring-tokens.ts";
import type { MailTemplateData } from "#lib/drivers/mail/letter.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { deleteRows, NOW, selectRows, updateRows } from "#test/support/rows.ts";
import { createTestToken, createTestUser, type TestUser } from "#test/support/users.ts";

const test = suite<{ db: TestDatabase; ann: TestUser }>("mailExpiringTokens");
test.before.each(async (context) => {
  context.db = await openTestDatabase();
  context.ann = await createTestUser(context.db, "ann");
});
test.after.each(({ db }) => db.close());

test("emails seven days ahead, and for a life of over 30 days again one day ahead", async ({ db, ann }) => {
  await createTestToken(db, ann, "cli", await daysFromNow(db, 20));
  await createTestToken(db, ann, "readonly", await daysFromNow(db, 40));
  const days: [number, string[]][] = [];
  for (let day = 0; day <= 41; day++) {
    await db.shiftClock(day * DAY);
    const names = (await mail(db)).flatMap(({ tokens }) => tokens.map(({ name }) => name));
    if (names.length > 0) days.push([day, names]);
  }
  assert.equal(days, [[13, ["cli"]], [33, ["readonly"]], [39, ["readonly"]]]);
});

test("emails once if the job did not run for a week", async ({ db, ann }) => {
  await createTestToken(db, ann, "cli", await daysFromNow(db, 40));
  await db.shiftClock(39 * DAY + HOUR);
  assert.is((await mail(db)).length, 1);
  await db.shiftClock(39 * DAY + 2 * HOUR);
  assert.is((await mail(db)).length, 0);
});

test("omits short-lived, permanent, revoked and expired tokens", async ({ db, ann }) => {
  await createTestToken(db, ann, "cli", await daysFromNow(db, 7));
  await createTestToken(db, ann, "cli");
  const { id } = await createTestToken(db, ann, "cli", await daysFromNow(db, 10));
  await updateRows(db, "api_tokens", { revokedAt: NOW }, { id });
  const expired = await createTestToken(db, ann, "cli", await daysFromNow(db, 10));
  await updateRows(db, "api_tokens", { expiresAt: NOW }, { id: expired.id });
  for (let day = 0; day < 10; day++) {
    await db.shiftClock(day * DAY);
    assert.equal(await mail(db), []);
  }
});

test("omits disabled and unverified users until that changes", async ({ db }) => {
  for (const state of [{ disabled: true }, { verified: false }]) {
    const person = await createTestUser(db, JSON.stringify(state), state);
    await createTestToken(db, person, "cli", await daysFromNow(db, 10));
  }
  await db.shiftClock(4 * DAY);
  assert.equal(await mail(db), []);
  await updateRows(db, "users", { disabledAt: null, emailVerifiedAt: NOW });
  assert.is((await mail(db)).length, 2);
});

test("names ten of a user's tokens, the next to expire first, with their last use", async ({ db, ann }) => {
  const bob = await createTestUser(db, "bob");
  for (const day of [13, 11, 12]) {
    const { id } = await createTestToken(db, ann, "cli", await daysFromNow(db, day));
    await updateRows(db, "api_tokens", { name: `token ${day}` }, { id });
  }
  for (let i = 0; i < 12; i++) await createTestToken(db, bob, "cli", await daysFromNow(db, 10));
  await updateRows(db, "api_tokens", { lastUsedAt: NOW, lastUsedIp: "192.0.2.7", lastUsedAgent: "curl" }, {
    name: "token 11",
  });
  await db.shiftClock(6 * DAY);
  const letters = await mail(db), own = letters.find(({ tokens }) => tokens.length === 3)!;
  assert.equal(own.tokens.map(({ name, ip, userAgent }) => [name, ip, userAgent]), [
    ["token 11", "192.0.2.7", "curl"],
    ["token 12", "", ""],
    ["token 13", "", ""],
  ]);
  assert.ok(own.tokens[0]!.lastUsedAt !== null && own.tokens[1]!.lastUsedAt === null);
  assert.equal(letters.filter((one) => one !== own).map(({ tokens, more }) => [tokens.length, more]), [[10, 2]]);
});

test("queues no email twice if two replicas run it, and none if the transaction fails", async ({ db, ann }) => {
  for (let i = 0; i < 4; i++) await createTestToken(db, ann, "cli", await daysFromNow(db, 10));
  await db.shiftClock(4 * DAY);
  await db.transact(async (tx) => {
    await mailExpiringTokens(tx, 10);
    throw new Error("killed");
  }).catch(() => {});
  assert.is((await selectRows(db, "jobs", { kind: "mail" })).length, 0);
  const found = await Promise.all([1, 2, 3].map(() => db.transact((tx) => mailExpiringTokens(tx, 2))));
  const rest = await db.transact((tx) => mailExpiringTokens(tx, 10));
  assert.is(found.reduce((sum, count) => sum + count, rest), 4);
});

test.run();

async function daysFromNow(db: TestDatabase, days: number): Promise<Date> {
  return new Date((await db.now()).getTime() + days * DAY);
}

/** Queues the emails that are due, and returns their data. */
async function mail(db: TestDatabase): Promise<MailTemplateData["tokens-expiring"][]> {
  await db.transact((tx) => mailExpiringTokens(tx, 100));
  const jobs = await selectRows(db, "jobs", { kind: "mail" });
  await deleteRows(db, "jobs", { kind: "mail" });
  return jobs.map(({ payload }) =>
    (payload as { letter: { about: MailTemplateData["tokens-expiring"] } }).letter.about
  );
}
