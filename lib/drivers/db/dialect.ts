/** Kysely over our pool: which connection a query gets, and what begins and ends a transaction on it. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from "kysely";
import { CommitUnknown, isFatal, refusesWrites } from "#lib/drivers/db/faults.ts";
import { toColumn } from "#lib/drivers/db/naming.ts";
import type { Lease, Pool } from "#lib/drivers/db/pool.ts";

interface DialectOptions {
  readonly pool: Pool;
  /** Milliseconds that one statement may take, seen from here. */
  readonly limit: number;
  /** Ends waiting for a connection, and cancels what runs. */
  readonly signal?: AbortSignal | undefined;
  /** Id of the user whom each transaction holds from its beginning, and whose share of the pool it takes. */
  readonly user?: string | undefined;
}

const WRITES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

export function openDialect(options: DialectOptions): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => openDriver(options),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new ColumnCompiler(),
  };
}

/** Tables and columns are named in a query as in the program, and in its SQL as in the database. */
class ColumnCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(toColumn(name));
  }
}

/** The key of the lock that a user's transactions share, as SQL takes it. */
export const holdOf = (user: string): string => `wheelwright: held ${user}`;

function openDriver({ pool, limit, signal, user }: DialectOptions): Driver {
  const hold = user && `; select pg_advisory_xact_lock_shared(hashtextextended(${quote(holdOf(user))}, 0))`;
  const begin = `begin${hold ?? ""}`;
  return {
    init: () => Promise.resolve(),
    acquireConnection: async () => connectionOver(await pool.acquire(signal, user), limit, signal),
    async beginTransaction(connection) {
      const lease = leaseOf(connection);
      // What holds it may be long in coming; a session in which it failed is in a transaction that nobody will end.
      await lease.query(begin, [], { limit, signal }).catch((error) => {
        if (hold) lease.release(error);
        throw error;
      });
    },
    async commitTransaction(connection) {
      const command = await commit(leaseOf(connection), limit);
      // After a failed statement COMMIT rolls back, and calls that a success.
      if (command !== "COMMIT") throw new Error("The transaction was rolled back: one of its statements had failed");
    },
    async rollbackTransaction(connection) {
      const lease = leaseOf(connection);
      // Never rejects: the reason for rolling back is what the caller must see. A cut session is rolled back too.
      await lease.query("rollback", [], { limit }).catch((error) => lease.release(error));
    },
    releaseConnection: (connection) => Promise.resolve(leaseOf(connection).release()),
    destroy: () => Promise.resolve(), // the pool belongs to who opened it
  };
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
  if (!/^[a-z0-9_: ]+$/.test(text)) throw new Error(`Cannot hold ${text}: it is no id`);
  return `'${text}'`;
}

interface OurConnection extends DatabaseConnection {
  readonly lease: Lease;
}

function leaseOf(connection: DatabaseConnection): Lease {
  return (connection as OurConnection).lease;
}

function connectionOver(lease: Lease, limit: number, signal: AbortSignal | undefined): OurConnection {
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
