/** Dumps this release's database to test/data/releases/VERSION.sql with the API's responses, so that later releases can
 * test their migrations on it. Each release does this once; a published dump is never replaced.
 *
 *   npm run generate -- dump                     dumps the version in package.json, with all migrations
 *   npm run generate -- dump --through 0014_…    stops after this migration */
import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { Migration } from "#lib/drivers/db/compare-schema.ts";
import { CREATE_MIGRATIONS_TABLE, migrate } from "#lib/drivers/db/migrate.ts";
import { readProgramRelease } from "#src/release.ts";
import { readAllResponses } from "#test/migrations/api-responses.ts";
import { dumpUrl, restoreDump } from "#test/migrations/released.ts";
import { openWorld } from "#test/migrations/world.ts";
import { withAdminConnection } from "#test/support/server.ts";
import { loadMigrations } from "#test/support/migrations.ts";
import type { TestDatabase } from "#test/support/database.ts";

type Query = (text: string) => Promise<readonly Record<string, string>[]>;

async function main(): Promise<void> {
  const { values: { through } } = parseArgs({ options: { through: { type: "string" } } });
  const all = await loadMigrations(), last = all.findIndex(([name]) => name === (through ?? all.at(-1)![0]));
  if (last < 0) throw new Error(`Unknown migration ${through}`);
  const { version } = readProgramRelease(), migrations = all.slice(0, last + 1), world = await openWorld();
  try {
    const sql = await dump(world.db, migrations);
    await writeFile(dumpUrl(version, "sql"), sql);
    const url = await world.db.freshUrl();
    await restoreDump(url, sql);
    await migrate(url, all);
    const answers = await readAllResponses(url);
    const lines = Object.entries(answers).map(([request, body]) =>
      `${JSON.stringify(request)}: ${JSON.stringify(body)}`
    );
    await writeFile(dumpUrl(version, "json"), `{\n${lines.join(",\n")}\n}\n`);
    console.log(
      `Wrote ${(await readFile(dumpUrl(version, "sql"))).length} bytes and ${Object.keys(answers).length} answers`,
    );
  } finally {
    await world.close();
  }
}

/** Returns the tables that these migrations create, and their rows. */
async function dump(db: TestDatabase, migrations: readonly Migration[]): Promise<string> {
  const empty = await db.freshUrl();
  await migrate(empty, migrations);
  const from: Query = async (text) => await db.sql(text);
  const [tables, sequences] = await withAdminConnection(empty, async (sql) => {
    const query: Query = async (text) => [...await sql.unsafe(text)] as unknown as Record<string, string>[];
    return [await query(TABLES), await query("select relname as name from pg_class where relkind = 'S' order by 1")];
  });
  const known = migrations.map(([name]) => `'${name}'`).join();
  const lines: string[] = [];
  for (const { name, columns, key } of tables) {
    const values = columns!.split(", ").map((column) => `coalesce(quote_literal(${column}::text), 'null')`);
    const only = name === "migrations" ? `where name in (${known})` : "";
    const rows = await from(`select concat_ws(', ', ${values}) as line from ${name} ${only} order by ${key}`);
    if (rows.length === 0 && name !== "clock_shift") throw new Error(`There is nothing in ${name}`);
    for (const { line } of rows) {
      lines.push(`insert into ${name} (${columns}) overriding system value values (${line});`);
    }
  }
  for (const { name } of sequences) {
    const [row] = await from(`select last_value::text as last, is_called::text as called from ${name}`);
    lines.push(`select setval('${name}', ${row!.last}, ${row!.called});`);
  }
  const [{ now }] = await from("select wheelwright_now()::text as now") as [{ now: string }];
  const head = `-- Wheelwright ${readProgramRelease().version}, dumped by npm run generate at ${now}`;
  const emptied = `truncate ${tables.map(({ name }) => name)};`; // some migrations insert rows
  const made = [`${CREATE_MIGRATIONS_TABLE};`, ...migrations.map(([, text]) => bare(text))];
  // Replica mode disables triggers and foreign keys, so rows need no order.
  const filled = ["set session_replication_role = replica;", emptied, ...lines];
  return [head, ...made, ...filled, "set session_replication_role = origin;\n"].join("\n");
}

const TABLES = `select relname as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns,
    coalesce((select string_agg(quote_ident(member.attname), ', ' order by array_position(indkey::int2[], member.attnum))
      from pg_index join pg_attribute as member on member.attrelid = indrelid and member.attnum = any(indkey)
      where indrelid = pg_class.oid and indisprimary), '1') as key
  from pg_class join pg_attribute on attrelid = pg_class.oid
  where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped and attgenerated = ''
  group by pg_class.oid, relname order by relname`;

/** Removes comments between statements. Creates indexes without CONCURRENTLY, because the database has no users. */
function bare(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("--"));
  return `${lines.join("\n").replaceAll("index concurrently if not exists", "index").replace(/;?\s*$/, "")};`;
}

await main();
