import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  addOneTimeTokenSecret,
  createOneTimeToken,
  findOneTimeToken,
  hasRecentOneTimeToken,
  MAIL_LINK_LIFETIMES,
  type OneTimeToken,
  redeemOneTimeToken,
  voidOneTimeTokens,
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

const grant = ({ db, ada }: Stage, purpose: OneTimeToken["purpose"] = "password_reset") =>
  db.transact((tx) => createOneTimeToken(tx, purpose, ada.id));
const mint = ({ db }: Stage, id: string) => db.transact((tx) => addOneTimeTokenSecret(tx, id));

test("expire after the lifetime of their purpose", async (stage) => {
  for (const purpose of ["invitation", "password_reset", "email_verification"] as const) {
    const { createdAt, expiresAt } = await grant(stage, purpose);
    const off = expiresAt.getTime() - createdAt.getTime() - MAIL_LINK_LIFETIMES[purpose]; // reads the clock for each
    assert.ok(Math.abs(off) < MINUTE, `${purpose} is off by ${off} ms`);
  }
});

test("are found by each emailed secret, and redeemed by the first", async (stage) => {
  const { db } = stage, { id } = await grant(stage);
  const [first, second] = [(await mint(stage, id))!, (await mint(stage, id))!];
  for (const secret of [first, second]) assert.is((await findOneTimeToken(db.rows, "password_reset", secret))?.id, id);
  await db.transact((tx) => redeemOneTimeToken(tx, "password_reset", second));
  for (const secret of [first, second]) {
    assert.is(await findOneTimeToken(db.rows, "password_reset", secret), null);
    const fault = await rejection(db.transact((tx) => redeemOneTimeToken(tx, "password_reset", secret)));
    assert.is(fault.code, "link_spent");
  }
  assert.is(await mint(stage, id), null, "nothing is left to open");
});

test("stay valid if the transaction that redeems them fails", async (stage) => {
  const { db } = stage, secret = (await mint(stage, (await grant(stage)).id))!;
  await rejection(db.transact(async (tx) => {
    await redeemOneTimeToken(tx, "password_reset", secret);
    throw new Error("the crash between two statements");
  }));
  assert.ok(await findOneTimeToken(db.rows, "password_reset", secret));
});

test("are not valid for another purpose", async (stage) => {
  const secret = (await mint(stage, (await grant(stage)).id))!;
  assert.is(await findOneTimeToken(stage.db.rows, "invitation", secret), null);
  assert.is(
    (await rejection(stage.db.transact((tx) => redeemOneTimeToken(tx, "invitation", secret)))).code,
    "link_spent",
  );
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
  await db.transact((tx) => createOneTimeToken(tx, "password_reset", other.id));
  await db.transact((tx) => voidOneTimeTokens(tx, ada.id, ["password_reset", "email_verification"]));
  assert.not(await hasRecentOneTimeToken(db.rows, "password_reset", ada.id, MINUTE));
  assert.ok(await hasRecentOneTimeToken(db.rows, "invitation", ada.id, MINUTE));
  assert.ok(await hasRecentOneTimeToken(db.rows, "password_reset", other.id, MINUTE));
});

test("are recent until the time has passed or they are redeemed", async (stage) => {
  const { db, ada } = stage;
  const recent = () => hasRecentOneTimeToken(db.rows, "password_reset", ada.id, 5 * MINUTE);
  assert.not(await recent());
  const { id } = await grant(stage);
  assert.ok(await recent());
  await db.shiftClock(5 * MINUTE + 1000);
  assert.not(await recent());
  await db.shiftClock(0);
  const secret = (await mint(stage, id))!;
  await db.transact((tx) => redeemOneTimeToken(tx, "password_reset", secret));
  assert.not(await recent());
});

test("get no new secret after they expire", async (stage) => {
  const { id } = await grant(stage);
  await stage.db.shiftClock(HOUR + 1);
  assert.is(await mint(stage, id), null);
});

test.run();
