import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrate, type Migration } from "#lib/drivers/db/migrate.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { asAdmin } from "#test/support/server.ts";
import { rejection } from "#test/support/until.ts";

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

const things = (url: string) => asAdmin(url, async (sql) => [...await sql`select * from things`]);

test("migrations are applied in order, each once", async ({ url }) => {
  assert.equal(await migrate(url, [ONE]), [ONE[0]]);
  assert.equal(await migrate(url, [ONE, TWO]), [TWO[0]]);
  assert.equal(await migrate(url, [ONE, TWO]), []);
  assert.equal(await things(url), [{ name: "it's; one", size: null }]);
});

test("of many replicas that start at once, one applies them and none fails", async ({ url }) => {
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, [ONE, TWO])));
  assert.equal(applied.flat().sort(), [ONE[0], TWO[0]]);
  assert.is((await things(url)).length, 1);
});

test("a migration that fails leaves nothing of itself, keeps those before it, and is named", async ({ url }) => {
  const broken: Migration = ["0002_break", "create table half (a int); select 1 / 0; create table other (a int)"];
  const failure = await rejection(migrate(url, [ONE, broken]));
  assert.match(failure.message, /0002_break\.sql failed: division by zero/);
  const tables = await asAdmin(
    url,
    async (sql) => [...await sql`select to_regclass('half') as half, to_regclass('things') as things`],
  );
  assert.equal(tables, [{ half: null, things: "things" }]);
  assert.equal(await migrate(url, [ONE, TWO]), [TWO[0]]);
});

test("an applied file that was changed stops the start", async ({ url }) => {
  await migrate(url, [ONE]);
  const failure = await rejection(migrate(url, [[ONE[0], `${ONE[1]} `], TWO]));
  assert.match(failure.message, /0001_create_things\.sql was changed .* new file/);
});

test("line ends are no change", async ({ url }) => {
  await migrate(url, [ONE]);
  assert.equal(await migrate(url, [[ONE[0], ONE[1].replaceAll("\n", "\r\n")]]), []);
});

test("an applied file that is missing stops the start", async ({ url }) => {
  await migrate(url, [ONE, TWO]);
  assert.match((await rejection(migrate(url, [TWO]))).message, /0001_create_things\.sql was applied .* lacks it/);
});

test("a schema newer than the program stops the start", async ({ url }) => {
  await migrate(url, [ONE, TWO]);
  assert.match(
    (await rejection(migrate(url, [ONE]))).message,
    /newer than this program.*0002_add_size\.sql.*newer release/,
  );
});

test("a file numbered before an applied one stops the start", async ({ url }) => {
  await migrate(url, [TWO].map(([name]): Migration => [name, "create table things (name text)"]));
  assert.match(
    (await rejection(migrate(url, [ONE, [TWO[0], "create table things (name text)"]]))).message,
    /later number/,
  );
});

test.run();
