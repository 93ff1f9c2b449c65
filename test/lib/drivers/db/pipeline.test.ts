/** Tests short reads on shared connections. */
import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openReadPipeline } from "#lib/drivers/db/pipeline.ts";
import { openPool, type PoolOptions } from "#lib/drivers/db/pool.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { openProxy } from "#test/support/proxy.ts";
import { rejection, until } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("openReadPipeline");
test.before(async (context) => void (context.db = await openTestDatabase()));
test.after(({ db }) => db.close());

interface PipelineScene {
  readonly ask: ReturnType<typeof openReadPipeline>["read"];
  readonly stats: () => { readonly open: number; readonly idle: number };
}

async function withPipeline(
  db: TestDatabase,
  options: Partial<PoolOptions> & { readonly limit?: number; readonly most?: number },
  work: (means: PipelineScene) => Promise<void>,
): Promise<void> {
  const { limit = 20_000, most = 2, ...more } = options;
  const pool = openPool({ url: db.url, name: "pipeline-test", size: 4, settings: {}, ...more });
  try {
    await work({
      ask: openReadPipeline({ pool, limit, maxConnections: most, sharedFor: 60_000 }).read,
      stats: pool.stats,
    });
  } finally {
    await pool.close();
  }
}

const PID = "select pg_backend_pid() as pid";
/** Waits until the test releases the lock, and returns the session's process ID. */
const WAITING = "select pg_backend_pid() as pid from (select pg_advisory_xact_lock_shared($1::bigint)) as held";

async function locked(db: TestDatabase, key: number, work: () => Promise<void>): Promise<void> {
  await db.transact(async (tx) => {
    await sql`select pg_advisory_xact_lock(${key}::bigint)`.execute(tx);
    await work();
  });
}

const waitingPids = async (db: TestDatabase): Promise<number[]> =>
  (await db.sql(
    "select pid from pg_stat_activity where application_name = 'pipeline-test' and wait_event = 'advisory'",
  ))
    .map(({ pid }) => pid as number);

test("sends reads of the same moment over one connection", ({ db }) =>
  withPipeline(db, {}, async ({ ask, stats }) => {
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => ask("select $1::int as n", [n])));
    assert.equal(answers.map(([row]) => row!.n), Array.from({ length: 50 }, (_, n) => n));
    assert.equal(stats(), { size: 4, open: 1, idle: 1, waiting: 0 });
  }));

const DIVIDE =
  "select 12 / $1::int as n, pg_current_xact_id_if_assigned() is null as read, statement_timestamp() as at";
const DIVIDE_MANY = `select read.number::integer as read_number, found.* from unnest((select $1::int[])) with ordinality
  as read (key, number) cross join lateral (select 12 / read.key as n, statement_timestamp() as at
    from generate_series(1, greatest(1, read.key)) limit $2) as found`;
const divide = (ask: PipelineScene["ask"], by: number) =>
  ask(DIVIDE, [by], undefined, { text: DIVIDE_MANY, keys: [by], constants: [2] });

test("sends reads of the same kind as one statement, and gives each its own rows", ({ db }) =>
  withPipeline(db, {}, async ({ ask }) => {
    const answers = await Promise.all([1, 3, 4].map((by) => divide(ask, by)));
    assert.equal(answers.map((rows) => rows.map(({ n }) => n)), [[12], [4, 4], [3, 3]]);
    assert.is(new Set(answers.flat().map(({ at }) => Number(at))).size, 1);
    assert.equal(Object.keys(answers[0]![0]!), ["n", "at"]);
    assert.is((await divide(ask, 6))[0]!.read, true); // a single read keeps its own statement
  }));

test("sends each read separately if their common statement fails", ({ db }) =>
  withPipeline(db, {}, async ({ ask, stats }) => {
    const [first, failure, last] = await Promise.all([divide(ask, 2), rejection(divide(ask, 0)), divide(ask, 3)]);
    assert.is(failure.code, "22012");
    assert.equal([first, last].map(([row]) => row!.n), [6, 4]);
    assert.is(stats().idle, stats().open); // every connection was released
  }));

test("a failed read does not affect later ones", ({ db }) =>
  withPipeline(db, {}, async ({ ask }) => {
    const [first, failure, last] = await Promise.all([
      ask(PID, []),
      rejection(ask("select 1 / $1::int", [0])),
      ask(PID, []),
    ]);
    assert.is(failure.code, "22012");
    assert.equal(first, last);
  }));

test("sends reads over another connection while one is slow", ({ db }) =>
  withPipeline(db, {}, async ({ ask }) => {
    await locked(db, 1, async () => {
      const slow = ask(WAITING, [1]);
      const [pid] = await until(async () => {
        const found = await waitingPids(db);
        return found.length > 0 && found;
      });
      let quick: Record<string, unknown> | undefined;
      await until(() => {
        ask(PID, []).then(([row]) => quick ??= row, () => {}); // the first read may have been too early for another connection
        return quick;
      });
      assert.is.not(quick!.pid, pid);
      slow.catch(() => {});
    });
  }));

test("repeats a read whose connection was lost", ({ db }) =>
  withPipeline(db, {}, async ({ ask }) => {
    let answer: ReturnType<typeof ask>, lost = 0;
    await locked(db, 2, async () => {
      answer = ask(WAITING, [2]);
      [lost = 0] = await until(async () => {
        const found = await waitingPids(db);
        return found.length > 0 && found;
      });
      await db.sql("select pg_terminate_backend($1)", [lost]);
      await until(async () => (await waitingPids(db)).some((pid) => pid !== lost));
    });
    const [row] = await answer!;
    assert.is.not(row!.pid, lost);
  }));

test("rejects an aborted read immediately and still answers the others", ({ db }) =>
  withPipeline(db, { most: 1 }, async ({ ask }) => {
    const gone = new AbortController();
    let behind: ReturnType<typeof ask>;
    await locked(db, 3, async () => {
      const slow = ask(WAITING, [3], gone.signal);
      behind = ask(PID, []);
      await until(async () => (await waitingPids(db)).length > 0);
      gone.abort(new Error("gone"));
      assert.is((await rejection(slow)).message, "gone");
    });
    assert.is((await behind!).length, 1);
    assert.is((await rejection(ask(PID, [], gone.signal))).message, "gone");
  }));

test("closes a connection that does not answer and opens another", async ({ db }) => {
  const proxy = await openProxy(db.url);
  try {
    await withPipeline(db, { url: proxy.url, limit: 300, size: 1 }, async ({ ask }) => {
      await ask(PID, []);
      proxy.freeze();
      assert.is((await rejection(ask(PID, []))).code, "database_slow");
      assert.is((await ask(PID, [])).length, 1);
      assert.is(proxy.made, 2);
    });
  } finally {
    await proxy.close();
  }
});

test.run();
