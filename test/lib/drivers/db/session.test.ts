/** Tests unusual settings of roles and databases: none changes what is read, written, found or committed. */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openControlConnection } from "#lib/drivers/db/control.ts";
import { openCopyConnection } from "#lib/drivers/db/copier.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { openTestDatabase, type TestDatabase } from "#test/support/database.ts";
import { withParameters } from "#test/support/secure-server.ts";

/** Values that differ from the server's defaults. */
const UNUSUAL: Readonly<Record<string, string>> = {
  client_encoding: "'LATIN1'",
  datestyle: "'German, DMY'",
  intervalstyle: "'sql_standard'",
  timezone: "'Asia/Kolkata'",
  timezone_abbreviations: "'India'",
  extra_float_digits: "-15",
  bytea_output: "'escape'",
  xmlbinary: "'hex'",
  xmloption: "'document'",
  standard_conforming_strings: "off",
  backslash_quote: "off",
  array_nulls: "off",
  transform_null_equals: "on",
  quote_all_identifiers: "on",
  search_path: "elsewhere, pg_catalog",
  session_replication_role: "'replica'",
  row_security: "on",
  default_transaction_isolation: "'serializable'",
  default_transaction_deferrable: "on",
  synchronous_commit: "off",
  exit_on_error: "on",
  statement_timeout: "'20s'",
  lock_timeout: "'20s'",
  idle_session_timeout: "'20s'",
  idle_in_transaction_session_timeout: "'20s'",
  lc_monetary: "'C.UTF-8'",
  lc_numeric: "'C.UTF-8'",
  lc_time: "'C.UTF-8'",
};

const test = suite<{ db: TestDatabase; role: string; url: string }>("the settings of a session");

test.before(async (context) => {
  const db = context.db = await openTestDatabase();
  const role = context.role = `unusual_${randomBytes(6).toString("hex")}`;
  const name = new URL(db.url).pathname.slice(1);
  await db.sql(`create role ${role} superuser login password 'unusual'`);
  await db.sql("create schema elsewhere");
  await db.sql("create table elsewhere.users (id text)");
  for (const [setting, value] of Object.entries(UNUSUAL)) {
    await db.sql(`alter role ${role} in database ${name} set ${setting} = ${value}`);
  }
  context.url = Object.assign(new URL(db.url), { username: role, password: "unusual" }).href;
});
test.after(async ({ db, role }) => {
  await db.close();
  const other = await openTestDatabase();
  await other.sql(`drop role if exists ${role}`);
  await other.close();
});

const READ = `select
  '2026-02-03 04:05:06.789+00'::timestamptz::text as time,
  '2026-02-03'::date::text as day,
  (interval '1 day 2 hours 3 minutes')::text as length,
  (0.1::float8 + 0.2::float8)::text as number,
  '\\x00ff'::bytea::text as bytes,
  'a\\b' as backslash,
  'ü€' as umlaut,
  (null = null)::text as nulls,
  '{NULL}'::text[] = array[null::text] as array_null,
  to_regclass('users')::text as found,
  current_setting('transaction_isolation') as isolation,
  current_setting('transaction_deferrable') as deferrable,
  current_setting('synchronous_commit') as commits,
  current_setting('session_replication_role') as triggers,
  current_setting('exit_on_error') as exits`;

const EXPECTED = {
  time: "2026-02-03 04:05:06.789+00",
  day: "2026-02-03",
  length: "1 day 02:03:00",
  number: "0.30000000000000004",
  bytes: "\\x00ff",
  backslash: "a\\b",
  umlaut: "ü€",
  nulls: null,
  array_null: true,
  found: "users",
  isolation: "read committed",
  deferrable: "off",
  commits: "on",
  triggers: "origin",
  exits: "off",
};

const asExpected = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name === "arrayNull" ? "array_null" : name, value]),
  );

test("overrides settings of role and database in the pool", async ({ db, url }) => {
  const pool = await db.openAgain({ url });
  const { rows: [row] } = await sql.raw<object>(READ).execute(pool.rows);
  assert.equal(asExpected(row!), EXPECTED);
  const at = new Date("2026-07-01T12:00:00.123Z");
  const back = await sql<{ at: Date; text: string }>`select ${at}::timestamptz as at, ${"it's \\ ü"}::text`
    .execute(pool.rows);
  assert.equal(back.rows, [{ at, text: "it's \\ ü" }]);
});

test("overrides settings of role and database in the control connection", async ({ url }) => {
  const payloads: (string | null)[] = [];
  const control = openControlConnection({
    url,
    name: "x",
    channel: "x",
    log: SILENT_LOG,
    onNotify: (word) => payloads.push(word),
  });
  await control.ready();
  assert.equal(asExpected((await control.query(READ)).rows[0]!), EXPECTED);
  await control.close();
});

test("overrides settings of role and database in a copy", async ({ db, url }) => {
  const copyOf = async (from: string) => {
    const copier = await openCopyConnection(from, "session-test");
    const [row] = await copier.run(READ), pieces: Buffer[] = [];
    assert.equal(asExpected({ ...row }), EXPECTED);
    for await (const piece of copier.copyOut(`copy (${READ}, now() - now() as zero) to stdout`)) pieces.push(piece);
    await copier.close();
    return Buffer.concat(pieces).toString();
  };
  assert.is(await copyOf(url), await copyOf(db.url));
});

test("keeps the search path of the connection string", async ({ url }) => {
  const copier = await openCopyConnection(withParameters(url, { options: "-c search_path=elsewhere" }), "session-test");
  const [row] = await copier.run("select current_schema() as schema");
  assert.is(row!.schema, "elsewhere");
  await copier.close();
});

test.run();
