/** Kysely over our pool: which connection a query gets, and what begins and ends a transaction on it. */
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
import type { Result } from "#lib/drivers/db/client.ts";
import type { Topic, TransactionHold, Tx } from "#lib/drivers/db/database.ts";
import { CommitUnknown, isAbortedTransaction, isFatal, isStalePlan, refusesWrites } from "#lib/drivers/db/faults.ts";
import { toColumn } from "#lib/drivers/db/naming.ts";
import type { Lease, Pool } from "#lib/drivers/db/pool.ts";
import type { Schema } from "#lib/drivers/db/schema.ts";

export interface DialectOptions {
  readonly pool: Pick<Pool, "acquire">;
  /** Milliseconds that one statement may take, seen from here. */
  readonly limit: number;
  /** Ends waiting for a connection, and cancels what runs. */
  readonly signal?: AbortSignal | undefined;
  /** Id of the user whom each transaction holds from its beginning, and whose share of the pool it takes. */
  readonly user?: string | undefined;
  readonly onCommit?: TransactionHold["onCommit"] | undefined;
}

const WRITES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

export function openDialect(options: DialectOptions): Dialect {
  return {
    createAdapter: () => adapter,
    createDriver: () => openDriver(options),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => compiler,
  };
}

/** Tables and columns are named in a query as in the program, and in its SQL as in the database. */
class ColumnCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(toColumn(name));
  }
}

// Neither keeps anything between two queries, and to make them for each request costs 3% of it.
const adapter = new PostgresAdapter(), compiler = new ColumnCompiler();

/** The key of the lock that a user's transactions share, as SQL takes it. */
export const userLockKey = (user: string): string => `wheelwright: held ${user}`;

function openDriver({ pool, limit, signal, user }: DialectOptions): Driver {
  const refuseDirectUse = () => Promise.reject(new Error("Start transactions with transact()"));
  return {
    init: () => Promise.resolve(),
    acquireConnection: async () => connectionFor(await pool.acquire(signal, user), limit, signal),
    beginTransaction: refuseDirectUse,
    commitTransaction: refuseDirectUse,
    rollbackTransaction: refuseDirectUse,
    releaseConnection: (connection) => Promise.resolve((connection as LeasedConnection).lease.release()),
    destroy: () => Promise.resolve(), // the pool belongs to who opened it
  };
}

/**
 * Runs the work in a transaction of one connection. What it asks at once goes to the server in one write, and is done there
 * in the order in which it was asked; so does BEGIN with the first statement. When the work throws, or COMMIT fails, all is
 * rolled back, and the first that failed is what is thrown.
 */
