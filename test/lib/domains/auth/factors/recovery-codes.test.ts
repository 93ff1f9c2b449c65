import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  countRecoveryCodes,
  redeemRecoveryCode,
  replaceRecoveryCodes,
} from "#lib/domains/auth/factors/recovery-codes.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { selectRows } from "#test/support/rows.ts";
import { createTestUser } from "#test/support/users.ts";

const test = suite<{ db: TestDatabase }>("recovery codes");

test.before(async (context) => void (context.db = await openTestDatabase()));
test.after(({ db }) => db.close());

test("are ten different ones with 120 random bits, stored as hashes", async ({ db }) => {
  const { id } = await createTestUser(db, "ada"), codes = await db.transact((tx) => replaceRecoveryCodes(tx, id));
  assert.is(new Set(codes).size, 10);
  for (const code of codes) assert.match(code, /^[a-km-np-z2-9]{6}(-[a-km-np-z2-9]{6}){3}$/);
  const stored = JSON.stringify(await selectRows(db, "recovery_codes", { userId: id }));
  for (const code of codes) assert.not(stored.includes(code));
});

test("work once, in any spelling, and only for their owner", async ({ db }) => {
  const bob = await createTestUser(db, "bob"), cid = await createTestUser(db, "cid");
  const [code = ""] = await db.transact((tx) => replaceRecoveryCodes(tx, bob.id));
  const redeem = (id: string, text: string) => db.transact((tx) => redeemRecoveryCode(tx, id, text));
  assert.not(await redeem(cid.id, code));
  assert.ok(await redeem(bob.id, ` ${code.toUpperCase().replaceAll("-", " ")}`));
  assert.not(await redeem(bob.id, code));
  assert.is(await countRecoveryCodes(db.rows, bob.id), 9);
});

test("stop working when they are replaced", async ({ db }) => {
  const { id } = await createTestUser(db, "dan"), [old = ""] = await db.transact((tx) => replaceRecoveryCodes(tx, id));
  await db.transact((tx) => replaceRecoveryCodes(tx, id));
  assert.not(await db.transact((tx) => redeemRecoveryCode(tx, id, old)));
  assert.is(await countRecoveryCodes(db.rows, id), 10);
});

test.run();
