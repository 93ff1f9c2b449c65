import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type CallCounter, type CallCounterOptions, openCallCounter } from "#lib/domains/deprecations/calls.ts";
import { getCurrentContext, runInContext } from "#lib/base/work-context.ts";
import { createLog } from "#lib/base/log.ts";
import { DAY, HOUR } from "#lib/base/time.ts";
import { startSpanContext } from "#lib/base/trace.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { createTestToken, createTestUser, type TestUser } from "#test/support/users.ts";
import { until } from "#test/support/until.ts";
import { deleteRows } from "#test/support/rows.ts";

interface Context {
  db: TestDatabase;
  ada: TestUser;
  /** Two tokens of the user. */
  one: string;
  two: string;
  // deno-lint-ignore no-explicit-any
  log: any[];
  counters: CallCounter[];
}

const test = suite<Context>("openCallCounter");
test.before(async (context) => {
  context.db = await openTestDatabase();
  context.ada = await createTestUser(context.db, "ada");
  context.one = (await createTestToken(context.db, context.ada, "cli")).id;
  context.two = (await createTestToken(context.db, context.ada, "readonly")).id;
});
test.before.each((context) => {
  context.log = [];
  context.counters = [];
});
test.after.each(async ({ db, counters }) => {
  await Promise.all(counters.map((counter) => counter.close()));
  await deleteRows(db, "token_calls");
});
test.after(({ db }) => db.close());

/** Opens a counter that writes only on flush, unless the options differ. */
function open({ db, log, counters }: Context, options: Partial<CallCounterOptions> = {}): CallCounter {
  const logging = createLog({ level: "info", format: "json", write: (line) => log.push(JSON.parse(line)) });
  const counter = openCallCounter({ db, log: logging, flushIntervalMs: HOUR, ...options });
  counters.push(counter);
  return counter;
}

async function readCounts({ db }: Context): Promise<Record<string, number>> {
  const rows = await db.sql(
    `select token_id || ' ' || endpoint || ' ' || day - (wheelwright_now() at time zone 'UTC')::date as key, calls::int
     from token_calls order by 1`,
  );
  return Object.fromEntries(rows.map(({ key, calls }) => [key, calls]));
}

/** Returns a database that fails while `away` is true. */
function fragile({ db }: Context) {
  const state = {
    away: false,
    asked: 0,
    /** Runs during each query. */
    meanwhile: () => {},
    db: {
      within(signal: AbortSignal) {
        state.asked++;
        state.meanwhile();
        if (state.away) throw new Error("The database is away");
        return db.within(signal);
      },
    },
  };
  return state;
}

test("adds up calls by token, endpoint and day", async (context) => {
  const { one, two } = context, counter = open(context);
  for (const token of [one, one, two]) counter.count(token, "GET /api/x");
  counter.count(one, "POST /api/x");
  await counter.flush();
  counter.count(one, "GET /api/x");
  await counter.flush();
  assert.equal(await readCounts(context), {
    [`${one} GET /api/x 0`]: 3,
    [`${one} POST /api/x 0`]: 1,
    [`${two} GET /api/x 0`]: 1,
  });
  await context.db.shiftClock(DAY);
  counter.count(one, "GET /api/x");
  await counter.flush();
  const after = await readCounts(context);
  await context.db.shiftClock(0);
  assert.is(after[`${one} GET /api/x -1`], 3);
  assert.is(after[`${one} GET /api/x 0`], 1);
});

test("writes automatically after the interval, and immediately above the size limit", async (context) => {
  open(context, { flushIntervalMs: 20 }).count(context.one, "GET /api/soon");
  await until(async () => (await readCounts(context))[`${context.one} GET /api/soon 0`] === 1);
  const counter = open(context, { flushSize: 3 });
  for (const name of ["a", "b", "c"]) counter.count(context.one, `GET /api/${name}`);
  await until(async () => (await readCounts(context))[`${context.one} GET /api/c 0`] === 1);
});

