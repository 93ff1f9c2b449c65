/**
 * Opens a connection that copies complete tables with COPY in one transaction. Data is copied only as fast as the
 * slower side can read or write. A broken connection is not reconnected: pending and later statements fail.
 */
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import postgres from "postgres";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { connectPausableTls } from "#lib/drivers/db/pausable-tls.ts";
import { openPostgresClient } from "#lib/drivers/db/driver.ts";
import { findDatabaseHost } from "#lib/drivers/db/find-host.ts";
import { buildSessionSetupQuery } from "#lib/drivers/db/session.ts";
import { openSockets } from "#lib/drivers/db/sockets.ts";
import { type DatabaseSource, resolveDatabaseAddress } from "#lib/base/database-address.ts";
import { runCancellable } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

export type ByteChunk = Uint8Array<ArrayBufferLike>;

export interface CopyConnection {
  run(text: string, params?: readonly unknown[]): Promise<postgres.Row[]>;
  /** Runs a `copy … to stdout` statement and yields its output in chunks of about 64 KiB. */
  copyOut(text: string): AsyncGenerator<Buffer>;
  /** Runs a `copy … from stdin` statement and sends the content to it. */
  copyIn(text: string, content: AsyncIterable<ByteChunk>): Promise<void>;
  /** Closes the connection, so that the server rolls back any open transaction. */
  close(): Promise<void>;
}

/** A query including its `reject` method, which the driver's types omit. */
type Query = postgres.PendingQuery<postgres.Row[]> & { reject(error: unknown): void };

const CHUNK_BYTES = 64 * 1024;
const CONNECT_LIMIT = 30 * SECOND;
/** The default session settings. A copy has no time limit, but fails when the socket closes. */
const SETTINGS = { statement_timeout: "0", idle_in_transaction_session_timeout: "0", lock_timeout: "30000" };

/** Opens a connection for copying. `settings` override the default session settings. */
export async function openCopyConnection(
  source: DatabaseSource,
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<CopyConnection> {
  const address = resolveDatabaseAddress(source), host = await findDatabaseHost(address, name, CONNECT_LIMIT);
  const lost = new AbortController();
  const markLost = (reason: unknown) => lost.abort(new ConnectionLost(reason));
  const sockets = openSockets(address, host, markLost, connectPausableTls);
  const onclose = () => markLost(new Error("The server closed the connection"));
  const sql = openPostgresClient(address, host, name, { onclose, socket: sockets.open });

  function runUnlessLost<T>(statement: () => PromiseLike<T>): Promise<T> {
    lost.signal.throwIfAborted();
    return runCancellable([lost.signal], null, () => Promise.resolve(statement()));
  }

  const copier: CopyConnection = {
    run: async (text, params = []) =>
      await runUnlessLost(() => sql.unsafe(text, params.map((param) => sql.typed(param as never, 0)) as never[])),
    async *copyOut(text) {
      const stream: Readable = await runUnlessLost(() => sql.unsafe(text).readable());
      const cut = () => stream.destroy(lost.signal.reason);
      lost.signal.addEventListener("abort", cut, { once: true });
      let rows: Buffer[] = [], size = 0;
      try {
        for await (const row of stream as AsyncIterable<Buffer>) {
          rows.push(row);
          if ((size += row.length) < CHUNK_BYTES) continue;
          yield Buffer.concat(rows);
          rows = [], size = 0;
        }
      } catch (error) {
        throw asConnectionLost(error);
      } finally {
        lost.signal.removeEventListener("abort", cut);
      }
      sockets.resume();
      if (size > 0) yield Buffer.concat(rows);
    },
    async copyIn(text, content) {
      const query = sql.unsafe(text) as Query, rejection = rejectionOf(query);
      const stream: Writable = await runUnlessLost(() => query.writable());
      let broken: unknown = null;
      const source = async function* () {
        try {
          yield* content;
        } catch (error) {
          throw broken = error;
        }
      };
      try {
        await runUnlessLost(() => Promise.race([pipeline(source, stream, { signal: lost.signal }), rejection]));
      } catch (error) {
        throw broken ?? asConnectionLost(error);
      }
    },
    async close() {
      markLost(new Error("The connection was closed"));
      await sql.end({ timeout: 0 }).catch(() => {});
      sockets.cutAll();
    },
  };
  const { text, params } = buildSessionSetupQuery({ ...SETTINGS, ...settings }, address.options);
  const late = () => new ConnectionLost(new Error(`The database did not respond within ${CONNECT_LIMIT} ms`));
  try {
    await runCancellable([], { ms: CONNECT_LIMIT, createError: late }, () => copier.run(text, params));
    return copier;
  } catch (error) {
    await copier.close();
    throw error;
  }
}

/** Returns the server's own errors unchanged. Any other error means that the connection was lost. */
function asConnectionLost(error: unknown): unknown {
  return error instanceof postgres.PostgresError ? error : new ConnectionLost(error);
}

/**
 * Returns a promise that rejects when the server refuses the rows. The driver resolves the query once its stream is
 * open, and ignores later errors such as a foreign key violation. Without this promise, the caller would wait forever.
 */
function rejectionOf(query: Query): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>(), before = query.reject;
  promise.catch(() => {}); // avoids an unhandled rejection when nothing waits for the promise
  query.reject = (error) => {
    before.call(query, error);
    reject(error);
  };
  return promise;
}
