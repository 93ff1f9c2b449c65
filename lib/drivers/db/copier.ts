/**
 * One connection for reading or writing whole tables in one transaction: the bytes of COPY, as fast as the other side takes
 * them. As in client.ts, a connection that breaks is not mended: what is under way fails, and so does whatever comes later.
 */
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import postgres from "postgres";
import { ConnectionLost } from "#lib/drivers/db/faults.ts";
import { connectPausableTls } from "#lib/drivers/db/pausable-tls.ts";
import { openDriver } from "#lib/drivers/db/driver.ts";
import { findHost } from "#lib/drivers/db/find-host.ts";
import { sessionQuery } from "#lib/drivers/db/session.ts";
import { openSockets } from "#lib/drivers/db/sockets.ts";
import { type DatabaseSource, resolveDatabaseAddress } from "#lib/base/database-address.ts";
import { runWithin } from "#lib/base/cancellation.ts";
import { SECOND } from "#lib/base/time.ts";

export type Bytes = Uint8Array<ArrayBufferLike>;

export interface Copier {
  run(text: string, params?: readonly unknown[]): Promise<postgres.Row[]>;
  /** What a `copy … to stdout` answers, in pieces of about this many bytes. */
  copyOut(text: string): AsyncGenerator<Buffer>;
  /** Hands the bytes to a `copy … from stdin`. */
  copyIn(text: string, content: AsyncIterable<Bytes>): Promise<void>;
  /** Ends the connection; the server rolls back what is open. */
  close(): Promise<void>;
}

/** What the driver's types leave out: what it tells a failure to. */
type Query = postgres.PendingQuery<postgres.Row[]> & { reject(error: unknown): void };

const CHUNK_BYTES = 64 * 1024;
const CONNECT_LIMIT = 30 * SECOND;
/** A copy lasts as long as it lasts, and one whose peer is gone ends with its socket. */
const SETTINGS = { statement_timeout: "0", idle_in_transaction_session_timeout: "0", lock_timeout: "30000" };

/** Connects; `settings` are set for the session, over those of a copy. */
export async function openCopier(
  source: DatabaseSource,
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Copier> {
  const address = resolveDatabaseAddress(source), host = await findHost(address, name, CONNECT_LIMIT);
  const lost = new AbortController();
  const markLost = (reason: unknown) => lost.abort(new ConnectionLost(reason));
  const sockets = openSockets(address, host, markLost, connectPausableTls);
  const onclose = () => markLost(new Error("The server closed the connection"));
  const sql = openDriver(address, host, name, { onclose, socket: sockets.open });

  function runUnlessLost<T>(question: () => PromiseLike<T>): Promise<T> {
    lost.signal.throwIfAborted();
    return runWithin([lost.signal], null, () => Promise.resolve(question()));
  }

  const copier: Copier = {
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
      const query = sql.unsafe(text) as Query, refused = rejectionOf(query);
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
        await runUnlessLost(() => Promise.race([pipeline(source, stream, { signal: lost.signal }), refused]));
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
  const { text, params } = sessionQuery({ ...SETTINGS, ...settings }, address.options);
  const late = () => new ConnectionLost(new Error(`The database did not answer within ${CONNECT_LIMIT} ms`));
  try {
    await runWithin([], { ms: CONNECT_LIMIT, createError: late }, () => copier.run(text, params));
    return copier;
  } catch (error) {
    await copier.close();
    throw error;
  }
}

/** What the server says of rows is its own; all else is the connection's end. */
function asConnectionLost(error: unknown): unknown {
  return error instanceof postgres.PostgresError ? error : new ConnectionLost(error);
}

/**
 * Rejects with what the server refuses the rows for. The driver has resolved the query with its stream by then, and what is
 * refused after the last row, such as a row that another table lacks, it tells nobody: the stream would never end.
 */
function rejectionOf(query: Query): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>(), before = query.reject;
  promise.catch(() => {}); // it may come when nobody waits any more
  query.reject = (error) => {
    before.call(query, error);
    reject(error);
  };
  return promise;
}
