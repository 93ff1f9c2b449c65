/**
 * Runs short reads on shared connections. A read is sent without waiting for earlier answers, and reads that start at
 * the same time are sent in a single write, which saves processor time. If the connection is lost, the read is
 * repeated, because a read changes nothing.
 */
import { retryTransient } from "#lib/drivers/db/retry-transient.ts";
import { createStatementTimeoutFault, type StatementResult } from "#lib/drivers/db/client.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import type { Pool, PooledConnection } from "#lib/drivers/db/pool.ts";
import { SECOND } from "#lib/base/time.ts";

interface PipelineOptions {
  readonly pool: Pool;
  readonly limit: number;
  /** The maximum number of connections that reads share. */
  readonly maxConnections: number;
  /** How long a connection is shared, in milliseconds. The connection then returns to the pool. */
  readonly sharedFor?: number;
}

interface Pipeline {
  /** Rejects with the signal's reason soon after the signal aborts. */
  read(text: string, params: readonly unknown[], signal?: AbortSignal): Promise<Record<string, unknown>[]>;
}

interface PendingRead {
  readonly signal: AbortSignal | undefined;
  readonly at: number;
  readonly reject: (reason: unknown) => void;
}

interface SharedConnection {
  readonly lease: PooledConnection;
  readonly since: number;
  readonly reads: Set<PendingRead>;
}

const SLOW_MS = 10; // milliseconds after which a connection counts as slow, so that new reads use another
const CHECK_INTERVAL_MS = 25; // how often to check for cancelled reads, in milliseconds

export function openReadPipeline({ pool, limit, maxConnections: most, sharedFor = SECOND }: PipelineOptions): Pipeline {
  const connections = new Set<SharedConnection>();
  let opening: Promise<SharedConnection> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Chooses the connection whose oldest pending read started last. A single fast connection is best, because its reads
   * are sent together. Returns undefined if all connections are slow and another connection can be opened.
   */
  function pick(): SharedConnection | undefined {
    const now = performance.now();
    let best: SharedConnection | undefined, latest = -Infinity;
    for (const connection of connections) {
      const [first] = connection.reads, at = first?.at ?? now;
      if (!connection.lease.dead && now - connection.since < sharedFor && at > latest) {
        [best, latest] = [connection, at];
      }
    }
    return best && (now - latest < SLOW_MS || connections.size >= most || opening) ? best : undefined;
  }

  async function open(): Promise<SharedConnection> {
    try {
      const connection = { lease: await pool.acquire(), since: performance.now(), reads: new Set<PendingRead>() };
      connections.add(connection);
      return connection;
    } finally {
      opening = null;
    }
  }

  function send(
    connection: SharedConnection,
    text: string,
    params: readonly unknown[],
    signal: AbortSignal | undefined,
  ) {
    return new Promise<StatementResult>((resolve, reject) => {
      const pendingRead = { signal, reject, at: performance.now() };
      connection.reads.add(pendingRead);
      timer ??= setTimeout(checkReads, CHECK_INTERVAL_MS);
      connection.lease.query(text, params, { limit: null }).then(resolve, reject).finally(() => {
        connection.reads.delete(pendingRead);
        if (connection.reads.size === 0 && connections.delete(connection)) connection.lease.release();
      });
    });
  }

  /** Rejects cancelled reads, and closes connections whose reads take too long. */
  function checkReads(): void {
    const now = performance.now();
    timer = connections.size > 0 ? setTimeout(checkReads, CHECK_INTERVAL_MS) : undefined;
    for (const { lease, reads: pendingReads } of connections) {
      for (const { signal, at, reject } of pendingReads) {
        if (signal?.aborted) reject(signal.reason);
        if (now - at < limit) continue;
        reject(createStatementTimeoutFault(limit));
        lease.release(createStatementTimeoutFault(limit));
      }
    }
  }

  async function readOnce(text: string, params: readonly unknown[], signal: AbortSignal | undefined) {
    signal?.throwIfAborted();
    const connection = pick() ?? await (opening ??= open());
    return (await send(connection, text, params, signal)).rows;
  }

  return {
    read: (text, params, signal) =>
      retryTransient(() => readOnce(text, params, signal), { signal }).catch((error) => {
        if (error instanceof ConnectionLost) return readOnce(text, params, signal);
        throw error;
      }),
  };
}
