/**
 * The control connection: one client apart from the pool, for LISTEN and for heartbeats.
 *
 * A LISTEN dies with its connection, and silently: nothing says that it is gone when a peer freezes or a network
 * swallows packets. So the connection is asked every two seconds whether it answers, is thrown away when it does not,
 * and after each replacement all listeners are told that they may have missed something.
 */
import { type Client, openClient, type Result } from "#lib/drivers/db/client.ts";
import { ConnectionLost, readOnlyFault } from "#lib/drivers/db/faults.ts";
import type { DatabaseSource } from "#lib/base/database-address.ts";
import type { Log } from "#lib/base/log.ts";
import { backoff, SECOND, sleep } from "#lib/base/time.ts";

interface ControlOptions {
  readonly url: DatabaseSource;
  readonly name: string;
  readonly channel: string;
  readonly log: Log;
  /** Milliseconds between two looks at whether the connection answers, and until it counts as dead. */
  readonly probeEvery?: number;
  readonly answerLimit?: number;
  /** Told what was notified, and null when something may have been missed. */
  readonly onNotify: (payload: string | null) => void;
}

interface OpenControl {
  /** The pid of its server process; null while there is no connection. */
  readonly pid: number | null;
  query(text: string, params?: readonly unknown[]): Promise<Result>;
  /** Settles when there is a connection, and it listens. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export function openControl(options: ControlOptions): OpenControl {
  const limit = options.answerLimit ?? 2 * SECOND;
  const end = new AbortController();
  let client: Client | null = null;
  let answeredAt = 0;
  let down = false, failure: unknown = null; // of the last connection
  let ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {}); // nobody need be waiting
  const ended = run();

  async function run(): Promise<void> {
    for (let attempt = 1; !end.signal.aborted; attempt++) {
      try {
        const died = Promise.withResolvers<void>();
        client = await connect(died.resolve);
        if (down) options.log.info("The control connection to the database is up again");
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
        // Said once; what follows would say the same every two seconds until the database is back.
        options.log[down ? "debug" : "warn"]("The control connection to the database is down, replacing it", { error });
        down = true;
        await sleep(backoff(attempt + 1, 100, 2 * SECOND), end.signal).catch(() => {});
      }
    }
    ready.reject(new ConnectionLost(new Error("The control connection was closed")));
    await client?.close().catch(() => {});
    client = null;
  }

  async function connect(onDead: () => void): Promise<Client> {
    const fresh = await openClient({
      url: options.url,
      name: options.name,
      settings: { statement_timeout: String(limit), lock_timeout: String(limit) },
      connectLimit: limit,
      onNotify: (channel, payload) => channel === options.channel && options.onNotify(payload),
      onDead,
    });
    try {
      if (fresh.readOnly) throw readOnlyFault(); // nothing can be beaten there, and a standby notifies nobody
      await fresh.query(`listen ${options.channel}`, [], { limit });
      answeredAt = performance.now();
      return fresh;
    } catch (error) {
      fresh.kill(error);
      throw error;
    }
  }

  /** Ends when the client does. A heartbeat that was answered is a look saved. */
  async function probeRegularly(asked: Client): Promise<void> {
    const every = options.probeEvery ?? 2 * SECOND;
    while (!asked.dead && !end.signal.aborted) {
      const left = answeredAt + every - performance.now();
      if (left > 0) await sleep(left, end.signal).catch(() => {});
      else await send(asked, "select 1", []);
    }
  }

  async function send(asked: Client, text: string, params: readonly unknown[]): Promise<Result> {
    const result = await asked.query(text, params, { limit });
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
