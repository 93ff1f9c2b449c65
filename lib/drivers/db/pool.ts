/**
 * Opens a pool of connections. Callers are served in order of arrival, except that users with many connections wait
 * longer (connection-shares.ts). While the database is down, callers wait for up to two seconds, so that restarting
 * PostgreSQL causes no errors. Background work uses a pool without this limit.
 */
import { openCallerQueue } from "#lib/drivers/db/caller-queue.ts";
import {
  type DatabaseClient,
  openDatabaseClient,
  type QueryOptions,
  type StatementResult,
} from "#lib/drivers/db/client.ts";
import { isReadOnlyError } from "#lib/drivers/db/faults.ts";
import { openConnectionShares } from "#lib/drivers/db/connection-shares.ts";
import { openPooledConnections } from "#lib/drivers/db/pooled-connections.ts";
import type { DatabaseSource } from "#lib/base/database-address.ts";
import { Fault } from "#lib/base/errors.ts";
import { backoffDelay, SECOND } from "#lib/base/time.ts";

export interface PoolOptions {
  readonly url: DatabaseSource;
  readonly name: string;
  readonly size: number;
  readonly settings: Readonly<Record<string, string>>;
  /** How long a caller may wait for a connection, in milliseconds. Null means no limit. */
  readonly waitLimit?: number | null;
}

/** A connection for one caller. After its release, it rejects all statements. */
export interface PooledConnection {
  readonly pid: number;
  /** The error that ended the connection, or null while the connection is usable. */
  readonly dead: Error | null;
  query(text: string, params: readonly unknown[], options: QueryOptions): Promise<StatementResult>;
  /**
   * Returns the connection to the pool. If `spoiled` is set, the session may be in a bad state, so the connection is
   * closed instead.
   */
  release(spoiled?: unknown): void;
}

export interface Pool {
  /** Takes a connection from the pool. The connection counts toward the number that `user` may have. */
  acquire(signal?: AbortSignal, user?: string): Promise<PooledConnection>;
  stats(): { size: number; open: number; idle: number; waiting: number };
  close(): Promise<void>;
}

const WAIT_LIMIT = 2 * SECOND;
const PROBE_LIMIT = SECOND;

export function openPool(options: PoolOptions): Pool {
  const { url, name, settings, size, waitLimit = WAIT_LIMIT } = options;
  const shares = openConnectionShares(size), connections = openPooledConnections(grow);
  const answersSince = (start: number) => answeredAt > start;
  const callers = openCallerQueue({ shares, waitLimit, failure: () => failure, answersSince });
  let connecting = 0;
  let failures = 0; // how many attempts to connect have failed in a row
  let failure: unknown = null; // the error of the last failed attempt to connect
  let answeredAt = -Infinity; // when any connection last received an answer
  let retry: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  function grow(): void {
    if (closed || retry) return;
    const needed = callers.servable();
    while (connecting < needed && connections.count().open + connecting < size) {
      connecting++;
      open().catch((error) => {
        failure = error;
        failures++;
        retry ??= setTimeout(() => (retry = undefined, grow()), backoffDelay(failures, 50, SECOND / 2));
      }).finally(() => {
        connecting--;
        grow();
      });
    }
  }

  async function open(): Promise<void> {
    let client: DatabaseClient | null = null;
    const onDead = () => {
      if (!client) return;
      if (isReadOnlyError(client.dead) && !client.readOnly) connections.expireWritable();
      connections.forget(client);
    };
    client = await openDatabaseClient({ url, name, settings, connectLimit: waitLimit ?? WAIT_LIMIT, onDead });
    failures = 0;
    failure = null;
    connections.add(client);
    if (client.dead) connections.forget(client);
    else connections.put(client);
    serve();
  }

  /** Gives idle connections to waiting callers. Skips callers whose user already has the maximum number. */
  function serve(): void {
    connections.closeExpired();
    for (let next = callers.next(); next && connections.count().idle > 0; next = callers.next()) {
      next.serve(connections.pop()!);
    }
  }

  function takeBack(client: DatabaseClient, user: string | undefined): void {
    shares.release(user);
    if (!client.dead) connections.put(client);
    serve(); // also serves callers whose users had too many connections
    if (client.dead) grow();
  }

  async function take(signal: AbortSignal | undefined, user: string | undefined): Promise<DatabaseClient> {
    signal?.throwIfAborted();
    // Takes a connection before the first await, so that no caller overtakes callers that are already waiting.
    connections.closeExpired();
    const client = shares.mayTake(user) && !callers.next() ? connections.pop() : undefined;
    if (!client) {
      if (closed) throw shutdownFault(); // the pool may have been closed during the probe
      const served = callers.wait(signal, user);
      grow();
      return await served;
    }
    shares.take(user);
    if (connections.isTrusted(client)) return client;
    // Closes the client after any error, because a broken client must not stay in the pool.
    const answered = await client.query("select 1", [], { limit: PROBE_LIMIT }).catch((error) => client.kill(error));
    if (answered) return client;
    shares.release(user);
    serve();
    return await take(signal, user);
  }

  return {
    async acquire(signal, user) {
      if (closed) throw shutdownFault();
      const client = await take(signal, user);
      return lease(client, () => takeBack(client, user), () => answeredAt = performance.now());
    },
    stats: () => ({ size, ...connections.count(), waiting: callers.count() }),
    async close() {
      if (closed) return;
      closed = true;
      clearTimeout(retry);
      const fault = shutdownFault();
      callers.refuse(fault);
      await connections.close(fault);
    },
  };
}

function lease(client: DatabaseClient, onReleased: () => void, onAnswer: () => void): PooledConnection {
  let released = false;
  return {
    pid: client.pid,
    get dead() {
      return client.dead;
    },
    query(text, params, queryOptions) {
      if (released) return Promise.reject(new Error("This connection was released and can no longer be used"));
      const result = client.query(text, params, queryOptions);
      result.then(onAnswer, () => {});
      return result;
    },
    release(spoiled) {
      if (released) return;
      released = true;
      if (spoiled !== undefined) client.kill(spoiled);
      onReleased();
    },
  };
}

function shutdownFault(): Fault {
  return new Fault("unavailable", "database_closed", "The service is shutting down", { retryAfter: 5 });
}
