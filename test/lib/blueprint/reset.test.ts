/** The reset Job's own statements, against a real PostgreSQL: it must never drop a site that is installed. */
import postgres from "postgres";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inputsOf, openBlueprint } from "#test/lib/blueprint/scene.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { rejection } from "#test/support/until.ts";

const blueprint = openBlueprint();
const job = blueprint.jobObject(inputsOf(blueprint), "reset", "17");
const command: readonly string[] = job["spec"].template.spec.initContainers[0].command;
const statements = command.filter((_, i) => command[i - 1] === "-c");
const CONFIG = "create table mdl_config (name text, value text); insert into mdl_config values ('rolesactive', ";

const test = suite<{ db: TestDatabase }>("the reset Job");

test.before(async (context) => {
  context.db = await openTestDatabase();
});
test.after((context) => context.db.close());

/** As psql --single-transaction -c … -c … -c … does it. */
async function reset(url: string, edit = (sql: string) => sql): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.begin(async (tx) => {
      for (const statement of statements) await tx.unsafe(edit(statement));
    });
  } finally {
    await sql.end();
  }
}

async function query(url: string, text: string): Promise<postgres.Row[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...await sql.unsafe(text)];
  } finally {
    await sql.end();
  }
}

const tables = async (url: string) =>
  (await query(url, "select tablename from pg_tables where schemaname = 'public'")).map((row) => row["tablename"]);

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

test("drops what an interrupted install left behind, however far it came", async ({ db }) => {
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

test("does no harm to an empty database, nor when it runs again", async ({ db }) => {
  const url = await db.freshUrl();
  await reset(url);
  await reset(url);
  assert.equal(await tables(url), []);
});

test("is refused while anybody else is at work in the database", async ({ db }) => {
  const url = await db.freshUrl();
  await query(url, `${CONFIG}'0')`);
  const installer = postgres(url, { max: 1 });
  try {
    await installer`select 1`;
    // Sessions from the database's own pod, its probes, do not count; here all come from there, so that is turned off.
    const error = await rejection(reset(url, (sql) => sql.replace("'127.0.0.1'", "'192.0.2.1'")));
    assert.match(error.message, /another session is at work/);
    assert.equal(await tables(url), ["mdl_config"]);
  } finally {
    await installer.end();
  }
});

test("waits for an installer that is about to finish, and then finds its site", async ({ db }) => {
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

async function waitForLock(url: string): Promise<void> {
  const waiting = "select 1 from pg_locks where not granted and relation = 'mdl_config'::regclass";
  while ((await query(url, waiting)).length === 0);
}

test.run();
