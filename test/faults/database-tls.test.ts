/** Tests the pool and the control connection when a TLS connection fails. An uncaught error fails this file. */
import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SILENT_LOG } from "#lib/base/log.ts";
import { Fault } from "#lib/base/errors.ts";
import { openControlConnection } from "#lib/drivers/db/control.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { openPool, type Pool, type PooledConnection } from "#lib/drivers/db/pool.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openProxy, type TcpProxy } from "#test/support/proxy.ts";
import { openSecureServer, withTlsUrl } from "#test/support/secure-server.ts";
import type { SeparatePostgresServer } from "#test/support/server.ts";
import { rejection, until } from "#test/support/until.ts";

interface Context {
  server: SeparatePostgresServer;
  db: TestDatabase;
  proxy: TcpProxy;
  pool: Pool;
}

const LIMIT = { limit: 20_000 };
const test = suite<Context>("a database over TLS");
test.before(async (context) => {
  context.server = await openSecureServer();
  context.db = await openTestDatabase({}, { url: context.server.url, template: "template0" });
});
test.before.each(async (context) => {
  context.proxy = await openProxy(withTlsUrl(context.db.url));
  context.pool = openPool({ url: context.proxy.url, name: "tls", size: 1, settings: {}, waitLimit: 5000 });
});
test.after.each(async ({ proxy, pool }) => {
  await pool.close();
  await proxy.close();
});
test.after(async ({ db, server }) => {
  await db.close();
  await server.stop();
});

const sleepers = "select 1 from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'";
const sleeps = (db: TestDatabase) => until(async () => (await db.sql(sleepers)).length === 1);
const rests = (db: TestDatabase) => until(async () => (await db.sql(sleepers)).length === 0);
const sleepOn = (lease: PooledConnection, signal?: AbortSignal) =>
  lease.query("select pg_sleep(60)", [], signal ? { ...LIMIT, signal } : LIMIT);

/** Asserts that the pool still serves the next caller. */
async function servesNext(pool: Pool): Promise<void> {
  const lease = await pool.acquire();
  const { rows } = await lease.query("select ssl from pg_stat_ssl where pid = pg_backend_pid()", [], LIMIT);
  assert.equal(rows, [{ ssl: true }]);
  lease.release();
}

test("cancels a statement that exceeds its limit or whose caller has disconnected", async ({ db, pool }) => {
  const first = await pool.acquire();
  assert.is((await rejection(first.query("select pg_sleep(60)", [], { limit: 100 }))).code, "database_slow");
  first.release();
  await rests(db);
  const second = await pool.acquire(), abort = new AbortController();
  const running = rejection(sleepOn(second, abort.signal));
  await sleeps(db);
  abort.abort(new Error("The caller has gone"));
  assert.is((await running).message, "The caller has gone");
  second.release();
  await rests(db);
  await servesNext(pool);
});

test("rejects statements that wait for a killed backend", async ({ db, pool }) => {
  const lease = await pool.acquire();
  const failures = Promise.all([sleepOn(lease), lease.query("select 1", [], LIMIT)].map(rejection));
  await sleeps(db);
  await db.sql("select pg_terminate_backend($1)", [lease.pid]);
  for (const failure of await failures) assert.instance(failure, ConnectionLost);
  lease.release();
  await servesNext(pool);
});

test("abandons a statement on a frozen connection", async ({ pool, proxy }) => {
  const lease = await pool.acquire();
  proxy.freeze();
  assert.is((await rejection(lease.query("select 1", [], { limit: 100 }))).code, "database_slow");
  lease.release();
  await servesNext(pool);
});

test("abandons a statement that cannot be cancelled when its connection is cut", async ({ db, pool, proxy }) => {
  const lease = await pool.acquire(), abort = new AbortController();
  const running = rejection(sleepOn(lease, abort.signal));
  await sleeps(db);
  proxy.refuse();
  abort.abort(new Error("The caller has gone"));
  proxy.cut();
  await running;
  lease.release();
  await db.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tls'");
  await proxy.heal();
  await servesNext(pool);
});

test("treats a half-closed connection as lost", async ({ db, pool, proxy }) => {
  const lease = await pool.acquire();
  const running = rejection(sleepOn(lease));
  await sleeps(db);
  proxy.endHalf();
  assert.instance(await running, ConnectionLost);
  lease.release();
  await db.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tls'");
  await servesNext(pool);
});

test("survives a connection that is cut at any point while it opens", async ({ pool, proxy }) => {
  for (let last = 1; last <= 6; last++) {
    let pieces = 0;
    proxy.watch(() => {
      if (++pieces === last) proxy.cut();
      return true;
    });
    await pool.acquire().then((lease) => lease.release("The next lease opens a new connection"));
  }
  proxy.watch(() => true);
  await servesNext(pool);
});

test("replaces a control connection that was killed, frozen or half closed, and listens again", async ({ db, proxy }) => {
  const payloads: (string | null)[] = [];
  const control = openControlConnection({
    ...{ url: proxy.url, name: "tls-control", channel: "tls_test", log: SILENT_LOG, probeEvery: 50, answerLimit: 1000 },
    onNotify: (payload) => payloads.push(payload),
  });
  const faults = [
    (pid: number) => db.sql("select pg_terminate_backend($1)", [pid]),
    () => proxy.freeze(),
    () => proxy.endHalf(),
    () => proxy.cut(),
  ];
  await control.ready();
  for (const [number, fail] of faults.entries()) {
    const { pid } = control;
    await fail(pid!);
    await until(() => control.pid !== null && control.pid !== pid);
    await db.sql("select pg_notify('tls_test', $1)", [String(number)]);
    await until(() => payloads.at(-1) === String(number));
  }
  await control.close();
});

test("survives restarts and crashes of the server under load", async ({ server, db }) => {
  const opened = await openDatabase({ url: withTlsUrl(db.url), size: 4, log: SILENT_LOG });
  await sql`create table pairs (id text)`.execute(opened.rows);
  let done = 0, over = false;
  const work = async () => {
    while (!over) {
      try {
        await opened.transact(async (tx) => {
          const id = crypto.randomUUID();
          for (let half = 0; half < 2; half++) await sql`insert into pairs values (${id})`.execute(tx);
        });
        done++;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
      }
    }
  };
  const workers = Array.from({ length: 6 }, work);
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    const before = done;
    await until(() => done > before + 10);
    await server.down(signal);
    await server.up();
  }
  const before = done;
  await until(() => done > before + 10);
  over = true;
  await Promise.all(workers);
  const { rows } = await sql`select id from pairs group by id having count(*) <> 2`.execute(opened.rows);
  assert.equal(rows, []);
  await opened.close();
});

test.run();
