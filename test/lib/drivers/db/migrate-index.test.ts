/** Tests indexes that are created while others write, by migrations outside of transactions. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrate } from "#lib/drivers/db/migrate.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { createsIndexConcurrently, parseIndexName } from "#lib/drivers/db/migrate-index.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { loadMigrations } from "#test/support/migrations.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { rejection, until } from "#test/support/until.ts";

const ONE: Migration = [
  "0001_create_things",
  "create table things (name text); insert into things values ('a'), ('a')",
];
const INDEX: Migration = [
  "0002_index_things",
  "-- concurrently\n-- Things are looked up by name.\ncreate index concurrently if not exists things_named\n  on things (name);\n",
];

const test = suite<{ db: TestDatabase; url: string }>("migration that creates an index concurrently");
test.before(async (context) => void (context.db = await openTestDatabase()));
test.before.each(async (context) => void (context.url = await context.db.freshUrl()));
test.after(({ db }) => db.close());

const validity = (url: string) =>
  withAdminConnection(url, async (sql) => [
    ...await sql`select indisvalid as valid from pg_index where indexrelid = to_regclass('things_named')`,
  ]);

test("does not block writers, and waits for running ones", async ({ url }) => {
  await migrate(url, [ONE]);
  await withAdminConnection(url, async (writer) => {
    let made = false, migrating = Promise.resolve<unknown>(null);
    await writer.begin(async (tx) => {
      await tx`insert into things values ('b')`;
      migrating = migrate(url, [ONE, INDEX]).then(() => made = true);
      await until(async () => (await validity(url)).length === 1); // the index is being created
      await withAdminConnection(url, (sql) => sql`insert into things values ('c')`);
      assert.is(made, false);
    });
    await migrating;
  });
  assert.equal(await validity(url), [{ valid: true }]);
  assert.equal(await migrate(url, [ONE, INDEX]), []);
});

test("creates an invalid index of a killed attempt again, and keeps a valid one", async ({ url }) => {
  await migrate(url, [ONE]);
  // The state after a killed migration: an invalid unique index, because the rows violate it.
  await rejection(
    withAdminConnection(url, (sql) => sql`create unique index concurrently things_named on things (name)`),
  );
  assert.equal(await validity(url), [{ valid: false }]);
  assert.equal(await migrate(url, [ONE, INDEX]), [INDEX[0]]);
  assert.equal(await validity(url), [{ valid: true }]);
  await withAdminConnection(url, (sql) => sql`delete from migrations where name = ${INDEX[0]}`);
  assert.equal(await migrate(url, [ONE, INDEX]), [INDEX[0]]);
});

test("creates the index once when many replicas start", async ({ url }) => {
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, [ONE, INDEX])));
  assert.equal(applied.flat().sort(), [ONE[0], INDEX[0]]);
});

test("names a failed index and does not record it as applied", async ({ url }) => {
  const unique: Migration = [INDEX[0], INDEX[1].replace("create index", "create unique index")];
  assert.match(
    (await rejection(migrate(url, [ONE, unique]))).message,
    /0002_index_things\.sql failed: could not create/,
  );
  assert.equal(await migrate(url, [ONE, INDEX]), [INDEX[0]]);
});

test("allows only one statement", async ({ url }) => {
  for (const more of ["; drop table things", ";\nselect 1"]) {
    const failure = await rejection(migrate(url, [ONE, [INDEX[0], INDEX[1].replace(/;\n$/, more)]]));
    assert.match(failure.message, /must have exactly one statement: "create index concurrently if not exists"/);
  }
  for (const [name, text] of await loadMigrations()) {
    if (createsIndexConcurrently(text)) assert.ok(parseIndexName(text), name);
  }
});

test.run();
