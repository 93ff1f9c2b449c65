/** Tests with a real PostgreSQL that late seed Jobs are refused. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { psqlOf, query, run } from "#test/lib/moodle/psql.ts";
import { inputsOf, openBlueprint } from "#test/lib/moodle/fixtures.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { rejection } from "#test/support/until.ts";

const test = suite<{ db: TestDatabase }>("the guards of the Jobs seed and claim");
const blueprint = openBlueprint();

test.before(async (context) => void (context.db = await openTestDatabase()));
test.after((context) => context.db.close());

const guard = (url: string, name: "install" | "seed" | "setup" | "upgrade", fence: string) =>
  run(url, psqlOf(name, fence));

/** Returns the guard's SQL, which is the last statement of the Job. */
async function claim(url: string, fence: string): Promise<void> {
  const { containers } = blueprint.jobObject(inputsOf(blueprint), "claim", fence)["spec"].template.spec;
  await query(url, /^do \$guard\$.*^\$guard\$;$/ms.exec(containers[0].command.at(-1))![0]);
}

async function noted(url: string): Promise<string | null> {
  const text =
    "select shobj_description(oid, 'pg_database') as note from pg_database where datname = current_database()";
  return (await query(url, text))[0]!["note"];
}

test("allows the attempt that installed the site to seed once, and no earlier one", async ({ db }) => {
  const url = await db.freshUrl();
  await guard(url, "install", "5");
  await guard(url, "seed", "5");
  assert.is(await noted(url), "wheelwright seed 5");
  for (const late of ["5", "4"]) {
    assert.match(
      (await rejection(guard(url, "seed", late))).message,
      /^not seeded: attempt wheelwright seed 5 has begun/,
    );
  }
  await guard(url, "seed", "6");
});

test("checks the same in the Job setup", async ({ db }) => {
  const url = await db.freshUrl();
  assert.equal(psqlOf("setup", "5"), psqlOf("seed", "5"));
  await guard(url, "setup", "5");
  for (const job of ["setup", "seed"] as const) {
    assert.match((await rejection(guard(url, job, "5"))).message, /^not seeded: attempt wheelwright seed 5 has begun/);
  }
});

test("claims with a higher number, so that earlier attempts are refused", async ({ db }) => {
  const url = await db.freshUrl();
  await claim(url, "3");
  assert.is(await noted(url), "wheelwright claim 3");
  assert.match((await rejection(guard(url, "install", "2"))).message, /has begun after this one, 2/);
  await guard(url, "install", "3");
  await claim(url, "7");
  assert.is(await noted(url), "wheelwright install 7");
  await claim(url, "6");
  assert.is(await noted(url), "wheelwright install 7");
  await guard(url, "seed", "7");
  await claim(url, "8");
  await guard(url, "seed", "8");
});

test.run();