test("writes the same rows from several replicas at the same time", async (context) => {
  const endpoints = Array.from({ length: 400 }, (_, i) => `GET /api/${i}`);
  const replicas = [endpoints, endpoints.toReversed(), endpoints].map((order) => ({ order, counter: open(context) }));
  for (let round = 0; round < 5; round++) {
    for (const { order, counter } of replicas) for (const endpoint of order) counter.count(context.one, endpoint);
    await Promise.all(replicas.map(({ counter }) => counter.flush()));
  }
  assert.equal(new Set(Object.values(await readCounts(context))), new Set([15]));
  assert.equal(context.log, []);
});

test("writes outside of the contexts of the counted requests", async (context) => {
  const state = fragile(context), causes: unknown[] = [];
  state.meanwhile = () => void causes.push(getCurrentContext());
  const counter = open(context, { db: state.db, flushSize: 1 });
  runInContext(
    { rootSpan: startSpanContext(null, () => true), logFields: {} },
    () => counter.count(context.one, "GET /api/x"),
  );
  await counter.flush();
  assert.equal(causes, [null]);
});

test("skips a deleted token and writes the other counts", async (context) => {
  const { db, ada, one } = context, counter = open(context);
  const gone = await createTestToken(db, ada, "cli");
  counter.count(gone.id, "GET /api/x");
  await counter.flush();
  await deleteRows(db, "api_tokens", { id: gone.id });
  for (const token of [gone.id, one, "tok_never"]) counter.count(token, "GET /api/x");
  await counter.flush();
  assert.equal(await readCounts(context), { [`${one} GET /api/x 0`]: 1 });
});

test("keeps counts after a failed write, older before newer, and writes them later", async (context) => {
  const { one } = context, state = fragile(context);
  const counter = open(context, { db: state.db, flushSize: 2, maxPairs: 3 });
  state.away = true;
  counter.count(one, "GET /api/1");
  counter.count(one, "GET /api/2");
  await until(() => context.log.length === 1);
  for (const name of ["3", "4", "5", "1"]) counter.count(one, `GET /api/${name}`);
  assert.is(state.asked, 1); // it does not query again for each call
  state.meanwhile = () => counter.count(one, "GET /api/2");
  await counter.flush();
  state.away = false;
  state.meanwhile = () => {};
  await counter.flush();
  assert.equal(await readCounts(context), {
    [`${one} GET /api/1 0`]: 2,
    [`${one} GET /api/2 0`]: 2,
    [`${one} GET /api/3 0`]: 1,
  });
  const [warning, news] = context.log;
  assert.match(warning.message, "Could not store the numbers of API calls per token");
  assert.equal([news.message, news.lost], ["Resumed storing the numbers of API calls per token", 2]);
});

test("retries automatically while the database is unavailable", async (context) => {
  const state = fragile(context);
  const counter = open(context, { db: state.db, flushIntervalMs: 10 });
  state.away = true;
  counter.count(context.one, "GET /api/x");
  await until(() => state.asked >= 3);
  state.away = false;
  await until(async () => (await readCounts(context))[`${context.one} GET /api/x 0`] === 1);
});

test("writes the remaining counts on close, including those that arrive during the write", async (context) => {
  const counter = open(context);
  counter.count(context.one, "GET /api/x");
  const writing = counter.flush();
  counter.count(context.one, "GET /api/x");
  await counter.close();
  await writing;
  assert.equal(await readCounts(context), { [`${context.one} GET /api/x 0`]: 2 });
});

test("closes while the database is unavailable, and logs the loss", async (context) => {
  const state = fragile(context);
  state.away = true;
  const counter = open(context, { db: state.db });
  counter.count(context.one, "GET /api/x");
  await counter.close();
  assert.match(context.log.at(-1)!.message, "Could not store API calls per token at shutdown");
});

test.run();
