/** Tests with a real PostgreSQL that a late upgrade Job neither reverts nor installs a site. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CONFIG, psqlOf, query, run } from "#test/lib/moodle/psql.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("the upgrade Job's guard");
const blueprint = openBlueprint();

test.before(async (context) => void (context.db = await openTestDatabase()));
test.after((context) => context.db.close());

const guard = (url: string, fence: string) => run(url, psqlOf("upgrade", fence));

test("runs before the site's containers, and only the following container may upgrade", () => {
  const { initContainers, containers } =
    blueprint.jobObject(inputsOf(blueprint), "upgrade", "17")["spec"].template.spec;
  assert.equal(initContainers.map((each: { name: string }) => each.name), ["guard", "dirs"]);
  assert.ok(psqlOf("upgrade", "17").command.includes("ON_ERROR_STOP=1"));
  assert.equal(containers[0].env, [{ name: "AUTO_UPDATE_MOODLE", value: "true" }]);
  assert.equal(containers[0].args, ["true"]);
});

test("refuses a database without an installed site", async ({ db }) => {
  const url = await db.freshUrl();
  assert.match((await rejection(guard(url, "17"))).message, /^not upgraded: no installed site is here/);
  await query(url, `${CONFIG}'0')`);
  assert.match((await rejection(guard(url, "17"))).message, /no installed site is here/);
});

test("allows and records the newest attempt, also when repeated, and refuses an older one", async ({ db }) => {
  const url = await db.freshUrl();
  await run(url, psqlOf("install", "5"));
  await query(url, `${CONFIG}'1')`);
  await guard(url, "17");
  await guard(url, "17");
  const [row] = await query(
    url,
    "select shobj_description(oid, 'pg_database') as note from pg_database where datname = current_database()",
  );
  assert.is(row!["note"], "wheelwright upgrade 17");
  assert.match(
    (await rejection(guard(url, "16"))).message,
    /attempt wheelwright upgrade 17 has begun after this one, 16/,
  );
  await guard(url, "18");
});

test("ignores a database comment from another program", async ({ db }) => {
  const url = await db.freshUrl();
  await query(url, `${CONFIG}'1')`);
  await query(url, `comment on database "${new URL(url).pathname.slice(1)}" is 'wheelwright rocks'`);
  await guard(url, "3");
});

test.run();
