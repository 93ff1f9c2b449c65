/**
 * A database of its own for a test: `const db = await openTestDatabase()`, and `await db.close()` at the end.
 *
 * Under test/run.ts it is on the run's server. A test file that is run by itself gets a server of its own, which ends
 * with the process.
 */
import { randomBytes } from "node:crypto";
import type { OpenDatabase } from "#lib/drivers/db/database.ts";
import { fromColumn } from "#lib/drivers/db/naming.ts";
import { type DatabaseOptions, openDatabase } from "#lib/drivers/db/open.ts";
import { silentLog } from "#lib/base/log.ts";
import { connect, makeTemplate, openServer, urlOf } from "#test/support/server.ts";

export interface TestDatabase extends OpenDatabase {
  readonly url: string;
  /** Runs one statement as it stands, past the pool. */
  // deno-lint-ignore no-explicit-any
  sql(text: string, params?: readonly unknown[]): Promise<any[]>;
  /** Moves the service's clock, by so many milliseconds in all. */
  shiftClock(ms: number): Promise<void>;
  /** The address of one more database on the same server, which is empty. It goes with this one. */
  freshUrl(): Promise<string>;
  /** Opens the same database once more, as another replica would. It is closed with this one, if not before. */
  openAgain(options?: Partial<DatabaseOptions>): Promise<OpenDatabase>;
  close(): Promise<void>;
}

/** A server, and the name of the template on it. */
export interface Place {
  readonly url: string;
  readonly template: string;
}

const PAST = 5; // statements that may wait for each other, past the pool

/** Locks that somebody waits for in this database; tests beside this one have others on the same server. */
export const AWAITED_LOCKS =
  "select waitstart from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()";

const MINUTE = 60_000;

/** Limits that a busy machine does not reach, for tests of something else. */
export const UNHURRIED = { waitLimit: MINUTE, lockLimit: MINUTE, statementLimit: MINUTE };

/** On the server of this run, or on one that the test has for itself. */
export async function openTestDatabase(
  options: Partial<DatabaseOptions> = {},
  own: Place | null = null,
): Promise<TestDatabase> {
  const place = own ?? await findPlace();
  // To connect costs the server and the client more than most statements: these two connect once, when they are used.
  const admin = connect(place.url, 1), made: string[] = [];
  const make = async (template: string): Promise<string> => {
    const name = `wheelwright_test_${randomBytes(8).toString("hex")}`;
    // Copying files costs a fifth of what it costs to log each page.
    await admin`create database ${admin(name)} template ${admin(template)} strategy file_copy`;
    made.push(name);
    return urlOf(place.url, name);
  };
  const url = await make(place.template).catch(async (error) => {
    await admin.end({ timeout: 1 });
    throw error;
  });
  const past = connect(url, PAST, { transform: { column: { from: fromColumn } } });
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

// One server a process, however many databases; it is made when the first is asked for.
const places = new Map<"own", Promise<Place>>();

function findPlace(): Promise<Place> {
  const url = process.env.WHEELWRIGHT_TEST_SERVER, template = process.env.WHEELWRIGHT_TEST_TEMPLATE;
  if (url && template) return Promise.resolve({ url, template });
  const place = places.get("own") ?? openPlace();
  places.set("own", place);
  return place;
}

async function openPlace(): Promise<Place> {
  const server = await openServer();
  // A signal alone would end this process without its "exit", in which the server is stopped.
  for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
    process.once(signal, () => process.exit(code));
  }
  return { url: server.url, template: await makeTemplate(server.url) };
}
