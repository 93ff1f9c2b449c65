/** Connects to the database: opens the connection pools and the control connection, and starts the wake-ups. */
import { sql } from "kysely";
import { readDatabaseTime } from "#lib/drivers/db/clock.ts";
import { retryTransient } from "#lib/drivers/db/retry-transient.ts";
import { openControlConnection } from "#lib/drivers/db/control.ts";
import type {
  ClosableDatabase,
  ReadBatch,
  RowQueries,
  TransactionAuthorization,
  Tx,
  WakeupTopic,
} from "#lib/drivers/db/database.ts";
import { createRowQueries, type DialectOptions, getUserLockKey, runInTransaction } from "#lib/drivers/db/dialect.ts";
import { retryWhileUnavailable } from "#lib/drivers/db/retry-while-unavailable.ts";
import { openReadPipeline } from "#lib/drivers/db/pipeline.ts";
import { openPool, type Pool } from "#lib/drivers/db/pool.ts";
import { openWakeups, WAKEUP_CHANNEL } from "#lib/drivers/db/wakeups.ts";
import { type DatabaseSource, resolveDatabaseAddress } from "#lib/base/database-address.ts";
import type { Log } from "#lib/base/log.ts";
import { NO_TELEMETRY, type Telemetry } from "#lib/base/telemetry.ts";
import { SECOND, withTimeout } from "#lib/base/time.ts";

export interface DatabaseOptions {
  readonly url: DatabaseSource;
  /** The pool's maximum number of connections. Streams and the control connection use additional connections. */
  readonly size: number;
  /** The number of separate connections for streams, which never use a request's connection. Defaults to 1. */
  readonly streams?: number;
  readonly log: Log;
  readonly telemetry?: Telemetry;
  /** The application name that PostgreSQL shows. Defaults to the name in the connection string. */
  readonly name?: string;
  readonly statementLimit?: number;
  /** How long a statement may wait for a lock, in milliseconds. */
  readonly lockLimit?: number;
  /** How long a caller may wait for a connection, in milliseconds. */
  readonly waitLimit?: number;
}

const STATEMENT_LIMIT = 15 * SECOND;
const LOCK_LIMIT = 10 * SECOND;
const NETWORK_LATENCY = 2 * SECOND; // milliseconds added to the server's statement limit, for the network
const IDLE_IN_TRANSACTION = 30 * SECOND;
const OUTLAST_TIMEOUT = 30 * SECOND; // milliseconds that jobs wait for a user's earlier transactions

export async function openDatabase(options: DatabaseOptions): Promise<ClosableDatabase> {
  const {
    url,
    log,
    telemetry = NO_TELEMETRY,
    name = resolveDatabaseAddress(url).applicationName ?? "wheelwright",
    statementLimit = STATEMENT_LIMIT,
    lockLimit = LOCK_LIMIT,
  } = options;
  const settings = {
    statement_timeout: String(statementLimit),
    lock_timeout: String(lockLimit),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION),
  };
  const waiting = options.waitLimit === undefined ? {} : { waitLimit: options.waitLimit };
  const pool = openPool({ url, name, size: options.size, settings, ...waiting });
  const streamPool = openPool({ url, name: `${name} streams`, size: options.streams ?? 1, settings, waitLimit: null });
  const limit = statementLimit + NETWORK_LATENCY;
  const pipeline = openReadPipeline({ pool, limit, maxConnections: Math.ceil(options.size / 4) });
  const streams: RowQueries = createRowQueries({ pool: streamPool, limit });
  const wakeups = openWakeups({ notify, log });
  const control = openControlConnection({
    url,
    name: `${name} control`,
    channel: WAKEUP_CHANNEL,
    log,
    onNotify: wakeups.receive,
  });

  async function notify(payloads: readonly string[]): Promise<void> {
    const lease = await pool.acquire();
    try {
      await lease.query(
        "select pg_notify($1, payload) from unnest($2::text[]) as payload",
        [WAKEUP_CHANNEL, payloads],
        {
          limit,
        },
      );
    } finally {
      lease.release();
    }
  }

  function databaseFor(signal?: AbortSignal, hold?: TransactionAuthorization): ClosableDatabase {
    let cachedRows: RowQueries | undefined;
    // Creates `rows` at first use: every request has its own database object, but many requests never use it.
    const options = { pool, limit, signal, user: hold?.user, onCommit: hold?.onCommit };
    const rows = (): RowQueries =>
      cachedRows ??= Object.assign(createRowQueries(options), {
        readShared: (text: string, params: readonly unknown[], batch?: ReadBatch) =>
          pipeline.read(text, params, signal, batch),
      });
    return {
      get rows() {
        return rows();
      },
      async transact(work) {
        const { result, wakes } = await telemetry.span(
          "transaction",
          {},
          () => transact(options, withCheck(work, hold)),
        );
        wakeups.announce(wakes);
        await waitForHolders(rows(), wakes, log, signal);
        return result;
      },
      streams,
      within: (narrower) => databaseFor(signal ? AbortSignal.any([signal, narrower]) : narrower, hold),
      holding: (more) => databaseFor(signal, more),
      wakeups,
      control: { query: async (text, params) => (await control.query(text, params)).rows },
      stats: () => ({ ...pool.stats(), control: control.pid !== null }),
      now: () => readDatabaseTime(rows()),
      close,
    };
  }

  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => closing ??= shut();

  async function shut(): Promise<void> {
    await withTimeout(SECOND, wakeups.flushed());
    await Promise.all([control.close(), pool.close(), streamPool.close()]);
  }

  try {
    // Connects now, so that a wrong address or password is reported at startup.
    (await pool.acquire()).release();
    await withTimeout(2 * SECOND, control.ready());
    return databaseFor();
  } catch (error) {
    await close();
    throw error;
  }
}

function withCheck<T>(
  work: (tx: Tx) => Promise<T>,
  hold: TransactionAuthorization | undefined,
): (tx: Tx) => Promise<T> {
  if (!hold) return work;
  return async (tx) => {
    await hold.check(tx);
    return await work(tx);
  };
}

/**
 * Waits until the earlier transactions of these users end, because they may have started before a right was revoked.
 * The wait comes after the commit and holds no locks, which avoids deadlocks. Advisory locks are served in order, so
 * later transactions cannot delay the wait forever.
 */
async function waitForHolders(
  rows: RowQueries,
  wakes: ReadonlySet<WakeupTopic>,
  log: Log,
  signal?: AbortSignal,
): Promise<void> {
  for (const topic of wakes) {
    if (!topic.startsWith("user:")) continue;
    const key = getUserLockKey(topic.slice("user:".length));
    const wait = sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`;
    await retryWhileUnavailable(() => wait.execute(rows), signal ?? AbortSignal.timeout(OUTLAST_TIMEOUT)).catch((
      error,
    ) => log.warn("An earlier request may still use permissions that its user no longer has", { topic, error }));
  }
}

function transact<T>(
  options: DialectOptions & { readonly pool: Pool },
  work: (tx: Tx) => Promise<T>,
): Promise<{ readonly result: T; readonly wakes: ReadonlySet<WakeupTopic> }> {
  return retryTransient(async () => {
    const wakes = new Set<WakeupTopic>();
    return { result: await runInTransaction(options, (tx) => work(Object.assign(tx, { wakes }))), wakes };
  }, { signal: options.signal, sessions: () => options.pool.stats().size });
}
