/**
 * One connection to PostgreSQL, used until it breaks and never mended.
 *
 * postgres.js mends: it puts a new connection under an old handle, and with that the second half of a broken
 * transaction runs, and commits, inside somebody else's. Here a client is given exactly one socket. Once that is gone
 * (closed, cut, or given up because an answer did not come in time) the client is dead for ever: what was under way
 * rejects, and so does whatever comes later. Neither `begin()` nor `reserve()` nor `listen()` of the driver is used.
 */
import type postgres from "postgres";
import { asFault, ConnectionLost, isFatal, isProgrammingError, isReadOnly } from "#lib/drivers/db/faults.ts";
import { openDriver } from "#lib/drivers/db/driver.ts";
import { sessionQuery } from "#lib/drivers/db/session.ts";
import { openSockets } from "#lib/drivers/db/sockets.ts";
import {
  type DatabaseAddress,
  type DatabaseHost,
  type DatabaseSource,
  resolveDatabaseAddress,
} from "#lib/base/database-address.ts";
import { Fault } from "#lib/base/errors.ts";
import { SECOND, withTimeout } from "#lib/base/time.ts";

interface ClientOptions {
  readonly url: DatabaseSource;
  /** What pg_stat_activity shows. */
  readonly name: string;
  /** Session settings, such as statement_timeout. */
  readonly settings: Readonly<Record<string, string>>;
  /** Milliseconds until connecting is given up, all hosts together. */
  readonly connectLimit: number;
  readonly onNotify?: (channel: string, payload: string) => void;
  readonly onDead?: () => void;
}

export interface QueryOptions {
  /** Milliseconds until the statement is cancelled and the client given up; null is as long as it takes. */
  readonly limit: number | null;
  readonly signal?: AbortSignal | undefined;
}

export interface Result {
  readonly rows: Record<string, unknown>[];
  /** The server's word for what it did: INSERT, COMMIT, ROLLBACK … */
  readonly command: string;
  readonly count: number;
}

export interface Client {
  /** Why this client can no longer be used, or null while it can. */
  readonly dead: Error | null;
  /** Of the server's process. */
  readonly pid: number;
  /** Whether the server took no writes when it was connected to. */
  readonly readOnly: boolean;
  /** Whether the server was a standby then. */
  readonly standby: boolean;
  /** The host that it is connected to. */
  readonly host: DatabaseHost;
  /** Runs one statement. It is sent at once; the server does those of one client in the order in which they were given. */
  query(text: string, params: readonly unknown[], options: QueryOptions): Promise<Result>;
  /** Cuts the connection now. The server rolls back what was open. */
  kill(reason: unknown): void;
  /** Says goodbye to the server. Only for a client with nothing under way. */
  close(): Promise<void>;
}

/**
 * What the driver's types leave out: whether the statement was sent, and what cancels it. The public `cancel()` calls
 * this too, but drops its promise: a server that cannot be reached just then would end the process, uncatchably.
 */
type Query = postgres.PendingQuery<postgres.Row[]> & { state: object | null; canceller(query: Query): Promise<void> };

const CANCEL_LIMIT = 2 * SECOND;

/**
 * Connects to the first host that answers and is what the address asks for. Where none takes writes, the first that answers
 * is used: what can be read is worth having.
 */
export async function openClient(options: ClientOptions): Promise<Client> {
  const address = resolveDatabaseAddress(options.url), { hosts, connectTimeout, target } = address;
  const share = Math.ceil(options.connectLimit / hosts.length), connectLimit = Math.min(share, connectTimeout ?? share);
  let chosen: Client | null = null, reader: Client | null = null, failure: unknown = null;
  for (const host of hosts) {
    let client: Client | null = null;
    const onDead = () => void (client && client === chosen && options.onDead?.()); // nobody knows of the others
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

async function openSession(options: ClientOptions, address: DatabaseAddress, host: DatabaseHost): Promise<Client> {
  let dead: Error | null = null;
  const pending = new Set<(error: unknown) => void>(); // what refuses each statement that has no answer yet
  const sockets = openSockets(address, host, die);

  const sql = openDriver(address, host, options.name, {
    onclose: () => die(new Error("The server closed the connection")),
    ...(options.onNotify ? { onnotify: options.onNotify } : {}),
    socket: sockets.open,
  });

  function die(reason: unknown): void {
    if (dead) return;
    dead = reason instanceof ConnectionLost || isReadOnly(reason) ? reason as Error : new ConnectionLost(reason);
    sockets.cut();
    for (const refuse of pending) refuse(dead);
    options.onDead?.();
  }

  /** The statement is not waited for any longer. The server is told; what it still answers, nobody can tell apart. */
  function abandon(query: Query, reason: unknown): void {
    dead = new ConnectionLost(reason);
    options.onDead?.();
    if (!query.state) return sockets.cut(); // never sent, for there is no session yet
    sockets.allow(1); // the driver cancels over a socket of its own
    withTimeout(CANCEL_LIMIT, query.canceller(query)).catch(() => {}).finally(() => {
      sockets.allow(0);
      sockets.cutAll();
    });
  }

  function execute(text: string, params: readonly unknown[], { limit, signal }: QueryOptions): Promise<Result> {
    if (dead) return Promise.reject(dead);
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (params.includes(undefined)) return Promise.reject(new TypeError(`A parameter is undefined in: ${text}`));
    return new Promise<Result>((resolve, fail) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        pending.delete(refuse);
        finish();
      };
      const abort = (reason: unknown) => {
        abandon(query, reason);
        settle(() => fail(reason));
      };
      const onAbort = () => abort(signal!.reason);
      const timer = limit === null ? undefined : setTimeout(() => abort(slowFault(limit)), limit);
      signal?.addEventListener("abort", onAbort, { once: true });
      const refuse = (error: unknown) => settle(() => fail(error));
      pending.add(refuse);
      // Type 0 for each parameter: the server says what it is. The driver's guess would be wrong for arrays and JSON.
      const typed = params.map((param) => sql.typed(param as never, 0));
      const query = sql.unsafe(
        text,
        typed as never[],
        { prepare: true, simple: params.length === 0 } as never,
      ) as Query;
      query.then(
        (rows) => settle(() => resolve({ rows: [...rows], command: rows.command, count: rows.count ?? 0 })),
        (error) => {
          if (dead) return settle(() => fail(dead));
          if (isProgrammingError(error)) settle(() => fail(error)); // of ours, in a value; what the driver has sent of it is unsure
          if (isFatal(error)) return die(error);
          const told = asFault(error);
          if (isReadOnly(told)) return die(told); // what it is connected to is no longer what was meant
          settle(() => fail(told));
        },
      );
    });
  }

  const client: Client = {
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

/** Connects, and sets the session up in the same statement that proves the connection. */
async function startSession(client: Client, options: ClientOptions, address: DatabaseAddress): Promise<Client> {
  const { text, params } = sessionQuery(options.settings, address.options);
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

export function slowFault(limit: number): Fault {
  return new Fault("unavailable", "database_slow", `The database did not answer within ${limit} ms; try again`, {
    retryAfter: 1,
  });
}
