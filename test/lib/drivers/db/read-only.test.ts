/** Tests servers that become read-only: their faults, and their connections. */
import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ClosableDatabase, RowQueries, Tx } from "#lib/drivers/db/database.ts";
import { openPool } from "#lib/drivers/db/pool.ts";
import { createLog } from "#lib/base/log.ts";
import { openControlConnection } from "#lib/drivers/db/control.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("a read-only database");
test.before.each(async (context) => void (context.db = await openTestDatabase({ size: 3 })));
test.after.each(({ db }) => db.close());

const addUser = (rows: RowQueries | Tx, id: string) =>
  rows.insertInto("users").values({ id, email: `${id}@example.org`, displayName: id }).execute();
const nameOf = (db: TestDatabase) => new URL(db.url).pathname.slice(1);
const setReadOnly = (db: TestDatabase, value: "on" | "off") =>
  db.sql(`alter database ${nameOf(db)} set default_transaction_read_only = ${value}`);

/** Opens all connections of the pool and runs the work on each. */
async function onEach(db: ClosableDatabase, statement: string): Promise<void> {
  const all = Promise.withResolvers<void>();
  let held = 0;
  await Promise.all(Array.from({ length: db.stats().size }, () =>
    db.rows.connection().execute(async (one) => {
      await sql.raw(statement).execute(one);
      if (++held === db.stats().size) all.resolve();
      await all.promise;
    })));
}

test("reports a read-only database and expires its older connections", async ({ db }) => {
  await onEach(db, "set default_transaction_read_only = on"); // as if the server had become a standby
  const failure = await rejection(db.transact((tx) => addUser(tx, "a")));
  assert.equal([failure.code, failure.message], [
    "database_read_only",
    "The database is read-only right now; try again",
  ]);
  await db.transact((tx) => addUser(tx, "b"));
  assert.equal(await db.sql("select id from users"), [{ id: "b" }]);
});

test("also closes connections that were in use, once they are released", async ({ db }) => {
  const inUse = Promise.withResolvers<void>(), go = Promise.withResolvers<void>();
  const pid = async (rows: RowQueries) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(rows)).rows[0]!.pid;
  const held = db.transact(async (tx) => {
    const mine = await pid(tx);
    inUse.resolve();
    await go.promise;
    return mine;
  });
  await inUse.promise;
  await rejection(
    db.rows.connection().execute(async (one) => {
      await sql`set default_transaction_read_only = on`.execute(one);
      await addUser(one, "a");
    }),
  );
  go.resolve();
  const before = await held;
  assert.is.not(await pid(db.rows), before);
});

test("keeps a connection to a read-only server for one second", async ({ db }) => {
  await setReadOnly(db, "on");
  const late = await db.openAgain({ size: 2 });
  assert.instance(await late.now(), Date);
  assert.is(late.stats().idle, 1);
  await setReadOnly(db, "off"); // open connections keep their setting
  const clock = performance.now;
  performance.now = () => clock.call(performance) + 1001;
  try {
    await late.transact((tx) => addUser(tx, "a"));
  } finally {
    performance.now = clock;
  }
  assert.equal(await db.sql("select id from users"), [{ id: "a" }]);
});

for (const [state, code] of [["25006", "database_read_only"], ["53100", "database_exhausted"]] as const) {
  test(`reports a refused COMMIT (${state}) as refused, not as unknown`, async ({ db }) => {
    await db.sql(`create function refuse() returns trigger language plpgsql
      as $$ begin raise exception 'no' using errcode = '${state}'; end $$`);
    await db.sql(`create constraint trigger refuse after insert on users deferrable initially deferred
      for each row execute function refuse()`);
    const failure = await rejection(db.transact((tx) => addUser(tx, "a")));
    assert.equal([failure.name, failure.code], ["Fault", code]);
    assert.equal(await db.sql("select id from users"), []);
  });
}

test("reports a full disk and keeps the connection", async ({ db }) => {
  await db.sql(`create function refuse() returns trigger language plpgsql
    as $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
  await db.sql("create trigger refuse before insert on users for each row execute function refuse()");
  const failure = await rejection(addUser(db.rows, "a"));
  assert.equal([failure.code, failure.message], [
    "database_exhausted",
    "The database's disk is full; nothing can be saved until space is freed",
  ]);
  assert.is(db.stats().open, 1);
});

test("reports too many connections", async ({ db }) => {
  const role = `${nameOf(db)}_few`;
  await db.sql(`create role ${role} login password 'few' connection limit 0`);
  const url = Object.assign(new URL(db.url), { username: role, password: "few" }).href;
  const pool = openPool({ url, name: "few", size: 1, settings: {}, waitLimit: 300 });
  const failure = await rejection(pool.acquire()).finally(() => db.sql(`drop role ${role}`));
  await pool.close();
  assert.equal([failure.code, failure.message], [
    "database_exhausted",
    "The database accepts no more connections; try again",
  ]);
});

test("the control connection waits for a writable server and logs this once", async ({ db }) => {
  await setReadOnly(db, "on");
  const logLines: { level: string; message: string }[] = [];
  const log = createLog({ level: "debug", format: "json", write: (line) => logLines.push(JSON.parse(line)) });
  const control = openControlConnection({
    url: db.url,
    name: "control",
    channel: "test_channel",
    log,
    onNotify: () => {},
  });
  await until(() => logLines.length === 3);
  assert.is(control.pid, null);
  await setReadOnly(db, "off");
  await control.ready();
  await control.close();
  const loud = logLines.filter(({ level }) => level !== "debug").map(({ message }) => message);
  assert.equal(loud, [
    "Lost the control connection to the database; reconnecting",
    "The control connection to the database is open again",
  ]);
});

test.run();
