/** Opens the database for a command: the configured database, or the database of `wheelwright dev`. */
import { existsSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { ConfigError, readProcessConfig } from "#lib/base/config.ts";
import type { DatabaseSource } from "#lib/base/database-address.ts";
import type { ClosableDatabase } from "#lib/drivers/db/database.ts";
import { startEmbeddedPostgres } from "#lib/dev/embedded.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { openDatabase } from "#lib/drivers/db/open.ts";
import { Fault } from "#lib/base/errors.ts";
import type { Requester } from "#lib/audit/requester.ts";
import type { Log } from "#lib/base/log.ts";
import { MINUTE } from "#lib/base/time.ts";
import { findBuildInfo } from "../release.ts";
import { toDatabaseError } from "./wait-for-database.ts";
import { createErrorLog } from "./error-log.ts";

/** The time limit for an SQL statement, in milliseconds. Long enough to count the events in a large audit log. */
const STATEMENT_LIMIT = 10 * MINUTE;

/**
 * Opens the database, runs `work` and closes the database. Throws a ConfigError if the configuration is invalid, or a
 * CommandError if the program cannot connect to the database.
 */
export async function withDatabase<T>(work: (db: ClosableDatabase) => Promise<T>): Promise<T> {
  const log = createErrorLog();
  const { url, close } = await resolveDatabase(log);
  try {
    const db = await openDatabase({ url, size: 2, log, statementLimit: STATEMENT_LIMIT })
      .catch((error) => Promise.reject(toDatabaseError(error)));
    try {
      return await work(db);
    } catch (error) {
      const passing = error instanceof ConnectionLost || error instanceof Fault && error.kind === "unavailable";
      throw passing ? toDatabaseError(error) : error;
    } finally {
      await db.close();
    }
  } finally {
    await close();
  }
}

export interface ResolvedDatabase {
  readonly url: DatabaseSource;
  /** The address for connecting as the schema's owner. Null if `url` already connects as that owner. */
  readonly owner: DatabaseSource | null;
  /** The directory that contains the database of `npm start`. Null if a database is configured. */
  readonly directory: string | null;
  close(): Promise<void>;
}

/**
 * Finds the configured database, or else the database of `npm start` in DATA_DIR, which exists only in a source
 * checkout. With `create`, which only restore-database sets, creates the database of `npm start` if it is missing.
 */
export async function resolveDatabase(log: Log = createErrorLog(), { create = false } = {}): Promise<ResolvedDatabase> {
  try {
    const { source: url, ownerSource: owner } = readProcessConfig("migrate").database;
    return { url, owner, directory: null, close: () => Promise.resolve() };
  } catch (error) {
    const directory = findDevDatabase(error, create);
    if (directory === null) throw error instanceof ConfigError ? explainMissingDatabase(error) : error;
    const embedded = await startEmbeddedPostgres({ directory, durable: true, log });
    const close = () => embedded.adopted ? Promise.resolve() : embedded.stop();
    return { url: embedded.url, owner: null, directory, close };
  }
}

/** Returns the directory for the database of `npm start`. Null if missing, or if another database is configured. */
export function findDevDatabase(error: unknown, create = false): string | null {
  if (!(error instanceof ConfigError) || findBuildInfo() || !error.problems.every(isMissing)) return null;
  const directory = join(readProcessConfig("dev").dataDir, "postgres");
  return create || existsSync(directory) ? directory : null;
}

const isMissing = (problem: string): boolean => problem.startsWith("DATABASE_URL is missing");

/** Adds a hint to the error: the command must be run on the server's machine. */
function explainMissingDatabase({ problems }: ConfigError): ConfigError {
  const where = "run this command on the server's machine, with the environment variables of serve";
  return new ConfigError(problems.map((problem) => isMissing(problem) ? `${problem}; ${where}` : problem));
}

/** Returns the user to record in the audit log: the operating system's user, because nobody has signed in. */
export function createCommandLineRequester(command: string): Requester {
  const email = `${userName()}@${hostname()}`;
  return { userId: "system", email, ip: "", userAgent: `wheelwright ${command}`, tokenPrefix: null };
}

/** Returns the operating system user's name, or else the user's number. Users in containers may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