export async function inTransaction<T>(
  options: DialectOptions,
  work: (tx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  const { pool, limit, signal, user, onCommit = (run) => run() } = options;
  const hold = user && `; select pg_advisory_xact_lock_shared(hashtextextended(${quote(userLockKey(user))}, 0))`;
  const lease = await pool.acquire(signal, user);
  const beginning = lease.query(`begin${hold ?? ""}`, [], { limit, signal });
  // After it failed the server refuses all else until the end, so nothing of the work can be done outside of it.
  const failed = beginning.then(() => null, (error) => ({ error }));
  const failures: unknown[] = []; // of the work's statements; those after the first are refused for it alone
  const note = (error: unknown) => {
    failures.push(error);
    throw error;
  };
  const open: Lease = { ...lease, query: (...asked) => lease.query(...asked).catch(note) }; // what the work holds of it
  try {
    const result = await work(transactionFor(open, options)).finally(() => open.query = refuseAfterEnd);
    await beginning;
    // After a failed statement COMMIT rolls back, and calls that a success.
    if (await onCommit(() => commit(lease, limit)) === "COMMIT") return result;
    throw new Error("The transaction was rolled back: one of its statements had failed", { cause: failures[0] });
  } catch (last) {
    const first = await failed, error = isAbortedTransaction(last) ? failures[0] ?? last : last;
    // What holds it may be long in coming; a session in which it failed is in a transaction that nobody will end.
    if (first) lease.release(first.error);
    // Its other statements are stale as well: a new session has none.
    else if (isStalePlan(error)) lease.release(error);
    // Never rejects: the reason for rolling back is what the caller must see. A cut session is rolled back too.
    else await lease.query("rollback", [], { limit }).catch((failure) => lease.release(failure));
    throw first ? first.error : error;
  } finally {
    lease.release();
  }
}

/** What is left behind by work that has ended, such as the others of what was begun together, must not go on alone. */
function refuseAfterEnd(): Promise<never> {
  return Promise.reject(new Error("The transaction has ended: the statement was not run"));
}

/** Single statements, each on a connection of its own. What Kysely would put between is made once a request, and not needed. */
export function rowsOn(options: DialectOptions): Kysely<Schema> {
  const { pool, limit, signal, user } = options;
  const provider = {
    async provideConnection<R>(use: (one: DatabaseConnection) => Promise<R>): Promise<R> {
      const lease = await pool.acquire(signal, user);
      const query: Lease["query"] = (...asked) => retryTransient(() => lease.query(...asked), { signal });
      try {
        return await use(connectionFor({ ...lease, query }, limit, signal));
      } finally {
        lease.release();
      }
    },
  };
  return new Kysely<Schema>(propsOf(options, provider));
}

/** One that is open on a connection of its owner's, who ends it: what is asked in it is asked there. */
export function transactionOn(ask: (text: string, params: readonly unknown[]) => Promise<Result["rows"]>): Tx {
  const query: Lease["query"] = async (text, params) => ({ rows: await ask(text, params), command: "", count: 0 });
  const lease: Lease = { pid: 0, dead: null, query, release: () => {} };
  const pool = { acquire: () => Promise.resolve(lease) };
  return Object.assign(transactionFor(lease, { pool, limit: 0 }), { wakes: new Set<Topic>() });
}

/** Kysely's own lets each statement wait for the one before. */
function transactionFor(lease: Lease, options: DialectOptions): Transaction<Schema> {
  const connection = connectionFor(lease, options.limit, options.signal);
  return new Transaction<Schema>(propsOf(options, { provideConnection: (use) => use(connection) }));
}

function propsOf(options: DialectOptions, provider: ConnectionProvider): KyselyProps {
  const dialect = openDialect(options);
  const executor = new DefaultQueryExecutor(compiler, adapter, provider);
  return { config: { dialect }, dialect, driver: dialect.createDriver(), executor };
}

/** No signal here: once COMMIT is sent, giving up could only lose the answer. */
async function commit(lease: Lease, limit: number): Promise<string> {
  if (lease.dead) throw lease.dead; // nothing was sent, so it is certain that nothing happened
  try {
    return (await lease.query("commit", [], { limit })).command;
  } catch (error) {
    // Any answer of the server's is a no (a deferred constraint, say); without one nobody knows.
    throw isFatal(error) && !refusesWrites(error) ? new CommitUnknown(error) : error;
  }
}

/** Together with `begin` it goes without parameters, so it must hold one of our ids and nothing else. */
function quote(text: string): string {
  if (!/^[a-z0-9_: ]+$/.test(text)) throw new Error(`Cannot hold ${text}: it is not an id`);
  return `'${text}'`;
}

interface LeasedConnection extends DatabaseConnection {
  readonly lease: Lease;
}

function connectionFor(lease: Lease, limit: number, signal: AbortSignal | undefined): LeasedConnection {
  return {
    lease,
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, command, count } = await lease.query(query.sql, query.parameters, { limit, signal });
      const result = { rows: rows as R[] };
      return WRITES.has(command) ? { ...result, numAffectedRows: BigInt(count) } : result;
    },
    // deno-lint-ignore require-yield
    async *streamQuery() {
      throw new Error("Rows are not streamed here: read a page with a limit");
    },
  };
}
