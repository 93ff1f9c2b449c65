import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClosableDatabase, RowQueries, Tx, WakeupTopic } from "#lib/drivers/db/database.ts";
import { hasSqlState, violatesConstraint } from "#lib/drivers/db/faults.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { AWAITED_LOCKS_QUERY, openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("openDatabase");

test.before.each(async (context) => {
  context.db = await openTestDatabase({ size: 2 });
});
test.after.each(async ({ db }) => await db.close());

const addUser = (tx: Tx, id: string) =>
  tx.insertInto("users").values({ id, email: `${id}@example.org`, displayName: id }).execute();
const userIds = async (db: TestDatabase) => (await db.sql("select id from users order by id")).map((row) => row.id);

test("reads for streams and for requests do not block each other", async ({ db }) => {
  const one = await db.openAgain({ size: 1, waitLimit: 60_000 }); // blocked reads would wait as long
  const answer = async (rows: RowQueries) => (await sql<{ one: number }>`select 1 as one`.execute(rows)).rows[0]!.one;
  await one.transact(async () => assert.is(await answer(one.streams), 1));
  await one.streams.connection().execute(async () => assert.is(await answer(one.rows), 1));
  await one.close();
});

test("reads for streams wait without a limit and are not cancelled with a request", async ({ db }) => {
  const long = sql`select pg_sleep(2.5)`.execute(db.streams); // a request would time out after 2 s
  const { rows: [row] } = await sql<{ one: number }>`select 1 as one`.execute(
    db.within(AbortSignal.abort()).streams,
  );
  assert.is(row!.one, 1);
  await long;
});

test("within() cancels running queries and rejects later ones when the signal aborts", async ({ db }) => {
  const abort = new AbortController(), reason = new Error("The request is over");
  const bounded = db.within(abort.signal);
  const running = rejection(bounded.transact(async (tx) => {
    await addUser(tx, "a");
    await sql`select pg_sleep(60)`.execute(tx);
  }));
  await until(async () => (await db.sql("select 1 from pg_stat_activity where query ~ '^select pg_sleep'")).length > 0);
  abort.abort(reason);
  assert.is(await running, reason);
  assert.is(await rejection(bounded.now()), reason);
  assert.equal(await userIds(db), []);
  assert.instance(await db.now(), Date);
});

for (const way of ["rows", "ask"] as const) {
  test(`retries a single statement after a deadlock, by ${way}`, async ({ db }) => {
    const both = sql<
      { n: number }
    >`select 1 as n from spokes full join users on false full join (values (1)) as one on false`;
    const read = async () => {
      if (way === "rows") return (await both.execute(db.rows)).rows;
      return await db.rows.readShared!(both.compile(db.rows).sql, []);
    };
    let answer: ReturnType<typeof read> | undefined;
    await db.transact(async (tx) => {
      await sql`set local deadlock_timeout = '1min'`.execute(tx); // so that the other session is the victim
      await sql`lock table users in access exclusive mode`.execute(tx);
      answer = read();
      answer.catch(() => {});
      await until(async () => (await db.sql(AWAITED_LOCKS_QUERY)).length > 0);
      await sql`lock table spokes in access exclusive mode`.execute(tx); // the other session has read it
    });
    assert.equal(await answer, [{ n: 1 }]);
  });
}

test("names the violated constraint", async ({ db }) => {
  await db.transact((tx) => addUser(tx, "a"));
  const twice = db.rows.insertInto("users").values({ id: "b", email: "a@example.org", displayName: "" }).execute();
  const failure = await rejection(twice);
  assert.ok(violatesConstraint(failure, "users_email"));
  assert.not.ok(violatesConstraint(failure, "users_pkey"));
});

test("throws a fault when a lock is not released within the limit", async ({ db }) => {
  const quick = await db.openAgain({ lockLimit: 50 });
  await db.transact(async (tx) => {
    await addUser(tx, "a");
    assert.is((await rejection(quick.transact((other) => addUser(other, "a")))).code, "database_locked");
  });
  await quick.close();
});

test("refuses invalid text and keeps the connection", async ({ db }) => {
  const row = { id: "a", email: "nul\0@example.org", displayName: "" };
  assert.ok(hasSqlState(await rejection(db.rows.insertInto("users").values(row).execute()), "22021"));
  const json = sql`select ${JSON.stringify({ a: "x\0y" })}::jsonb as value`.execute(db.rows);
  assert.ok(hasSqlState(await rejection(json), "22P05"));
  const undefinedValue = sql`select ${undefined}::text as value`.execute(db.rows);
  assert.instance(await rejection(undefinedValue), TypeError);
  assert.is(db.stats().open, 1);
});

test("throws a fault when all connections are in use", async ({ db }) => {
  // On a busy machine connecting takes longer and may time out. An open connection stays.
  const small = await until(() => db.openAgain({ size: 1, waitLimit: 2000 }).catch(() => null));
  await small.transact(async () => assert.is((await rejection(small.now())).code, "database_busy"));
  await small.close();
});

test("sends a wake-up to all replicas after a commit, but not after a rollback", async ({ db }) => {
  const other = await db.openAgain();
  const topics: string[] = [];
  const listen = (name: string, on: ClosableDatabase, topic: WakeupTopic) =>
    on.wakeups.subscribe(topic, () => topics.push(`${name} ${topic}`));
  listen("here", db, "jobs");
  listen("there", other, "jobs");
  listen("there", other, "federation:x");
  await rejection(db.transact((tx) => (tx.wakes.add("federation:x"), Promise.reject(new Error("no")))));
  await db.transact(async (tx) => {
    tx.wakes.add("jobs");
    await addUser(tx, "a");
    assert.equal(topics, []);
  });
  assert.equal(topics, ["here jobs"]);
  await until(() => topics.length === 2);
  assert.equal(topics, ["here jobs", "there jobs"]);
  await other.close();
});

test("rejects immediately if nothing listens at the address", async () => {
  const failure = await rejection(
    openDatabase({ url: "postgres://x@127.0.0.1:1/x", size: 1, log: SILENT_LOG, waitLimit: 100 }),
  );
  assert.is(failure.code, "database_unavailable");
});

test.run();
