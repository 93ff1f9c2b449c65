/** Connects the query builder Kysely to the pool (pool.ts): provides connections, and starts and ends transactions. */
import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  type KyselyProps,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  Transaction,
} from "kysely";
import { retryTransient } from "#lib/drivers/db/retry-transient.ts";
import type { StatementResult } from "#lib/drivers/db/client.ts";
import type { TransactionAuthorization, Tx, WakeupTopic } from "#lib/drivers/db/database.ts";
import {
  CommitUnknown,
  isAbortedTransactionError,
  isFatalError,
  isRefusedWriteError,
  isStalePlanError,
} from "#lib/drivers/db/faults.ts";
import { toColumnName } from "#lib/drivers/db/naming.ts";
import type { Pool, PooledConnection } from "#lib/drivers/db/pool.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";

export interface DialectOptions {
  readonly pool: Pick<Pool, "acquire">;
  /** The time limit for each statement in milliseconds, measured by this process. */
  readonly limit: number;
  /** A signal that ends the wait for a connection and cancels running statements. */
  readonly signal?: AbortSignal | undefined;
  /** The user's ID. Each transaction takes the user's advisory lock and counts toward the user's connections. */
  readonly user?: string | undefined;
  readonly onCommit?: TransactionAuthorization["onCommit"] | undefined;
}

const WRITES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

export function createKyselyDialect(options: DialectOptions): Dialect {
  return {
    createAdapter: () => adapter,
    createDriver: () => openDriver(options),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => compiler,
  };
}

/** Translates the program's table and column names into the database's names. */
class ColumnCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(toColumnName(name));
  }
}

// Shares the adapter and compiler, because creating them for each request would take 3% of the request's time.
const adapter = new PostgresAdapter(), compiler = new ColumnCompiler();

// Kysely requires a dialect and a driver, but runs all statements with the executor.
const noPool = { acquire: () => Promise.reject(new Error("Run statements with the executor")) };
const unusedDialect = createKyselyDialect({ pool: noPool, limit: 0 });
const unusedProps = {
  config: { dialect: unusedDialect },
  dialect: unusedDialect,
  driver: unusedDialect.createDriver(),
};

/** Returns the key for the advisory lock that all transactions of one user share. */
export const getUserLockKey = (user: string): string => `wheelwright: held ${user}`;

function openDriver({ pool, limit, signal, user }: DialectOptions): Driver {
  const refuseDirectUse = () => Promise.reject(new Error("Start transactions with transact()"));
  return {
    init: () => Promise.resolve(),
    acquireConnection: async () => connectionFor(await pool.acquire(signal, user), limit, signal),
    beginTransaction: refuseDirectUse,
    commitTransaction: refuseDirectUse,
    rollbackTransaction: refuseDirectUse,
    releaseConnection: (connection) => Promise.resolve((connection as LeasedConnection).lease.release()),
    destroy: () => Promise.resolve(), // the code that opened the pool must close it
  };
}

/**
 * Runs the work in a transaction. Statements that start at the same time are sent in a single write and run in order.
 * If the work throws or COMMIT fails, rolls the transaction back and throws the first error.
 */
export async function runInTransaction<T>(
  options: DialectOptions,
  work: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const { pool, limit, signal, user, onCommit = (run) => run() } = options;
  const lockUser = user && `; select pg_advisory_xact_lock_shared(hashtextextended(${quote(getUserLockKey(user))}, 0))`;
  const lease = await pool.acquire(signal, user);
  const beginning = lease.query(`begin${lockUser ?? ""}`, [], { limit, signal });
  // If BEGIN fails, the server refuses all later statements, so no statement runs outside a transaction.
  const failed = beginning.then(() => null, (error) => ({ error }));
  // Records the statements' errors. After the first error, PostgreSQL reports only that the transaction is aborted.
  const failures: unknown[] = [];
  const recordFailure = (error: unknown) => {
    failures.push(error);
    throw error;
  };
  // Records the errors of the work's statements. COMMIT and ROLLBACK are not recorded.
  const workLease: PooledConnection = { ...lease, query: (...args) => lease.query(...args).catch(recordFailure) };
  try {
    const result = await work(transactionFor(workLease, options)).finally(() => workLease.query = refuseAfterEnd);
    await beginning;
    // If a statement has failed, COMMIT rolls back and returns the command ROLLBACK instead of an error.
    if (await onCommit(() => commit(lease, limit)) === "COMMIT") return result;
    throw new Error("The transaction was rolled back because one of its statements failed", { cause: failures[0] });
  } catch (last) {
    const first = await failed, error = isAbortedTransactionError(last) ? failures[0] ?? last : last;
    // Closes the session if BEGIN failed, because the session may still be in a transaction.
    if (first) lease.release(first.error);
    // Closes the session, because its other prepared statements may be outdated too.
    else if (isStalePlanError(error)) lease.release(error);
    // Catches a failed rollback, so that the caller gets the original error. Closing the session also rolls back.
    else await lease.query("rollback", [], { limit }).catch((failure) => lease.release(failure));
    throw first ? first.error : error;
  } finally {
    lease.release();
  }
}

