/**
 * Opens a single connection to PostgreSQL that is never reconnected. postgres.js reconnects silently, so the second
 * half of an interrupted transaction could run inside another transaction. This client instead becomes unusable
 * ("dead") when its socket closes or an answer is late, and rejects all pending and later statements.
 */
import type postgres from "postgres";
import {
  ConnectionLost,
  isFatalError,
  isProgrammingError,
  isReadOnlyError,
  toDatabaseFault,
} from "#lib/drivers/db/faults.ts";
import { openPostgresClient } from "#lib/drivers/db/driver.ts";
import { buildSessionSetupQuery } from "#lib/drivers/db/session.ts";
import { readReadNumbers, type Row, toRowObjects } from "#lib/drivers/db/row-objects.ts";
import { openSockets } from "#lib/drivers/db/sockets.ts";
import {
  type DatabaseAddress,
  type DatabaseHost,
  type DatabaseSource,
  resolveDatabaseAddress,
} from "#lib/base/database-address.ts";
import { Fault } from "#lib/base/errors.ts";
import { startPatientTimer } from "#lib/base/patient-timer.ts";
import { SECOND, withTimeout } from "#lib/base/time.ts";

interface ClientOptions {
  readonly url: DatabaseSource;
  readonly name: string;
  /** Session settings such as `statement_timeout`, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** The total time limit for connecting, in milliseconds. It is divided among the hosts. */
  readonly connectLimit: number;
  readonly onNotify?: (channel: string, payload: string) => void;
  readonly onDead?: () => void;
}

export interface QueryOptions {
  /** The time in milliseconds after which the statement is cancelled and the client closed. Null means no limit. */
  readonly limit: number | null;
  readonly signal?: AbortSignal | undefined;
}

export interface StatementResult {
  readonly rows: Row[];
  /** For each row, the number of the read in a batch of reads (ReadBatch). */
  readonly readNumbers?: readonly number[] | undefined;
  /** The command that the server reports for the statement, for example INSERT, COMMIT or ROLLBACK. */
  readonly command: string;
  readonly count: number;
}

export interface DatabaseClient {
  /** The error that made this client unusable, or null while it is usable. */
  readonly dead: Error | null;
  /** The ID of the server process that handles this connection. */
  readonly pid: number;
  /** Whether the server was read-only when the client connected. */
  readonly readOnly: boolean;
  /** Whether the server was a standby when the client connected. */
  readonly standby: boolean;
  readonly host: DatabaseHost;
  /** Sends a statement without waiting for earlier statements. The server runs a client's statements in order. */
  query(text: string, params: readonly unknown[], options: QueryOptions): Promise<StatementResult>;
  /** Closes the connection immediately. The server then rolls back any open transaction. */
  kill(reason: unknown): void;
  /** Closes the connection gracefully. Must not be called while statements are pending. */
  close(): Promise<void>;
}

/**
 * Adds fields that the driver's types omit. The driver's public `cancel()` ignores the promise that `canceller`
 * returns, so an unreachable server would cause an unhandled rejection.
 */
type Query = postgres.PendingQuery<postgres.Row[]> & { state: object | null; canceller(query: Query): Promise<void> };

const CANCEL_LIMIT = 2 * SECOND;

/**
 * Connects to the first host that answers and is suitable, for example a primary. If no host is suitable, returns a
 * read-only client.
 */
export async function openDatabaseClient(options: ClientOptions): Promise<DatabaseClient> {
  const address = resolveDatabaseAddress(options.url), { hosts, connectTimeout, target } = address;
  const share = Math.ceil(options.connectLimit / hosts.length), connectLimit = Math.min(share, connectTimeout ?? share);
  let chosen: DatabaseClient | null = null, reader: DatabaseClient | null = null, failure: unknown = null;
  for (const host of hosts) {
    let client: DatabaseClient | null = null;
    // Only the client that `openDatabaseClient` returns may call `onDead`.
    const onDead = () => void (client && client === chosen && options.onDead?.());
    try {
      client = await openSession({ ...options, connectLimit, onDead }, address, host);
    } catch (error) {
      failure ??= error;
      continue;
    }
    if (target === "any" || !(target === "primary" ? client.standby : client.readOnly)) {
      reader?.close().catch(() => {});
      return chosen = client;
    }
    if (reader) client.close().catch(() => {});
    else reader = client;
  }
  if (!reader) throw failure;
  return chosen = reader;
}

