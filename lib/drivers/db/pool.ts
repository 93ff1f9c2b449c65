/**
 * A pool of single-use clients (client.ts says why ours, and why single-use).
 *
 * Callers are served in the order in which they came, but for those of a user who has many connections (shares.ts).
 * While the database is away they wait, for two seconds at most, and connections are tried anew; so a restart of
 * PostgreSQL costs those seconds and no error page. A pool without that limit is for work that nobody waits for with a
 * request.
 */
import { openCallerQueue } from "#lib/drivers/db/caller-queue.ts";
import { type Client, openClient, type QueryOptions, type Result } from "#lib/drivers/db/client.ts";
import { isReadOnly } from "#lib/drivers/db/faults.ts";
import { openConnectionShares } from "#lib/drivers/db/connection-shares.ts";
import { openPooledConnections } from "#lib/drivers/db/pooled-connections.ts";
import type { DatabaseSource } from "#lib/base/database-address.ts";
import { Fault } from "#lib/base/errors.ts";
import { backoff, SECOND } from "#lib/base/time.ts";

export interface PoolOptions {
  readonly url: DatabaseSource;
  readonly name: string;
  readonly size: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Milliseconds that a caller waits for a connection; null is as long as it takes. */
  readonly waitLimit?: number | null;
}

/** A connection for one caller. After `release` it refuses, no matter who still holds it. */
export interface Lease {
  readonly pid: number;
  /** Why the connection can no longer be used, or null while it can. */
  readonly dead: Error | null;
  query(text: string, params: readonly unknown[], options: QueryOptions): Promise<Result>;
  /** Gives the connection back; with a reason it is cut instead, because its session is not what it was. */
  release(spoiled?: unknown): void;
}

export interface Pool {
  /** `user` is whose request it is for, if anybody's. */
  acquire(signal?: AbortSignal, user?: string): Promise<Lease>;
  stats(): { size: number; open: number; idle: number; waiting: number };
  close(): Promise<void>;
}

const WAIT_LIMIT = 2 * SECOND;
const PROBE_LIMIT = SECOND;

export function openPool(options: PoolOptions): Pool {
  const { url, name, settings, size, waitLimit = WAIT_LIMIT } = options;
  const shares = openConnectionShares(size), stock = openPooledConnections(grow);
  const callers = openCallerQueue({ shares, waitLimit, failure: () => failure, answers: () => answeredAt > failedAt });
  let connecting = 0;
  let failures = 0; // connections that failed in a row
  let failure: unknown = null; // of the last one
  let failedAt = -Infinity; // when the last one that failed began
  let answeredAt = -Infinity; // the last answer over any connection
  let retry: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  /** Opens as many connections as callers wait for, within the size. */
  function grow(): void {
    if (closed || retry) return;
    const wanted = callers.servable();
    while (connecting < wanted && stock.count().open + connecting < size) {
      connecting++;
      const began = performance.now();
      open().catch((error) => {
        failure = error;
        failedAt = began;
        failures++;
        retry ??= setTimeout(() => (retry = undefined, grow()), backoff(failures, 50, SECOND / 2));
      }).finally(() => {
        connecting--;
        grow();
      });
    }
  }

  async function open(): Promise<void> {
    let client: Client | null = null;
    const onDead = () => {
      if (!client) return;
      if (isReadOnly(client.dead) && !client.readOnly) stock.expireWritable();
      stock.forget(client);
    };
    client = await openClient({ url, name, settings, connectLimit: waitLimit ?? WAIT_LIMIT, onDead });
    failures = 0;
    failure = null;
    stock.add(client);
    if (client.dead) stock.forget(client);
    else putIdle(client);
  }

  function putIdle(client: Client): void {
    stock.put(client);
    serve();
  }

  /** Gives what is idle to those who wait and may have it. */
  function serve(): void {
    stock.closeExpired();
    for (let next = callers.next(); next && stock.count().idle > 0; next = callers.next()) next.serve(stock.pop()!);
  }

  function takeBack(client: Client, user: string | undefined): void {
    shares.give(user);
    if (!client.dead) return putIdle(client);
    serve(); // who waited for a share
    grow();
  }

  async function take(signal: AbortSignal | undefined, user: string | undefined): Promise<Client> {
    signal?.throwIfAborted();
    // Decided before the first await, so that nobody overtakes: an idle connection is free only when nobody waits for it.
    stock.closeExpired();
    const client = shares.mayTake(user) && !callers.next() ? stock.pop() : undefined;
    if (!client) return await wait(signal, user);
    shares.take(user);
    if (stock.isTrusted(client)) return client;
    // Cut also where the server has refused that: nobody else would ever take it, and its place would be lost.
    const answered = await client.query("select 1", [], { limit: PROBE_LIMIT }).catch((error) => client.kill(error));
    if (answered) return client;
    shares.give(user);
    serve();
    return await take(signal, user);
  }

  async function wait(signal: AbortSignal | undefined, user: string | undefined): Promise<Client> {
    if (closed) throw shutdownFault(); // meanwhile
    const served = callers.wait(signal, user);
    grow();
    return await served;
  }

  return {
    async acquire(signal, user) {
      if (closed) throw shutdownFault();
      const client = await take(signal, user);
      return lease(client, () => takeBack(client, user), () => answeredAt = performance.now());
    },
    stats: () => ({ size, ...stock.count(), waiting: callers.count() }),
    async close() {
      if (closed) return;
      closed = true;
      clearTimeout(retry);
      const shut = shutdownFault();
      callers.refuse(shut);
      await stock.close(shut);
    },
  };
}

function lease(client: Client, onReleased: () => void, onAnswer: () => void): Lease {
  let released = false;
  return {
    pid: client.pid,
    get dead() {
      return client.dead;
    },
    query(text, params, how) {
      if (released) return Promise.reject(new Error("This connection was released and can no longer be used"));
      const asked = client.query(text, params, how);
      asked.then(onAnswer, () => {});
      return asked;
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
