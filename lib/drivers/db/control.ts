/**
 * Opens the control connection: a client outside the pool, for LISTEN and heartbeats. A network failure can end LISTEN
 * silently, so the connection is probed every two seconds and replaced if the server does not answer. After a
 * replacement, listeners are called with null, because notifications may have been lost.
 */
import { type DatabaseClient, openDatabaseClient, type StatementResult } from "#lib/drivers/db/client.ts";
import { ConnectionLost, createReadOnlyFault } from "#lib/drivers/db/faults.ts";
import type { DatabaseSource } from "#lib/base/database-address.ts";
import type { Log } from "#lib/base/log.ts";
import { backoffDelay, SECOND, sleep } from "#lib/base/time.ts";

interface ControlOptions {
  readonly url: DatabaseSource;
  readonly name: string;
  readonly channel: string;
  readonly log: Log;
  /** The interval between two probes of the connection, in milliseconds. */
  readonly probeEvery?: number;
  /** The time limit for each answer from the server, in milliseconds. */
  readonly answerLimit?: number;
  /** Called with the payload of each notification, and with null when notifications may have been lost. */
  readonly onNotify: (payload: string | null) => void;
}

interface OpenControl {
  /** The ID of the server process that handles this connection. Null while disconnected. */
  readonly pid: number | null;
  query(text: string, params?: readonly unknown[]): Promise<StatementResult>;
  /** Resolves when the connection is open and LISTEN has succeeded. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export function openControlConnection(options: ControlOptions): OpenControl {
  const limit = options.answerLimit ?? 2 * SECOND;
  const end = new AbortController();
  let client: DatabaseClient | null = null;
  let answeredAt = 0;
  let down = false, failure: unknown = null; // whether the last connection failed, and with which error
  let ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {}); // avoids an unhandled rejection when nothing waits for the promise
  const ended = run();

  async function run(): Promise<void> {
    for (let attempt = 1; !end.signal.aborted; attempt++) {
      try {
        const died = Promise.withResolvers<void>();
        client = await connect(died.resolve);
        if (down) options.log.info("The control connection to the database is open again");
        down = false;
        attempt = 0;
        options.onNotify(null);
        ready.resolve();
        await Promise.race([died.promise, probeRegularly(client)]);
        if (!end.signal.aborted) throw client.dead ?? new Error("The control connection ended");
      } catch (error) {
        if (end.signal.aborted) break;
        failure = error;
        if (client) ready = newReady();
        client?.kill(error);
        client = null;
        // Logs only the first failure as a warning, and repeated failures at debug level.
        options.log[down ? "debug" : "warn"]("Lost the control connection to the database; reconnecting", { error });
        down = true;
        await sleep(backoffDelay(attempt + 1, 100, 2 * SECOND), end.signal).catch(() => {});
      }
    }
    ready.reject(new ConnectionLost(new Error("The control connection was closed")));
    await client?.close().catch(() => {});
    client = null;
  }

  async function connect(onDead: () => void): Promise<DatabaseClient> {
    const fresh = await openDatabaseClient({
      url: options.url,
      name: options.name,
      settings: { statement_timeout: String(limit), lock_timeout: String(limit) },
      connectLimit: limit,
      onNotify: (channel, payload) => channel === options.channel && options.onNotify(payload),
      onDead,
    });
    try {
      if (fresh.readOnly) throw createReadOnlyFault(); // heartbeats need writes, and a standby sends no notifications
      await fresh.query(`listen ${options.channel}`, [], { limit });
      answeredAt = performance.now();
      return fresh;
    } catch (error) {
      fresh.kill(error);
      throw error;
    }
  }

  /** Probes the client regularly until it is unusable. An answered heartbeat counts as a probe. */
  async function probeRegularly(target: DatabaseClient): Promise<void> {
    const every = options.probeEvery ?? 2 * SECOND;
    while (!target.dead && !end.signal.aborted) {
      const left = answeredAt + every - performance.now();
      if (left > 0) await sleep(left, end.signal).catch(() => {});
      else await send(target, "select 1", []);
    }
  }

  async function send(target: DatabaseClient, text: string, params: readonly unknown[]): Promise<StatementResult> {
    const result = await target.query(text, params, { limit });
    answeredAt = performance.now();
    return result;
  }

  function newReady(): typeof ready {
    const next = Promise.withResolvers<void>();
    next.promise.catch(() => {});
    return next;
  }

  return {
    get pid() {
      return client?.pid ?? null;
    },
    async query(text, params = []) {
      if (!client) throw new ConnectionLost(failure ?? new Error("The control connection is down"));
      return await send(client, text, params);
    },
    ready: () => ready.promise,
    async close() {
      end.abort();
      await ended;
    },
  };
}