async function openSession(
  options: ClientOptions,
  address: DatabaseAddress,
  host: DatabaseHost,
): Promise<DatabaseClient> {
  let dead: Error | null = null;
  const pending = new Set<(error: unknown) => void>(); // functions that reject the pending statements
  const sockets = openSockets(address, host, die);

  const sql = openPostgresClient(address, host, options.name, {
    onclose: () => die(new Error("The server closed the connection")),
    ...(options.onNotify ? { onnotify: options.onNotify } : {}),
    socket: sockets.open,
  });

  function die(reason: unknown): void {
    if (dead) return;
    dead = reason instanceof ConnectionLost || isReadOnlyError(reason) ? reason as Error : new ConnectionLost(reason);
    sockets.cut();
    for (const refuse of pending) refuse(dead);
    options.onDead?.();
  }

  /**
   * Abandons a statement and cancels it on the server. The client becomes unusable, because it could no longer match
   * later answers to statements.
   */
  function abandon(query: Query, reason: unknown): void {
    dead = new ConnectionLost(reason);
    options.onDead?.();
    if (!query.state) return sockets.cut(); // the statement was not sent, because the session is not open yet
    sockets.allow(1); // the driver needs a second socket to cancel a statement
    withTimeout(CANCEL_LIMIT, query.canceller(query)).catch(() => {}).finally(() => {
      sockets.allow(0);
      sockets.cutAll();
    });
  }

  function execute(
    text: string,
    params: readonly unknown[],
    { limit, signal }: QueryOptions,
  ): Promise<StatementResult> {
    if (dead) return Promise.reject(dead);
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (params.includes(undefined)) return Promise.reject(new TypeError(`Undefined parameter in statement: ${text}`));
    return new Promise<StatementResult>((resolve, fail) => {
      const settle = (finish: () => void) => {
        stopTimer?.();
        signal?.removeEventListener("abort", onAbort);
        pending.delete(refuse);
        finish();
      };
      const abort = (reason: unknown) => {
        abandon(query, reason);
        settle(() => fail(reason));
      };
      const onAbort = () => abort(signal!.reason);
      const onLate = () => abort(createStatementTimeoutFault(limit!));
      const stopTimer = limit === null ? undefined : startPatientTimer(limit, onLate);
      signal?.addEventListener("abort", onAbort, { once: true });
      const refuse = (error: unknown) => settle(() => fail(error));
      pending.add(refuse);
      // Lets the server choose each parameter's type (0), because the driver guesses wrong for arrays and JSON.
      const typed = params.map((param) => sql.typed(param as never, 0));
      const settings = { prepare: true, simple: params.length === 0 } as never;
      const query = sql.unsafe(text, typed as never[], settings) as Query;
      query.values().then(
        (rows) => settle(() => resolve(toResult(rows))),
        (error) => {
          if (dead) return settle(() => fail(dead));
          // If a value cannot be encoded, the client is closed, because part of the statement may have been sent.
          if (isProgrammingError(error)) settle(() => fail(error));
          if (isFatalError(error)) return die(error);
          const fault = toDatabaseFault(error);
          if (isReadOnlyError(fault)) return die(fault); // the server is no longer a primary
          settle(() => fail(fault));
        },
      );
    });
  }

  const client: DatabaseClient = {
    get dead() {
      return dead;
    },
    pid: 0,
    readOnly: false,
    standby: false,
    host,
    query: execute,
    kill: die,
    async close() {
      dead ??= new ConnectionLost(new Error("The client was closed"));
      await sql.end({ timeout: 1 }).finally(sockets.cut);
    },
  };
  return await startSession(client, options, address);
}

/** Opens the connection, and configures the session with a single statement. */
async function startSession(
  client: DatabaseClient,
  options: ClientOptions,
  address: DatabaseAddress,
): Promise<DatabaseClient> {
  const { text, params } = buildSessionSetupQuery(options.settings, address.options);
  try {
    const { rows } = await client.query(text, params, { limit: options.connectLimit });
    const { pid, readOnly, standby } = rows[0]!;
    return Object.defineProperties(client, {
      pid: { value: pid },
      readOnly: { value: readOnly },
      standby: { value: standby },
    });
  } catch (error) {
    client.kill(error);
    throw error;
  }
}

/**
 * Converts the driver's result. The result of several statements at once has neither rows nor a command. After a
 * statement that failed between two of its rows, the driver starts the next result with as many empty slots.
 */
function toResult(result: postgres.ValuesRowList<postgres.Row[]>): StatementResult {
  const { columns, command, count } = result as Partial<typeof result>;
  const rows = result.length === 0 || 0 in result ? result : result.filter(() => true); // skips empty slots
  return {
    rows: columns ? toRowObjects(columns, rows) : [],
    readNumbers: columns && readReadNumbers(columns, rows),
    command: command ?? "",
    count: count ?? 0,
  };
}

export function createStatementTimeoutFault(limit: number): Fault {
  return new Fault("unavailable", "database_slow", `The database did not respond within ${limit} ms; try again`, {
    retryAfter: 1,
  });
}
