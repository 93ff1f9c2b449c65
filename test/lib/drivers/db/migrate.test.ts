import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrate } from "#lib/drivers/db/migrate.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { loadMigrations } from "#test/support/migrations.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { rejection, until } from "#test/support/until.ts";

const ONE: Migration = [
  "0001_create_things",
  "create table things (name text);\ninsert into things values ('it''s; one')",
];
const TWO: Migration = ["0002_add_size", "alter table things add size int; -- the end"];

const test = suite<{ db: TestDatabase; url: string }>("migrate");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.before.each(async (context) => {
  context.url = await context.db.freshUrl();
});
test.after(async ({ db }) => await db.close());

/** Returns the locks that sessions hold or wait for on the table. */
const locksOf = (url: string) =>
  withAdminConnection(
    url,
    async (sql) =>
      (await sql`select mode from pg_locks where relation = 'things'::regclass`).map(({ mode }) => mode as string),
  );
const things = (url: string) => withAdminConnection(url, async (sql) => [...await sql`select * from things`]);

test("applies migrations in order, each once", async ({ url }) => {
  assert.equal(await migrate(url, [ONE]), [ONE[0]]);
  assert.equal(await migrate(url, [ONE, TWO]), [TWO[0]]);
  assert.equal(await migrate(url, [ONE, TWO]), []);
  assert.equal(await things(url), [{ name: "it's; one", size: null }]);
});

test("applies migrations once when many replicas start", async ({ url }) => {
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, [ONE, TWO])));
  assert.equal(applied.flat().sort(), [ONE[0], TWO[0]]);
  assert.is((await things(url)).length, 1);
});

test("rolls back a failed migration, keeps earlier ones, and names it", async ({ url }) => {
  const broken: Migration = ["0002_break", "create table half (a int); select 1 / 0; create table other (a int)"];
  const failure = await rejection(migrate(url, [ONE, broken]));
  assert.match(failure.message, /0002_break\.sql failed: division by zero/);
  const tables = await withAdminConnection(
    url,
    async (sql) => [...await sql`select to_regclass('half') as half, to_regclass('things') as things`],
  );
  assert.equal(tables, [{ half: null, things: "things" }]);
  assert.equal(await migrate(url, [ONE, TWO]), [TWO[0]]);
});

test("refuses to start if an applied migration was changed", async ({ url }) => {
  await migrate(url, [ONE]);
  const failure = await rejection(migrate(url, [[ONE[0], `${ONE[1]} `], TWO]));
  assert.match(failure.message, /0001_create_things\.sql was changed after it was applied/);
});

test("ignores changed line endings", async ({ url }) => {
  await migrate(url, [ONE]);
  assert.equal(await migrate(url, [[ONE[0], ONE[1].replaceAll("\n", "\r\n")]]), []);
});

test("refuses to start if an applied migration is missing", async ({ url }) => {
  await migrate(url, [ONE, TWO]);
  assert.match(
    (await rejection(migrate(url, [TWO]))).message,
    /0001_create_things\.sql was applied .* does not include it/,
  );
});

test("accepts and reports a newer schema without changing it", async ({ url }) => {
  await migrate(url, [ONE, TWO]);
  const messages: string[] = [];
  assert.equal(await migrate(url, [ONE], null, (text) => messages.push(text)), []);
  assert.equal(messages, [
    `The database is newer than this release, but compatible with it. Newer migrations: ${TWO[0]}`,
  ]);
});

test("refuses to start if a newer schema is incompatible", async ({ url }) => {
  const contract: Migration = [
    "0003_drop_name",
    `-- Nothing reads it.\n-- needs ${TWO[0]}\nalter table things drop name`,
  ];
  await migrate(url, [ONE, TWO, contract]);
  assert.match(
    (await rejection(migrate(url, [ONE]))).message,
    /newer than this program: its migration 0003_drop_name\.sql needs 0002_add_size\.sql.*; run a newer release/,
  );
  assert.equal(await migrate(url, [ONE, TWO]), []);
});

test("refuses a schema from before the first release, and changes nothing", async ({ url }) => {
  await migrate(url, [["0003_create_federations", "create table things (name text)"]]);
  const failure = await rejection(migrate(url, await loadMigrations()));
  assert.is(
    failure.message,
    "The database has a schema from before the first release; use an empty database, or an empty DATA_DIR with npm start",
  );
  const [row] = await withAdminConnection(url, (sql) => sql`select to_regclass('users')::text as users`);
  assert.is(row!.users, null);
});

test("waits only briefly for a lock, lets other statements run, and retries", async ({ url }) => {
  await migrate(url, [ONE]);
  const holding = Promise.withResolvers<void>(), messages = Promise.withResolvers<string>();
  const holder = withAdminConnection(url, (sql) =>
    sql.begin(async (tx) => {
      await tx`select * from things`; // like a long report: nobody may change the table until it ends
      await holding.promise;
    }));
  await until(async () => (await locksOf(url)).includes("AccessShareLock"));
  const migrating = migrate(url, [ONE, TWO], null, messages.resolve);
  await until(async () => (await locksOf(url)).includes("AccessExclusiveLock")); // the migration waits
  assert.equal(await things(url), [{ name: "it's; one" }], "later statements are answered before the lock is released");
  assert.match(await messages.promise, /0002_add_size\.sql is waiting for a table lock/);
  holding.resolve();
  await holder;
  assert.equal(await migrating, [TWO[0]]);
});

test("reports a long wait for another migration once", async ({ url }) => {
  const slow: Migration = ["0001_create_things", "select pg_advisory_xact_lock(7); create table things (name text)"];
  const over = Promise.withResolvers<void>(), taken = Promise.withResolvers<void>(), messages: string[] = [];
  const holder = withAdminConnection(url, (sql) =>
    sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(7)`;
      taken.resolve();
      await over.promise;
    }));
  await taken.promise;
  const first = migrate(url, [slow]);
  await until(async () =>
    (await withAdminConnection(url, (sql) =>
      sql`select from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`)).length > 0
  );
  const second = migrate(url, [slow], null, (sentence) => messages.push(sentence));
  await until(() => messages.length > 0);
  over.resolve();
  await holder;
  assert.equal(await Promise.all([first, second]), [[slow[0]], []]);
  assert.equal(messages, ["Waiting for another process that is migrating or restoring this database"]);
});

test("a killed replica leaves a migration complete or not started", async ({ url }) => {
  const slow: Migration = ["0002_add_size", "alter table things add size int; select pg_sleep(60)"];
  await migrate(url, [ONE]);
  const dying = rejection(migrate(url, [ONE, slow]));
  const pid = await until(async () =>
    (await withAdminConnection(
      url,
      (sql) =>
        sql`select pid from pg_stat_activity where application_name = 'wheelwright-migrate' and wait_event = 'PgSleep'
      and datname = current_database()`,
    ))[0]?.pid
  );
  const next = migrate(url, [ONE, TWO]);
  await withAdminConnection(url, (sql) => sql`select pg_terminate_backend(${pid})`);
  await dying;
  assert.equal(await next, [TWO[0]]);
  assert.equal(await things(url), [{ name: "it's; one", size: null }]);
});

test("refuses to start if a migration comes before an applied one", async ({ url }) => {
  await migrate(url, [TWO].map(([name]): Migration => [name, "create table things (name text)"]));
  assert.match(
    (await rejection(migrate(url, [ONE, [TWO[0], "create table things (name text)"]]))).message,
    /later number/,
  );
});

test.run();
