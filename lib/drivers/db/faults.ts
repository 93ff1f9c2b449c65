/** What can go wrong between this program and PostgreSQL, told apart. */
import postgres from "postgres";
import { Fault } from "#lib/base/errors.ts";

/**
 * The connection under a statement is gone. The statement may or may not have run; of a transaction nothing remains,
 * unless it was the answer to its COMMIT that was lost, which is a CommitUnknown.
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

/** COMMIT was sent and its answer never came: all of the transaction has happened, or nothing. */
export class CommitUnknown extends Fault {
  constructor(cause: unknown) {
    const message = "The database did not confirm whether this was saved; check before trying again";
    super("unavailable", "commit_unknown", message, { retryAfter: 1, cause });
    this.name = "CommitUnknown";
  }
}

/** Whether the server answered with this SQLSTATE. */
export function hasState(error: unknown, ...states: string[]): boolean {
  return error instanceof postgres.PostgresError && states.includes(error.code);
}

/** Whether the statement broke this unique index, unique or check constraint, or foreign key. */
export function violates(error: unknown, constraint: string): boolean {
  return hasState(error, "23505", "23514", "23503", "23P01") &&
    (error as postgres.PostgresError).constraint_name === constraint;
}

/** Whether the same work may succeed if it is done again from its start: deadlock, conflict, a plan gone stale. */
export function isRetryable(error: unknown): boolean {
  return hasState(error, "40P01", "40001") || isStalePlan(error);
}

/** Whether the statement was refused for no more than that one before it had failed in its transaction. */
export function isAbortedTransaction(error: unknown): boolean {
  return hasState(error, "25P02");
}

/**
 * Whether a migration has changed what the connection had prepared. The driver sends the statement anew, behind what it has
 * sent meanwhile: so the first to fail may be the one after it, for which the server says that the transaction is aborted.
 * Where another failure came before that, a transaction ends with that one (dialect.ts).
 */
export function isStalePlan(error: unknown): boolean {
  return isAbortedTransaction(error) ||
    hasState(error, "0A000") && (error as postgres.PostgresError).routine === "RevalidateCachedQuery";
}

/** Whether the failure is neither the server's nor the network's: a value that cannot be written or read. */
export function isProgrammingError(error: unknown): boolean {
  if (error instanceof postgres.PostgresError) return false;
  const { code } = error as { code?: unknown };
  return code === undefined || code === "UNDEFINED_VALUE" || code === "MAX_PARAMETERS_EXCEEDED";
}

/** Whether the session is over, or in a state that nobody knows. */
export function isFatal(error: unknown): boolean {
  return !(error instanceof postgres.PostgresError) || ["FATAL", "PANIC"].includes(error.severity) ||
    hasState(error, "57P01", "57P02", "57P03");
}

/** Whether the server refuses the role or its password, also where that was wrapped in other failures. */
export function isRefusedLogin(error: unknown): boolean {
  if (hasState(error, "28P01", "28000")) return true;
  return error instanceof Error && error.cause !== undefined && isRefusedLogin(error.cause);
}

/** What the server is short of, by SQLSTATE. */
const EXHAUSTED_MESSAGES: Readonly<Record<string, string>> = {
  "53100": "The database's disk is full; nothing can be saved until space is freed",
  "53200": "The database has too little memory for this; try again",
  "53300": "The database accepts no more connections; try again",
};

/** The same failure as callers are to see it. */
export function asFault(error: unknown): unknown {
  if (hasState(error, "25006")) return readOnlyFault(error);
  if (error instanceof postgres.PostgresError && error.code.startsWith("53")) {
    const message = EXHAUSTED_MESSAGES[error.code] ?? "The database is short of resources; try again";
    return new Fault("unavailable", "database_exhausted", message, { retryAfter: 5, cause: error });
  }
  if (hasState(error, "57014")) {
    return new Fault("unavailable", "database_slow", "The database took too long; try again", {
      retryAfter: 1,
      cause: error,
    });
  }
  return hasState(error, "55P03") ? lockedFault(error) : error;
}

/** Others change the same, for longer than this was tried. */
export function lockedFault(cause: unknown): Fault {
  const message = "Somebody else is changing the same object; try again";
  return new Fault("unavailable", "database_locked", message, { retryAfter: 1, cause });
}

/** A standby says so, and a server that was told to take no writes. */
export function readOnlyFault(cause?: unknown): Fault {
  const message = "The database is read-only right now; try again";
  return new Fault("unavailable", "database_read_only", message, { retryAfter: 2, cause });
}

export function isReadOnly(error: unknown): boolean {
  return error instanceof Fault && error.code === "database_read_only";
}

/** Whether the server refused the statement for what it lacks, not for what was asked: nothing of it has happened. */
export function refusesWrites(error: unknown): boolean {
  return isReadOnly(error) || error instanceof Fault && error.code === "database_exhausted";
}
