import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  addGrantSecret,
  createGrant,
  findGrant,
  hasRecentGrant,
  LINK_LIFETIMES,
  type LinkGrant,
  redeemGrant,
  voidGrants,
} from "#lib/domains/auth/one-time-tokens.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestUser, type TestUser } from "#test/support/users.ts";
import { rejection } from "#test/support/until.ts";

interface Stage {
  db: TestDatabase;
  ada: TestUser;
}

const test = suite<Stage>("one-time tokens");

test.before(async (stage) => {
  stage.db = await openTestDatabase();
});
test.after((stage) => stage.db.close());
test.before.each(async (stage) => {
  await stage.db.shiftClock(0);
  stage.ada = await createTestUser(stage.db, `ada-${crypto.randomUUID()}`);
});

const grant = ({ db, ada }: Stage, purpose: LinkGrant["purpose"] = "password_reset") =>
  db.transact((tx) => createGrant(tx, purpose, ada.id));
const mint = ({ db }: Stage, id: string) => db.transact((tx) => addGrantSecret(tx, id));

test("expire after the lifetime of their purpose", async (stage) => {
  for (const purpose of ["invitation", "password_reset", "email_verification"] as const) {
    const { createdAt, expiresAt } = await grant(stage, purpose);
    const off = expiresAt.getTime() - createdAt.getTime() - LINK_LIFETIMES[purpose]; // reads the clock for each
    assert.ok(Math.abs(off) < MINUTE, `${purpose} is off by ${off} ms`);
  }
});

test("are found by each emailed secret, and redeemed by the first", async (stage) => {
  const { db } = stage, { id } = await grant(stage);
  const [first, second] = [(await mint(stage, id))!, (await mint(stage, id))!];
  for (const secret of [first, second]) assert.is((await findGrant(db.rows, "password_reset", secret))?.id, id);
  await db.transact((tx) => redeemGrant(tx, "password_reset", second));
  for (const secret of [first, second]) {
    assert.is(await findGrant(db.rows, "password_reset", secret), null);
    const fault = await rejection(db.transact((tx) => redeemGrant(tx, "password_reset", secret)));
    assert.is(fault.code, "link_spent");
  }
  assert.is(await mint(stage, id), null, "nothing is left to open");
});

test("stay valid if the transaction that redeems them fails", async (stage) => {
  const { db } = stage, secret = (await mint(stage, (await grant(stage)).id))!;
  await rejection(db.transact(async (tx) => {
    await redeemGrant(tx, "password_reset", secret);
    throw new Error("the crash between two statements");
  }));
  assert.ok(await findGrant(db.rows, "password_reset", secret));
});

test("are not valid for another purpose", async (stage) => {
  const secret = (await mint(stage, (await grant(stage)).id))!;
  assert.is(await findGrant(stage.db.rows, "invitation", secret), null);
  assert.is((await rejection(stage.db.transact((tx) => redeemGrant(tx, "invitation", secret)))).code, "link_spent");
});

test("are stored only as hashes", async (stage) => {
  const secret = (await mint(stage, (await grant(stage)).id))!;
  const rows = await stage.db.sql("select one_time_tokens::text as row from one_time_tokens");
  assert.not.match(JSON.stringify(rows), secret);
});

test("are voided by user and purpose", async (stage) => {
  const { db, ada } = stage, other = await createTestUser(db, `other-${ada.id}`);
  await grant(stage, "invitation");
  await grant(stage);
  await db.transact((tx) => createGrant(tx, "password_reset", other.id));
  await db.transact((tx) => voidGrants(tx, ada.id, ["password_reset", "email_verification"]));
  assert.not(await hasRecentGrant(db.rows, "password_reset", ada.id, MINUTE));
  assert.ok(await hasRecentGrant(db.rows, "invitation", ada.id, MINUTE));
  assert.ok(await hasRecentGrant(db.rows, "password_reset", other.id, MINUTE));
});

test("are recent until the time has passed or they are redeemed", async (stage) => {
  const { db, ada } = stage;
  const recent = () => hasRecentGrant(db.rows, "password_reset", ada.id, 5 * MINUTE);
  assert.not(await recent());
  const { id } = await grant(stage);
  assert.ok(await recent());
  await db.shiftClock(5 * MINUTE + 1000);
  assert.not(await recent());
  await db.shiftClock(0);
  const secret = (await mint(stage, id))!;
  await db.transact((tx) => redeemGrant(tx, "password_reset", secret));
  assert.not(await recent());
});

test("get no new secret after they expire", async (stage) => {
  const { id } = await grant(stage);
  await stage.db.shiftClock(HOUR + 1);
  assert.is(await mint(stage, id), null);
});

test.run();
