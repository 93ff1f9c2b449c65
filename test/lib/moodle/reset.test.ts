/** Tests with a real PostgreSQL that the reset Job never drops an installed site. */
import postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CONFIG, psqlOf, query, run, tables } from "#test/lib/moodle/psql.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { rejection } from "#test/support/until.ts";

const { command, statements } = psqlOf("reset", "17");
// Sessions from the database's own pod, its probes, do not count; here all come from there, so that is turned off.
const FROM_ELSEWHERE = (sql: string) => sql.replace("is distinct from '127.0.0.1'", "is distinct from '192.0.2.1'");

const test = suite<{ db: TestDatabase }>("the reset Job");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after((context) => context.db.close());

function reset(url: string, edit?: (sql: string) => string, fence = "17"): Promise<void> {
  return run(url, psqlOf("reset", fence), edit);
}

test("is one transaction that stops at the first error", () => {
  assert.ok(command.includes("--single-transaction") && command.includes("ON_ERROR_STOP=1"));
  assert.is(statements.length, 3);
});

test("leaves an installed site as it is", async ({ db }) => {
  const url = await db.freshUrl();
  await query(url, `${CONFIG}'1')`);
  const error = await rejection(reset(url));
  assert.match(error.message, /rolesactive is 1/);
  assert.equal(await tables(url), ["mdl_config"]);
});

test("drops everything that an interrupted installation left", async ({ db }) => {
  for (
    const left of [`${CONFIG}'0')`, "create table mdl_config (name text, value text)", "create table mdl_user (id int)"]
  ) {
    const url = await db.freshUrl();
    await query(url, left);
    await reset(url);
    assert.equal(await tables(url), [], left);
    await query(url, "create table mdl_config (name text)"); // the schema is there again
  }
});

test("changes nothing in an empty database, also when repeated", async ({ db }) => {
  const url = await db.freshUrl();
  await reset(url);
  await reset(url);
  assert.equal(await tables(url), []);
});

test("is refused while another session uses the database", async ({ db }) => {
  const url = await db.freshUrl();
  await query(url, `${CONFIG}'0')`);
  const installer = postgres(url, { max: 1 });
  try {
    await installer`select 1`;
    const error = await rejection(reset(url, FROM_ELSEWHERE));
    assert.match(error.message, /another session is at work/);
    assert.equal(await tables(url), ["mdl_config"]);
  } finally {
    await installer.end();
  }
});

test("waits for a finishing installer, and then finds the installed site", async ({ db }) => {
  const url = await db.freshUrl();
  await query(url, `${CONFIG}'0')`);
  const installer = postgres(url, { max: 1 });
  try {
    const started = Promise.withResolvers<void>(), finish = Promise.withResolvers<void>();
    const install = installer.begin(async (tx) => {
      await tx`update mdl_config set value = '1'`;
      started.resolve();
      await finish.promise;
    });
    await started.promise;
    const outcome = rejection(reset(url, (sql) => sql.replace("is distinct from '127.0.0.1'", "= '192.0.2.1'")));
    await waitForLock(url);
    finish.resolve();
    await install;
    assert.match((await outcome).message, /rolesactive is 1/);
    assert.equal(await tables(url), ["mdl_config"]);
  } finally {
    await installer.end();
  }
});

test("waits for another reset, and keeps a site that was installed between them", async ({ db }) => {
  const url = await db.freshUrl();
  await query(url, `${CONFIG}'0')`);
  await Promise.all([reset(url, FROM_ELSEWHERE), reset(url, FROM_ELSEWHERE)]);
  assert.equal(await tables(url), []);
  await query(url, `${CONFIG}'1')`);
  const outcomes = await Promise.allSettled([reset(url, FROM_ELSEWHERE), reset(url, FROM_ELSEWHERE)]);
  assert.equal(outcomes.map(({ status }) => status), ["rejected", "rejected"]);
  assert.equal(await tables(url), ["mdl_config"]);
});

test("refuses an older attempt after a newer one has started", async ({ db }) => {
  for (const job of ["reset", "install"] as const) {
    const url = await db.freshUrl();
    await run(url, psqlOf(job, "100")); // as text, 100 is less than 17
    await query(url, `${CONFIG}'0')`);
    const error = await rejection(reset(url));
    assert.match(error.message, /not reset: attempt wheelwright \w+ 100 has begun after this one, 17/);
    assert.equal(await tables(url), ["mdl_config"]);
    await reset(url, undefined, "101");
    assert.equal(await tables(url), []);
  }
});

test("changes nothing if it is interrupted", async ({ db }) => {
  const url = await db.freshUrl();
  await query(url, `${CONFIG}'0')`);
  const cut = (sql: string) => sql.startsWith("create schema") ? "select 1 / 0" : sql;
  assert.match((await rejection(reset(url, cut))).message, /division by zero/);
  assert.equal(await tables(url), ["mdl_config"]);
  await reset(url, undefined, "3");
});

async function waitForLock(url: string): Promise<void> {
  const waiting = "select 1 from pg_locks where not granted and relation = 'mdl_config'::regclass";
  while ((await query(url, waiting)).length === 0);
}

test.run();
