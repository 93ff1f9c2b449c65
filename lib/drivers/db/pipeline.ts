/**
 * Runs short reads on shared connections. A read is sent without waiting for earlier answers. Reads of the same kind
 * that start in the same turn of the event loop become one statement, and all statements of a turn are sent in a single
 * write, which saves processor time here and on the server. If the connection is lost, the read is repeated, because a
 * read changes nothing.
 */
import { setImmediate } from "node:timers";
import { retryTransient } from "#lib/drivers/db/retry-transient.ts";
import { createStatementTimeoutFault } from "#lib/drivers/db/client.ts";
import type { ReadBatch } from "#lib/drivers/db/database.ts";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import type { Pool, PooledConnection } from "#lib/drivers/db/pool.ts";
import type { Row } from "#lib/drivers/db/row-objects.ts";
import { SECOND } from "#lib/base/time.ts";
import { runWithoutContext } from "#lib/base/work-context.ts";

interface PipelineOptions {
  readonly pool: Pool;
  readonly limit: number;
  /** The maximum number of connections that reads share. */
  readonly maxConnections: number;
  /** How long a connection is shared, in milliseconds. The connection then returns to the pool. */
  readonly sharedFor?: number;
}

interface Pipeline {
  /** Rejects with the signal's reason soon after the signal aborts. With `batch`, may be sent with other reads. */
  read(text: string, params: readonly unknown[], signal?: AbortSignal, batch?: ReadBatch): Promise<Row[]>;
}

interface PendingRead {
  readonly text: string;
  readonly params: readonly unknown[];
  readonly batch: ReadBatch | undefined;
  readonly signal: AbortSignal | undefined;
  readonly at: number;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (reason: unknown) => void;
}

interface SharedConnection {
  readonly lease: PooledConnection;
  readonly since: number;
  readonly reads: Set<PendingRead>;
}

const SLOW_MS = 10; // milliseconds after which a connection counts as slow, so that new reads use another
const CHECK_INTERVAL_MS = 25; // how often to check for cancelled reads, in milliseconds
const MAX_BATCH_SIZE = 64; // reads in one statement; a client waits until the last one has been read

export function openReadPipeline({ pool, limit, maxConnections: most, sharedFor = SECOND }: PipelineOptions): Pipeline {
  const connections = new Set<SharedConnection>();
  let opening: Promise<SharedConnection> | null = null;
  const waiting: PendingRead[] = []; // reads that started in this turn of the event loop
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

  /** Sends reads that have the same text as one statement. If it fails, sends each read separately. */
  function send(connection: SharedConnection, reads: readonly PendingRead[]): void {
    for (const read of reads) connection.reads.add(read);
    timer ??= setTimeout(checkReads, CHECK_INTERVAL_MS);
    const { text, params } = combineReads(reads);
    const release = () => {
      for (const read of reads) connection.reads.delete(read);
      if (connection.reads.size === 0 && connections.delete(connection)) connection.lease.release();
    };
    connection.lease.query(text, params, { limit: null }).then(({ rows, readNumbers }) => {
      release();
      answer(reads, rows, readNumbers);
    }, (error) => {
      release();
      for (const read of reads) {
        if (reads.length === 1 || error instanceof ConnectionLost) read.reject(error);
        else void sendGroup([read]);
      }
    });
  }

  async function sendGroup(reads: readonly PendingRead[]): Promise<void> {
    try {
      send(pick() ?? await (opening ??= open()), reads);
    } catch (error) {
      for (const { reject } of reads) reject(error);
    }
  }

  function sendWaiting(): void {
    const groups = Map.groupBy(waiting.splice(0), (read) => read.batch ? read.text : read);
    for (const group of groups.values()) {
      for (let i = 0; i < group.length; i += MAX_BATCH_SIZE) void sendGroup(group.slice(i, i + MAX_BATCH_SIZE));
    }
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

  function readOnce(text: string, params: readonly unknown[], signal?: AbortSignal, batch?: ReadBatch): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const read = { text, params, batch, signal, at: performance.now(), resolve, reject };
      if (waiting.push(read) === 1) runWithoutContext(() => setImmediate(sendWaiting));
    });
  }

  return {
    read: (...args) => {
      const signal = args[2];
      return retryTransient(() => readOnce(...args), { signal }).catch((error) => {
        if (error instanceof ConnectionLost) return readOnce(...args);
        throw error;
      });
    },
  };
}

/** Returns a statement that runs all these reads, which have the same text. */
function combineReads(reads: readonly PendingRead[]): Pick<PendingRead, "text" | "params"> {
  const { text, params, batch } = reads[0]!;
  if (!batch || reads.length === 1) return { text, params };
  const arrays = batch.keys.map((_, i) => reads.map((read) => read.batch!.keys[i]));
  return { text: batch.text, params: [...arrays, ...batch.constants] };
}

function answer(reads: readonly PendingRead[], rows: Row[], readNumbers: readonly number[] | undefined): void {
  if (!readNumbers) return reads[0]!.resolve(rows);
  const found: Row[][] = reads.map(() => []);
  rows.forEach((row, i) => found[readNumbers[i]! - 1]!.push(row));
  reads.forEach(({ resolve }, i) => resolve(found[i]!));
}
