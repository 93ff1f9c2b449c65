/** Classifies errors from PostgreSQL and from its connections. */
import postgres from "postgres";
import { Fault } from "#lib/base/errors.ts";

/**
 * The fault for a lost connection. Some statements may have run, but their transaction was rolled back. A connection
 * that is lost during COMMIT causes CommitUnknown instead.
 */
export class ConnectionLost extends Fault {
  constructor(cause: unknown) {
    super("unavailable", "database_lost", "The connection to the database was lost; try again", {
      retryAfter: 1,
      cause,
    });
    this.name = "ConnectionLost";
  }
}

/** The fault for a COMMIT without an answer. Either the whole transaction was committed, or nothing was. */
export class CommitUnknown extends Fault {
  constructor(cause: unknown) {
    const message = "The database did not confirm whether this was saved; check before trying again";
    super("unavailable", "commit_unknown", message, { retryAfter: 1, cause });
    this.name = "CommitUnknown";
  }
}

export function hasSqlState(error: unknown, ...states: string[]): boolean {
  return error instanceof postgres.PostgresError && states.includes(error.code);
}

/** Returns whether the error means that a statement violated the given unique index, constraint or foreign key. */
export function violatesConstraint(error: unknown, constraint: string): boolean {
  return hasSqlState(error, "23505", "23514", "23503", "23P01") &&
    (error as postgres.PostgresError).constraint_name === constraint;
}

/** Returns whether a retry may succeed: after a deadlock, a serialization failure or an outdated query plan. */
export function isRetryableError(error: unknown): boolean {
  return hasSqlState(error, "40P01", "40001") || isStalePlanError(error);
}

/** Returns whether the server refused a statement because an earlier statement in the same transaction failed. */
export function isAbortedTransactionError(error: unknown): boolean {
  return hasSqlState(error, "25P02");
}

/**
 * Returns whether a migration made a prepared statement outdated. Statements sent at the same time fail too, so the
 * first error may be that the transaction is aborted.
 */
export function isStalePlanError(error: unknown): boolean {
  return isAbortedTransactionError(error) ||
    hasSqlState(error, "0A000") && (error as postgres.PostgresError).routine === "RevalidateCachedQuery";
}

/** Returns whether the error is caused by a bug in this program: a value that cannot be encoded or decoded. */
export function isProgrammingError(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return false;
  const { code } = error as { code?: unknown };
  return code === undefined || code === "UNDEFINED_VALUE" || code === "MAX_PARAMETERS_EXCEEDED";
}

/** Returns whether the error means that the session has ended or is in an unknown state. */
export function isFatalError(error: unknown): boolean {
  return !(error instanceof postgres.PostgresError) || ["FATAL", "PANIC"].includes(error.severity) ||
    hasSqlState(error, "57P01", "57P02", "57P03");
}

/** Returns whether the server refused the role or password, according to the error or any of its causes. */
export function isRefusedLoginError(error: unknown): boolean {
  if (hasSqlState(error, "28P01", "28000")) return true;
  return error instanceof Error && error.cause !== undefined && isRefusedLoginError(error.cause);
}

/** Messages for exhausted server resources, by SQLSTATE code. */
const EXHAUSTED_MESSAGES: Readonly<Record<string, string>> = {
  "53100": "The database's disk is full; nothing can be saved until space is freed",
  "53200": "The database is out of memory; try again",
  "53300": "The database accepts no more connections; try again",
};

/** Converts errors from the database server into faults. Returns all other errors unchanged. */
export function toDatabaseFault(error: unknown): unknown {
  if (hasSqlState(error, "25006")) return createReadOnlyFault(error);
  if (error instanceof postgres.PostgresError && error.code.startsWith("53")) {
    const message = EXHAUSTED_MESSAGES[error.code] ?? "The database is out of resources; try again";
    return new Fault("unavailable", "database_exhausted", message, { retryAfter: 5, cause: error });
  }
  if (hasSqlState(error, "57014")) {
    return new Fault("unavailable", "database_slow", "The database took too long; try again", {
      retryAfter: 1,
      cause: error,
    });
  }
  return hasSqlState(error, "55P03") ? createConcurrentChangeFault(error) : error;
}

/** Returns the fault for a change that conflicts with a concurrent change. */
export function createConcurrentChangeFault(cause: unknown): Fault {
  const message = "Somebody else is changing the same object; try again";
  return new Fault("unavailable", "database_locked", message, { retryAfter: 1, cause });
}

/** Returns the fault for a server that is a standby or in read-only mode. */
export function createReadOnlyFault(cause?: unknown): Fault {
  const message = "The database is read-only right now; try again";
  return new Fault("unavailable", "database_read_only", message, { retryAfter: 2, cause });
}

export function isReadOnlyError(error: unknown): boolean {
  return error instanceof Fault && error.code === "database_read_only";
}

/** Returns whether the server refused to write, because it is read-only or out of resources. Nothing was changed. */
export function isRefusedWriteError(error: unknown): boolean {
  return isReadOnlyError(error) || error instanceof Fault && error.code === "database_exhausted";
}
