/** Creates a separate database for a test: `const db = await openTestDatabase()`, and `await db.close()` at the end.
 *
 * Under test/run.ts the database is on the server of the run. A test file that runs alone starts its own server, which
 * stops with the process. */
import { randomBytes } from "node:crypto";
import type { OpenDatabase } from "#lib/drivers/db/database.ts";
import { fromColumnName } from "#lib/drivers/db/naming.ts";
import { type DatabaseOptions, openDatabase } from "#lib/drivers/db/open.ts";
import { silentLog } from "#lib/base/log.ts";
import { connect, createTemplateDatabase, databaseUrl, openPostgresServer } from "#test/support/server.ts";

export interface TestDatabase extends OpenDatabase {
  readonly url: string;
  /** Runs one statement unchanged, outside the pool. */
  // deno-lint-ignore no-explicit-any
  sql(text: string, params?: readonly unknown[]): Promise<any[]>;
  /** Sets the offset of the service's clock, in milliseconds. */
  shiftClock(ms: number): Promise<void>;
  /** Creates another empty database on the same server and returns its URL. It is dropped with this one. */
  freshUrl(): Promise<string>;
  /** Opens another pool on the same database, as another replica would. It is closed with this one at the latest. */
  openAgain(options?: Partial<DatabaseOptions>): Promise<OpenDatabase>;
  close(): Promise<void>;
}

/** A server, and the name of its template database. */
export interface DatabaseLocation {
  readonly url: string;
  readonly template: string;
}

const PAST = 5; // statements outside the pool that may wait for each other

/**
 * Selects the locks that a session waits for in this database. Parallel tests have other databases on the same server.
 */
export const AWAITED_LOCKS_QUERY =
  "select waitstart from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()";

const MINUTE = 60_000;

/** Limits that even a busy machine does not reach, for tests of other behaviour. */
export const GENEROUS_LIMITS = { waitLimit: MINUTE, lockLimit: MINUTE, statementLimit: MINUTE };

/** Opens a database on the server of this run, or on the server `own`. */
export async function openTestDatabase(
  options: Partial<DatabaseOptions> = {},
  own: DatabaseLocation | null = null,
): Promise<TestDatabase> {
  const place = own ?? await findPlace();
  // A connection costs more than most statements, so these two connect on first use.
  const admin = connect(place.url, 1), made: string[] = [];
  const make = async (template: string): Promise<string> => {
    const name = `wheelwright_test_${randomBytes(8).toString("hex")}`;
    // Copying files costs a fifth of logging each page.
    await admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`;
    made.push(name);
    return databaseUrl(place.url, name);
  };
  const url = await make(place.template).catch(async (error) => {
    await admin.end({ timeout: 1 });
    throw error;
  });
  const past = connect(url, PAST, { transform: { column: { from: fromColumnName } } });
  const opened: OpenDatabase[] = [];
  const openAgain = async (more: Partial<DatabaseOptions> = {}): Promise<OpenDatabase> => {
    const one = await openDatabase({ url, size: 5, log: silentLog, ...more });
    opened.push(one);
    return one;
  };
  const db = await openAgain(options);
  const sql: TestDatabase["sql"] = async (text, params = []) => [...await past.unsafe(text, params as never[])];
  return {
    ...db,
    url,
    sql,
    openAgain,
    freshUrl: () => make("template0"),
    async shiftClock(ms) {
      await sql(
        `insert into clock_shift (shift) values ($1::float8 * interval '1 millisecond')
         on conflict (only_row) do update set shift = excluded.shift`,
        [ms],
      );
    },
    async close() {
      await Promise.all([...opened.map((one) => one.close()), past.end({ timeout: 1 })]);
      for (const name of made.splice(0)) await admin`drop database if exists ${admin(name)} with (force)`;
      await admin.end({ timeout: 1 });
    },
  };
}

// One server per process, whatever the number of databases. It starts with the first database.
const places = new Map<"own", Promise<DatabaseLocation>>();

function findPlace(): Promise<DatabaseLocation> {
  const url = process.env.WHEELWRIGHT_TEST_SERVER, template = process.env.WHEELWRIGHT_TEST_TEMPLATE;
  if (url && template) return Promise.resolve({ url, template });
  const place = places.get("own") ?? openPlace();
  places.set("own", place);
  return place;
}

async function openPlace(): Promise<DatabaseLocation> {
  const server = await openPostgresServer();
  // A signal alone would end this process without its "exit" event, in which the server is stopped.
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    process.once(signal, () => process.exit(code));
  }
  return { url: server.url, template: await createTemplateDatabase(server.url) };
}
