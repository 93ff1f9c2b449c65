/** The database of every release that was made goes through all migrations since, and nothing of it is lost. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrate } from "#lib/drivers/db/migrate.ts";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { findMissing, readAllResponses } from "#test/migrations/api-responses.ts";
import { dumpedAt, readDumps, type ReleaseDump, restoreDump } from "#test/migrations/released.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { describeSchema } from "#test/support/describe-schema.ts";
import { loadMigrations } from "#test/support/migrations.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { rejection } from "#test/support/until.ts";

const DUMPS = await readDumps(), LAST = DUMPS.at(-1)!;
const ALL = await loadMigrations();
const LATER = ALL.filter(([name]) => !LAST.migrations.has(name));

const test = suite<{ db: TestDatabase }>("database of an earlier release");
test.before(async (context) => void (context.db = await openTestDatabase()));
test.after(({ db }) => db.close());

/** The dump after these migrations, at the time at which it was dumped. */
async function upgrade(db: TestDatabase, dump: ReleaseDump, migrations: readonly Migration[]): Promise<string> {
  const url = await db.freshUrl();
  await restoreDump(url, dump.sql);
  await migrate(url, migrations);
  const shift = dumpedAt(dump.sql).getTime() - Date.now();
  await withAdminConnection(
    url,
    (sql) => sql`insert into clock_shift (shift) values (${shift} * interval '1 millisecond')`,
  );
  return url;
}

const schemaOf = (url: string) =>
  withAdminConnection(
    url,
    (sql) => describeSchema(async (text, params = []) => [...await sql.unsafe(text, params as never[])] as never),
  );
/** Differences that lose nothing: later releases word a step's label differently, and date a step that failed. */
const ALLOWED = /\/steps\/\d+\/(?:label: ".*" became ".*"|finishedAt: null became "[^"]+")$/;

async function missed(url: string, { answers }: ReleaseDump): Promise<string[]> {
  return findMissing(answers, await readAllResponses(url)).filter((line) => !ALLOWED.test(line));
}

for (const dump of DUMPS) {
  test(`${dump.version} has rows in each table`, async ({ db }) => {
    const url = await db.freshUrl();
    await restoreDump(url, dump.sql);
    const empty = await withAdminConnection(url, async (sql) => {
      const tables = await sql`select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'clock_shift'`;
      const counts = await Promise.all(
        tables.map(async ({ name }) => [name, (await sql`select 1 from ${sql(name)}`).length]),
      );
      return counts.filter(([, rows]) => rows === 0);
    });
    assert.equal(empty, []);
  });

  test(`${dump.version} migrates to the current schema, and the API returns the same data`, async ({ db }) => {
    const url = await upgrade(db, dump, ALL);
    assert.equal(await schemaOf(url), await schemaOf(db.url));
    assert.ok(Object.keys(dump.answers).length > 100, "a release lists many changes");
    assert.equal(await missed(url, dump), []);
  });
}

test("accepts a later additive migration", async ({ db }) => {
  const good: Migration = ["9999_note_colour", "alter table spokes add column colour text not null default 'blue'"];
  assert.equal(await missed(await upgrade(db, LAST, [...ALL, good]), LAST), []);
});

test("detects a later migration that changes or drops data, or fails on it", async ({ db }) => {
  const changing: Migration = ["9999_shorten", "update federations set name = left(name, 3)"];
  const lost = await missed(await upgrade(db, LAST, [...ALL, changing]), LAST);
  assert.ok(lost.some((line) => /\/name: "north" became "nor"$/.test(line)), lost[0]);
  const dropping: Migration = ["9999_forget", "delete from spoke_members"];
  assert.ok((await missed(await upgrade(db, LAST, [...ALL, dropping]), LAST)).length > 0);
  const strict: Migration = ["9999_demand", "alter table spokes add constraint short check (length(display_name) < 5)"];
  assert.match(
    (await rejection(upgrade(db, LAST, [...ALL, strict]))).message,
    /9999_demand\.sql failed: .*is violated/,
  );
  const gone: Migration = ["9999_take_away", "alter table spokes drop column brand"];
  const failure = await rejection(upgrade(db, LAST, [...ALL, gone]).then((url) => missed(url, LAST)));
  assert.match(failure.message, /was answered 500/);
});

test("every migration after a release has a higher number than those of the release", () => {
  const last = [...LAST.migrations.keys()].at(-1)!;
  assert.equal([...LAST.migrations.keys()], ALL.slice(0, LAST.migrations.size).map(([name]) => name));
  assert.equal(LATER.filter(([name]) => name < last), []);
});

test.run();
