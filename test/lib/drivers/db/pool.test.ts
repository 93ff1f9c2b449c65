import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { openPool, type Pool, type PoolOptions } from "#lib/drivers/db/pool.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openProxy } from "#test/support/proxy.ts";
import { rejection, until } from "#test/support/until.ts";

const LIMIT = { limit: 20_000 };
const test = suite<{ db: TestDatabase }>("openPool");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after(async ({ db }) => await db.close());

async function withPool(
  db: TestDatabase,
  options: Partial<PoolOptions>,
  work: (pool: Pool) => Promise<void>,
): Promise<void> {
  const pool = openPool({ url: db.url, name: "pool-test", size: 2, settings: {}, ...options });
  try {
    await work(pool);
  } finally {
    await pool.close();
  }
}

const terminate = (db: TestDatabase, pid: number) => db.sql("select pg_terminate_backend($1)", [pid]);

test("never moves a lease to another connection", ({ db }) =>
  withPool(db, { size: 1 }, async (pool) => {
    const lease = await pool.acquire();
    await lease.query("select pg_advisory_lock(42)", [], LIMIT);
    await terminate(db, lease.pid);
    await until(() => pool.stats().open === 0);
    const next = await pool.acquire();
    const { rows } = await next.query("select pg_try_advisory_lock(42) as got", [], LIMIT);
    assert.equal(rows, [{ got: true }]);
    assert.instance(await rejection(lease.query("select 1", [], LIMIT)), ConnectionLost);
    lease.release();
    next.release();
    assert.is(pool.stats().open, 1);
  }));

test("rejects pending statements of a lost connection, and opens a new one for the next caller", ({ db }) =>
  withPool(db, { size: 1 }, async (pool) => {
    const lease = await pool.acquire();
    const running = lease.query("select pg_sleep(60)", [], LIMIT);
    const queued = [1, 2, 3].map(() => lease.query("select 1", [], LIMIT));
    const failures = Promise.all([running, ...queued].map(rejection));
    await until(async () =>
      (await db.sql("select 1 from pg_stat_activity where query ~ '^select pg_sleep'")).length > 0
    );
    await terminate(db, lease.pid);
    for (const failure of await failures) assert.instance(failure, ConnectionLost);
    lease.release();
    const next = await pool.acquire();
    assert.is.not(next.pid, lease.pid);
    next.release();
  }));

test("rejects statements on a released lease", ({ db }) =>
  withPool(db, {}, async (pool) => {
    const lease = await pool.acquire();
    lease.release();
    assert.match((await rejection(lease.query("select 1", [], LIMIT))).message, /was released/);
  }));

test("keeps the connection after a failed statement", ({ db }) =>
  withPool(db, { size: 1 }, async (pool) => {
    const lease = await pool.acquire();
    assert.is((await rejection(lease.query("select 1 / $1::int", [0], LIMIT))).code, "22012");
    assert.is((await lease.query("select pg_backend_pid() as pid", [], LIMIT)).rows[0]!.pid, lease.pid);
    lease.release();
  }));

test("cancels a statement over its time limit on the server", ({ db }) =>
  withPool(db, { name: "pool-slow" }, async (pool) => {
    const lease = await pool.acquire();
    const failure = await rejection(lease.query("select pg_sleep($1)", [60], { limit: 50 }));
    assert.is(failure.code, "database_slow");
    lease.release();
    await until(async () =>
      (await db.sql("select 1 from pg_stat_activity where application_name = 'pool-slow'")).length === 0
    );
  }));

test("rejects a statement whose answer never arrives", async ({ db }) => {
  const proxy = await openProxy(db.url);
  await withPool(db, { url: proxy.url }, async (pool) => {
    const lease = await pool.acquire();
    proxy.freeze();
    assert.is((await rejection(lease.query("select 1", [], { limit: 50 }))).code, "database_slow");
    lease.release();
    (await pool.acquire()).release();
  });
  await proxy.close();
});

test("rejects a statement that cannot be cancelled, without affecting others", async ({ db }) => {
  const proxy = await openProxy(db.url);
  await withPool(db, { url: proxy.url, waitLimit: 300 }, async (pool) => {
    const lease = await pool.acquire();
    proxy.refuse();
    assert.is((await rejection(lease.query("select pg_sleep(60)", [], { limit: 50 }))).code, "database_slow");
    lease.release();
    assert.is((await rejection(pool.acquire())).code, "database_unavailable");
  });
  await proxy.close();
});

test("cancels a statement on the server when its signal aborts", ({ db }) =>
  withPool(db, { name: "pool-abort" }, async (pool) => {
    const lease = await pool.acquire();
    const abort = new AbortController(), reason = new Error("The caller has gone");
    const running = rejection(lease.query("select pg_sleep(60)", [], { ...LIMIT, signal: abort.signal }));
    await until(async () =>
      (await db.sql("select 1 from pg_stat_activity where query ~ '^select pg_sleep'")).length > 0
    );
    abort.abort(reason);
    assert.is(await running, reason);
    lease.release();
    await until(async () =>
      (await db.sql("select 1 from pg_stat_activity where application_name = 'pool-abort'")).length === 0
    );
  }));