/** Refuses statements that start after the work has ended, for example from an unfinished Promise.all. */
function refuseAfterEnd(): Promise<never> {
  return Promise.reject(new Error("The statement was not run, because its transaction has ended"));
}

/**
 * Runs each statement on its own connection. Skips Kysely's intermediate layers, because creating them takes time in
 * every request.
 */
export function createRowQueries(options: DialectOptions): Kysely<Schema> {
  const { pool, limit, signal, user } = options;
  const provider = {
    async provideConnection<R>(use: (one: DatabaseConnection) => Promise<R>): Promise<R> {
      const lease = await pool.acquire(signal, user);
      const query: PooledConnection["query"] = (...args) => retryTransient(() => lease.query(...args), { signal });
      try {
        return await use(connectionFor({ ...lease, query }, limit, signal));
      } finally {
        lease.release();
      }
    },
  };
  return new Kysely<Schema>(propsOf(provider));
}

/** Returns a transaction for statements that run within another connection's open transaction. */
export function createNestedTransaction(
  runStatement: (text: string, params: readonly unknown[]) => Promise<StatementResult["rows"]>,
): Tx {
  const query: PooledConnection["query"] = async (text, params) => ({
    rows: await runStatement(text, params),
    command: "",
    count: 0,
  });
  const lease: PooledConnection = { pid: 0, dead: null, query, release: () => {} };
  const pool = { acquire: () => Promise.resolve(lease) };
  return Object.assign(transactionFor(lease, { pool, limit: 0 }), { wakes: new Set<WakeupTopic>() });
}

/** Creates a transaction that sends statements without waiting for earlier responses, unlike Kysely's own class. */
function transactionFor(lease: PooledConnection, options: DialectOptions): Transaction<Schema> {
  const connection = connectionFor(lease, options.limit, options.signal);
  return new Transaction<Schema>(propsOf({ provideConnection: (use) => use(connection) }));
}

function propsOf(provider: ConnectionProvider): KyselyProps {
  return { ...unusedProps, executor: new DefaultQueryExecutor(compiler, adapter, provider) };
}

/** Commits without an abort signal. Cancelling COMMIT after sending it would only hide its result. */
async function commit(lease: PooledConnection, limit: number): Promise<string> {
  if (lease.dead) throw lease.dead; // COMMIT was not sent, so nothing was committed
  try {
    return (await lease.query("commit", [], { limit })).command;
  } catch (error) {
    // An error from the server means that nothing was committed. Without an answer, the result is unknown.
    throw isFatalError(error) && !isRefusedWriteError(error) ? new CommitUnknown(error) : error;
  }
}

/** Quotes a lock key after checking its characters. The key is sent with BEGIN, which accepts no parameters. */
function quote(text: string): string {
  if (!/^[a-z0-9_: ]+$/.test(text)) throw new Error(`Invalid lock key: ${text}`);
  return `'${text}'`;
}

interface LeasedConnection extends DatabaseConnection {
  readonly lease: PooledConnection;
}

function connectionFor(lease: PooledConnection, limit: number, signal: AbortSignal | undefined): LeasedConnection {
  return {
    lease,
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, command, count } = await lease.query(query.sql, query.parameters, { limit, signal });
      const result = { rows: rows as R[] };
      return WRITES.has(command) ? { ...result, numAffectedRows: BigInt(count) } : result;
    },
    // deno-lint-ignore require-yield
    async *streamQuery() {
      throw new Error("Rows cannot be streamed; read pages with a limit instead");
    },
  };
}
