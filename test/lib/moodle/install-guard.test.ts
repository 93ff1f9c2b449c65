/** Tests with a real PostgreSQL that a late install Job never overwrites a site. */
import postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CONFIG, psqlOf, query, run, tables } from "#test/lib/moodle/psql.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("the install Job's guard");
const blueprint = openBlueprint();

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after((context) => context.db.close());

const guard = (url: string, fence = "17") => run(url, psqlOf("install", fence));
const noted = async (url: string) =>
  (await query(
    url,
    "select shobj_description(oid, 'pg_database') as note from pg_database where datname = current_database()",
  ))[0]!["note"];

test("runs before the site's containers, and stops at the first error", () => {
  const { initContainers } = blueprint.jobObject(inputsOf(blueprint), "install", "17")["spec"].template.spec;
  assert.equal(initContainers.map((each: { name: string }) => each.name), ["guard", "dirs"]);
  assert.ok(psqlOf("install", "17").command.includes("ON_ERROR_STOP=1"));
});

test("allows an installation in an empty database and records the attempt, also when repeated", async ({ db }) => {
  const url = await db.freshUrl();
  await guard(url);
  await guard(url);
  assert.is(await noted(url), "wheelwright install 17");
});

test("refuses an installed site, and keeps its record", async ({ db }) => {
  const url = await db.freshUrl();
  await guard(url, "5");
  await query(url, `${CONFIG}'1')`);
  for (const fence of ["5", "4", "6"]) {
    assert.match((await rejection(guard(url, fence))).message, /^not installed: /);
  }
  assert.match((await rejection(guard(url, "6"))).message, /rolesactive is 1, an installed site is here/);
  assert.is(await noted(url), "wheelwright install 5");
  assert.equal(await tables(url), ["mdl_config"]);
});

test("refuses an older attempt after a newer one has started to install or reset", async ({ db }) => {
  for (const job of ["install", "reset"] as const) {
    const url = await db.freshUrl();
    await run(url, psqlOf(job, "100"));
    const error = await rejection(guard(url));
    assert.match(error.message, new RegExp(`attempt wheelwright ${job} 100 has begun after this one, 17`));
    await guard(url, "100");
    await guard(url, "101");
  }
});

test("allows a partial installation, which the image checks itself", async ({ db }) => {
  const url = await db.freshUrl();
  await query(url, `${CONFIG}'0')`);
  await guard(url);
});

test("ignores a database comment from another program", async ({ db }) => {
  const url = await db.freshUrl();
  await query(url, `comment on database "${new URL(url).pathname.slice(1)}" is 'wheelwright rocks'`);
  await guard(url);
});

const verify = suite<{ db: TestDatabase }>("the verify Job");
verify.before(async (context) => {
  context.db = await openTestDatabase();
});
verify.after((context) => context.db.close());

/** Returns the script's SQL statements that contain this text. */
function statements(word: string): string[] {
  const job = blueprint.jobObject(inputsOf(blueprint), "verify", "17");
  const script: string = job["spec"].template.spec.containers[0].command.at(-1);
  const lines = script.split("\n").slice(1).filter((line) => !/^\\(?:if|endif)/.test(line));
  return lines.join("\n").split(/;|\\gset/).filter((part) => part.includes(word));
}

verify("prints the last attempt, if any", async ({ db }) => {
  const url = await db.freshUrl();
  const [statement] = statements("'attempt'");
  const sql = postgres(url, { max: 1 });
  try {
    assert.equal([...await sql.unsafe(statement!).values()], []);
    await guard(url);
    assert.equal([...await sql.unsafe(statement!).values()], [["attempt", "wheelwright install 17"]]);
  } finally {
    await sql.end();
  }
});

verify(
  "counts courses without the front page, and users without the guest and deleted ones",
  async ({ db }) => {
    const url = await db.freshUrl(),
      [whether, courses, users] = statements("public.mdl_course").concat(statements("'users'"));
    const there = async () => Object.values((await query(url, whether!))[0]!)[0];
    assert.is(await there(), false);
    await query(url, "create table mdl_course (category bigint); insert into mdl_course values (0), (1), (7), (7)");
    assert.is(await there(), false);
    await query(
      url,
      "create table mdl_user (username text, deleted smallint); insert into mdl_user values ('guest', 0), ('ann', 0), ('bob', 1)",
    );
    assert.is(await there(), true);
    const counts = await Promise.all([courses, users].map((text) => query(url, text!)));
    assert.equal(counts.map(([row]) => Object.values(row!)), [["courses", "3"], ["users", "1"]]);
  },
);

test.run();
verify.run();
