/** Creates a separate database for each test: `const db = await openTestDatabase()`, and `await db.close()` at the end.
 * Tests that test/run.ts runs share a database server. A test file that runs alone starts its own server. */
import { randomBytes } from "node:crypto";
import type { ClosableDatabase } from "#lib/drivers/db/database.ts";
import { fromColumnName } from "#lib/drivers/db/naming.ts";
import { type DatabaseOptions, openDatabase } from "#lib/drivers/db/open.ts";
import { SILENT_LOG } from "#lib/base/log.ts";
import { connect, createTemplateDatabase, databaseUrl, openPostgresServer } from "#test/support/server.ts";

export interface TestDatabase extends ClosableDatabase {
  readonly url: string;
  /** Runs a single SQL statement as it is, on a connection outside the pool. */
  // deno-lint-ignore no-explicit-any
  sql(text: string, params?: readonly unknown[]): Promise<any[]>;
  /** Sets how many milliseconds the service's clock is ahead of the real time. */
  shiftClock(ms: number): Promise<void>;
  /** Creates an empty database on the same server and returns the URL. `close` also drops this new database. */
  freshUrl(): Promise<string>;
  /** Opens another connection pool, as another replica would. `close` also closes this pool. */
  openAgain(options?: Partial<DatabaseOptions>): Promise<ClosableDatabase>;
  close(): Promise<void>;
}

/** The URL of a database server, and the name of its template database. */
export interface DatabaseLocation {
  readonly url: string;
  readonly template: string;
}

const PAST = 5; // connections outside the pool: statements on them may wait for each other

/**
 * Selects the locks for which sessions in this database wait. Parallel tests use other databases on the same server.
 */
export const AWAITED_LOCKS_QUERY =
  "select waitstart from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()";

const MINUTE = 60_000;

/** Database time limits for tests that do not test time limits. Even a busy machine never reaches these limits. */
export const GENEROUS_LIMITS = { waitLimit: MINUTE, lockLimit: MINUTE, statementLimit: MINUTE };

/** Opens a new database on the test run's server or, if given, on the server `own`. */
export async function openTestDatabase(
  options: Partial<DatabaseOptions> = {},
  own: DatabaseLocation | null = null,
): Promise<TestDatabase> {
  const place = own ?? await findPlace();
  // Connects only on first use, because a connection takes longer than most statements.
  const admin = connect(place.url, 1), made: string[] = [];
  const make = async (template: string): Promise<string> => {
    const name = `wheelwright_test_${randomBytes(8).toString("hex")}`;
    // Copies the template database's files, which takes a fifth of the time of the default strategy (wal_log).
    await admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`;
    made.push(name);
    return databaseUrl(place.url, name);
  };
  const url = await make(place.template).catch(async (error) => {
    await admin.end({ timeout: 1 });
    throw error;
  });
  const past = connect(url, PAST, { transform: { column: { from: fromColumnName } } });
  const opened: ClosableDatabase[] = [];
  const openAgain = async (more: Partial<DatabaseOptions> = {}): Promise<ClosableDatabase> => {
    const one = await openDatabase({ url, size: 5, log: SILENT_LOG, ...more });
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

// The server of this process, which starts when the first test opens a database.
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
  // Exits explicitly: a signal alone would skip the "exit" event, whose handler stops the server.
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    process.once(signal, () => process.exit(code));
  }
  return { url: server.url, template: await createTemplateDatabase(server.url) };
}