test("stops waiting for a connection when the signal aborts, and serves the next caller", ({ db }) =>
  withPool(db, { size: 1 }, async (pool) => {
    const held = await pool.acquire();
    const abort = new AbortController(), reason = new Error("The caller has gone");
    const gone = rejection(pool.acquire(abort.signal));
    const next = pool.acquire();
    abort.abort(reason);
    assert.is(await gone, reason);
    assert.is(pool.stats().waiting, 1);
    held.release();
    (await next).release();
    assert.is(await rejection(pool.acquire(abort.signal)), reason);
  }));

test("serves callers in order of arrival", ({ db }) =>
  withPool(db, { size: 1 }, async (pool) => {
    const held = await pool.acquire();
    const order: number[] = [];
    const callers = [1, 2, 3, 4].map(async (number) => {
      const lease = await pool.acquire();
      order.push(number);
      await lease.query("select 1", [], LIMIT);
      lease.release();
    });
    held.release();
    const late = pool.acquire().then((lease) => (order.push(5), lease.release()));
    await Promise.all([...callers, late]);
    assert.equal(order, [1, 2, 3, 4, 5]);
  }));

test("throws a fault when no connection is free within the wait limit", ({ db }) =>
  withPool(db, { size: 1, waitLimit: 1000 }, async (pool) => {
    const held = await pool.acquire();
    const failure = await rejection(pool.acquire());
    assert.is(failure.code, "database_busy");
    assert.is(pool.stats().waiting, 0);
    held.release();
  }));

test("throws a fault with the cause if the database cannot be reached", async ({ db }) => {
  const gone = await openProxy(db.url);
  await gone.close();
  await withPool(db, { url: gone.url, waitLimit: 300 }, async (pool) => {
    const failure = await rejection(pool.acquire());
    assert.is(failure.code, "database_unavailable");
    assert.is(((failure.cause as Error).cause as { code: string }).code, "ECONNREFUSED");
  });
});

test("retries a peer that closes connections, without endless retries of the driver", async ({ db }) => {
  const proxy = await openProxy(db.url);
  proxy.watch(() => (proxy.cut(), false));
  await withPool(db, { url: proxy.url, waitLimit: 300 }, async (pool) => {
    assert.is((await rejection(pool.acquire())).code, "database_unavailable");
  });
  const made = proxy.made;
  assert.ok(made < 20, `${made} connections were tried`);
  await proxy.close();
});

test("removes an idle connection that the server closed", ({ db }) =>
  withPool(db, { size: 1 }, async (pool) => {
    const lease = await pool.acquire();
    lease.release();
    await terminate(db, lease.pid);
    await until(() => pool.stats().open === 0);
    const next = await pool.acquire();
    await next.query("select 1", [], LIMIT);
    next.release();
  }));

test("replaces an unusable idle connection", ({ db }) =>
  withPool(db, { size: 1 }, async (pool) => {
    const lease = await pool.acquire(), clock = performance.now;
    await lease.query("begin", [], LIMIT);
    await rejection(lease.query("select 1 / $1::int", [0], LIMIT));
    lease.release();
    performance.now = () => clock.call(performance) + 10_001; // it is probed before it is used again
    try {
      const next = await pool.acquire();
      assert.is.not(next.pid, lease.pid);
      next.release();
    } finally {
      performance.now = clock;
    }
    assert.equal(pool.stats(), { size: 1, open: 1, idle: 1, waiting: 0 });
  }));

test("applies settings and application name to a session", ({ db }) =>
  withPool(db, { name: "pool-named", settings: { statement_timeout: "1234" } }, async (pool) => {
    const lease = await pool.acquire();
    const { rows } = await lease.query(
      "select current_setting('statement_timeout') as timeout, current_setting('application_name') as name",
      [],
      LIMIT,
    );
    assert.equal(rows, [{ timeout: "1234ms", name: "pool-named" }]);
    lease.release();
  }));

test("close() refuses waiting callers, lets running work end, and closes all connections", async ({ db }) => {
  const pool = openPool({ url: db.url, name: "pool-close", size: 1, settings: {} });
  const lease = await pool.acquire();
  const running = lease.query("select 1 as one from pg_sleep(0.05)", [], LIMIT);
  const refused = rejection(pool.acquire());
  const closed = pool.close();
  assert.is((await refused).code, "database_closed");
  assert.equal((await running).rows, [{ one: 1 }]);
  lease.release();
  await closed;
  assert.is((await rejection(pool.acquire())).code, "database_closed");
  await until(async () =>
    (await db.sql("select 1 from pg_stat_activity where application_name = 'pool-close'")).length === 0
  );
});

test.run();
