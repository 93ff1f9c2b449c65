/** Tests that each statement that blocks requests or breaks the previous release is rejected, and that harmless ones
 * are not. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readFile } from "node:fs/promises";
import { computeMigrationChecksum, type Migration } from "#lib/drivers/db/compare-schema.ts";
import { checkMigrations } from "#test/migrations/check-migrations.ts";
import { MIGRATION_RULES } from "#test/migrations/rules.ts";

const OLD: Migration = ["0001_create_jobs", "create table jobs (id text primary key, state text, size int)"];
const RELEASED = new Map([[OLD[0], computeMigrationChecksum(OLD[1])]]);
const check = (...texts: string[]) =>
  checkMigrations([OLD, ...texts.map((text, i): Migration => [`000${i + 2}_later`, text])], RELEASED);
/** Returns the rules in brackets at the end of the sentences. */
const rulesOf = async (...texts: string[]) =>
  (await check(...texts)).map((told) => /\(([\w-]+): [^)]*\)$/.exec(told)?.[1] ?? told);

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "alter table jobs drop column size": ["contract"],
  "alter table jobs drop constraint jobs_pkey": ["contract"],
  "alter table jobs rename column size to bytes": ["contract"],
  "alter table jobs rename to work": ["contract"],
  "alter function wheelwright_now() rename to the_time": ["contract"],
  "alter schema public rename to private": ["contract"],
  "create table if not exists jobs (id text); drop table jobs": ["contract"],
  "alter table jobs alter size drop default": ["contract"],
  "alter table jobs alter state drop not null": ["contract"],
  "drop table jobs": ["contract"],
  "drop index jobs_by_state": ["contract"],
  "drop trigger jobs_call on jobs": ["contract"],
  "drop function wheelwright_now()": ["contract"],
  "alter table jobs add column kind text not null": ["not-null"],
  "alter table jobs alter column size type bigint": ["rewrite", "contract"],
  "alter table jobs add column at timestamptz default wheelwright_now()": ["rewrite"],
  "alter table jobs add column seq bigserial": ["rewrite"],
  "alter table jobs add column seq bigint generated always as identity": ["rewrite"],
  "alter table jobs add column twice int generated always as (size * 2) stored": ["rewrite"],
  "alter table jobs alter state set not null": ["scan", "contract"],
  "alter table jobs add constraint sized check (size > 0)": ["scan"],
  "alter table jobs add column hub text references hubs (id)": ["scan"],
  "alter table jobs add column kind text default 'a' check (kind <> '')": ["scan"],
  "alter table jobs add constraint once unique (state)": ["index"],
  "alter table jobs add column name text unique": ["index"],
  "create index jobs_by_size on jobs (size)": ["index"],
  "create unique index jobs_by_size on jobs (size)": ["index"],
  "update jobs set size = 0": ["rows"],
  "update jobs set size = 0 where size is null": ["rows"],
  "delete from jobs": ["rows"],
  "insert into jobs select id from hubs on conflict (id) do update set size = 0": ["rows"],
  "create table kept (id text); with gone as (delete from jobs returning id) insert into kept select id from gone": [
    "rows",
  ],
  "lock table jobs": ["lock"],
  "truncate jobs": ["lock"],
  "set lock_timeout = 0": ["session"],
  "commit": ["session"],
  "do $$ begin delete from jobs; end $$": ["opaque"],
  "select work_through(jobs) from jobs": ["opaque"],
  "alter table jobs set unlogged": ["opaque"],
  "cluster jobs": ["opaque"],
  "vacuum full jobs": ["opaque"],
  "reindex table jobs": ["opaque"],
};

const HARMLESS = [
  "alter table jobs add column kind text",
  "alter table jobs add column kind text not null default 'plain'",
  "alter table jobs add column tags jsonb not null default '[]'::jsonb, add column at timestamptz default now()",
  "alter table jobs add constraint sized check (size > 0) not valid",
  "alter table jobs add constraint of_hub foreign key (state) references hubs (id) not valid",
  "alter table jobs validate constraint sized",
  "alter table jobs add constraint once unique using index jobs_once",
  "alter table jobs alter size set default 3",
  "-- concurrently\ncreate index concurrently if not exists jobs_by_size on jobs (size)",
  "create table kinds (name text primary key, job text references jobs (id)); create index on kinds (job); " +
  "insert into kinds select distinct state from jobs; update kinds set name = 'x'; alter table kinds drop column job",
  "create function called() returns trigger language plpgsql as $$ begin delete from calls; return null; end $$; " +
  "create trigger jobs_call after update on jobs for each row execute function called()",
];

const test = suite("check:migrations");

for (const [text, rules] of Object.entries(REFUSED)) {
  test(`rejects ${text} (${rules.join(", ")})`, async () => assert.equal(await rulesOf(text), rules));
}

test("accepts additive migrations", async () => {
  for (const text of HARMLESS) assert.equal(await check(text), [], text);
});

test("accepts any change of a table that no release has", async () => {
  assert.equal(await check("create table kinds (name text)", "create index on kinds (name); drop table kinds"), []);
});

test("accepts a removal that names a migration of the last release", async () => {
  const drop = "alter table jobs drop column size";
  assert.equal(await check(`-- needs 0001_create_jobs\n${drop}`), []);
  assert.equal(await check("alter table jobs add column bytes int", `-- needs 0002_later\n${drop}`), [
    "sql/0003_later.sql needs 0002_later, which is not in the last release",
  ]);
  assert.equal(await check("-- needs 0001_create_jobs\nalter table jobs add column bytes int"), [
    "sql/0002_later.sql has an unnecessary 'needs': it removes nothing",
  ]);
});

test("accepts one rule violation with a reason, and rejects a missing or unnecessary reason", async () => {
  const text = "update jobs set size = 0; lock table jobs";
  assert.equal(await rulesOf(`-- accepts rows: there is one row for each cluster\n${text}`), ["lock"]);
  assert.equal(await rulesOf(`-- accepts rows\n-- accepts lock: nobody uses this before 8 o'clock\n${text}`), [
    "sql/0002_later.sql accepts rows without a sufficient reason",
  ]);
  assert.equal(await check("-- accepts scan: it is a very small table\nalter table jobs add column kind text"), [
    "sql/0002_later.sql accepts scan, but does not violate it",
  ]);
  assert.match(
    (await check("-- accepts everything: I know what I am doing\ncomment on table jobs is ''")).join(),
    /is not a rule/,
  );
});

test("rejects validating a constraint in the same file as a locking statement", async () => {
  const [told] = await check("alter table jobs add column a int; alter table jobs validate constraint sized");
  assert.match(told!, /validates a constraint while other statements hold locks/);
});

test("rejects a changed or removed migration of the last release", async () => {
  assert.match((await checkMigrations([[OLD[0], `${OLD[1]} `]], RELEASED)).join(), /must not change$/);
  assert.match((await checkMigrations([], RELEASED)).join(), /must not be removed$/);
});

test("reports a syntax error", async () => {
  assert.match((await check("alter tabel jobs")).join(), /cannot be read: syntax error/);
});

test("sql/README.md documents every rule", async () => {
  const page = await readFile(new URL("../../sql/README.md", import.meta.url), "utf8");
  assert.equal(Object.keys(MIGRATION_RULES).filter((rule) => !page.includes(`| \`${rule}\``)), []);
});

test.run();
