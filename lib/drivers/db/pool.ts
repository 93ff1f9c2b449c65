/**
 * A pool of single-use clients (client.ts says why ours, and why single-use).
 *
 * Callers are served in the order in which they came, but for those of a user who has many connections (shares.ts).
 * While the database is away they wait, for two seconds at most, and connections are tried anew; so a restart of
 * PostgreSQL costs those seconds and no error page. A pool without that limit is for work that nobody waits for with a
 * request.
 */
import { type Client, openClient, type QueryOptions, type Result } from "#lib/drivers/db/client.ts";
import { asFault, isReadOnly } from "#lib/drivers/db/faults.ts";
import { openShares } from "#lib/drivers/db/shares.ts";
import { Fault } from "#lib/base/errors.ts";
import { backoff, MINUTE, SECOND } from "#lib/base/time.ts";

export interface PoolOptions {
  readonly url: string;
  readonly name: string;
  readonly size: number;
  readonly settings: Readonly<Record<string, string>>;
  /** Milliseconds that a caller waits for a connection; null is as long as it takes. */
  readonly waitLimit?: number | null;
}

/** A connection for one caller. After `release` it refuses, whoever still holds it. */
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

interface Waiter {
  readonly user: string | undefined;
  serve(client: Client): void;
  refuse(error: unknown): void;
}

const WAIT_LIMIT = 2 * SECOND;
const CLOSE_LIMIT = 2 * SECOND;
// A connection that nobody used for a while may be gone without a word (a failover, a firewall that forgot it).
const TRUSTED = 10 * SECOND;
const PROBE_LIMIT = SECOND;
// A session collects prepared statements and memory; a younger one starts without. Spread, so that they do not end together.
const LIFETIME = () => (20 + 20 * Math.random()) * MINUTE;
// One to a server that only reads serves readers, and soon another is tried: the address may lead to a primary again.
const READ_ONLY_LIFETIME = SECOND;

export function openPool(options: PoolOptions): Pool {
  const idle: Client[] = [];
  const waiting = new Set<Waiter>(); // a Set keeps the order of arrival, and lets go of any in one step
  const clients = new Set<Client>(), shares = openShares(options.size);
  const retireAt = new Map<Client, number>();
  const idleSince = new Map<Client, number>();
  let connecting = 0;
  let failures = 0; // connections that failed in a row
  let failure: unknown = null; // of the last one
  let retry: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  let onQuiet: (() => void) | null = null;
  const leaving = new Set<Promise<void>>();

  /** Opens as many connections as callers wait for, within the size. */
  function grow(): void {
    if (closed || retry) return;
    const wanted = [...waiting].filter(({ user }) => shares.mayTake(user)).length;
    while (connecting < wanted && clients.size + connecting < options.size) {
      connecting++;
      open().catch((error) => {
        failure = error;
        failures++;
        retry ??= setTimeout(() => (retry = undefined, grow()), backoff(failures, 50, SECOND / 2));
      }).finally(() => {
        connecting--;
        grow();
      });
    }
  }

  async function open(): Promise<void> {
    const { url, name, settings } = options;
    let client: Client | null = null;
    const onDead = () => {
      if (!client) return;
      if (isReadOnly(client.dead) && !client.readOnly) suspect();
      forget(client);
    };
    client = await openClient({ url, name, settings, connectLimit: options.waitLimit ?? WAIT_LIMIT, onDead });
    failures = 0;
    failure = null;
    clients.add(client);
    retireAt.set(client, performance.now() + (client.readOnly ? READ_ONLY_LIFETIME : LIFETIME()));
    if (client.dead) forget(client);
    else give(client);
  }

  /** What was a primary takes no writes any more, and the others were opened to the same one: none is used again. */
  function suspect(): void {
    for (const client of clients) if (!client.readOnly) retireAt.set(client, 0);
  }

  function isOver(client: Client): boolean {
    return performance.now() > (retireAt.get(client) ?? 0);
  }

  function forget(client: Client): void {
    clients.delete(client);
    retireAt.delete(client);
    idleSince.delete(client);
    const at = idle.indexOf(client);
    if (at >= 0) idle.splice(at, 1);
    grow();
    if (clients.size === 0) onQuiet?.();
  }

  function give(client: Client): void {
    idleSince.set(client, performance.now());
    idle.push(client);
    serve();
  }

  /** Gives what is idle to those who wait and may have it. */
  function serve(): void {
    for (const client of idle.filter((one) => closed || isOver(one))) retire(client);
    for (let waiter = shares.next(waiting); waiter && idle.length > 0; waiter = shares.next(waiting)) {
      waiter.serve(idle.pop()!);
    }
  }

  function retire(client: Client): void {
    const left = client.close().catch((error) => client.kill(error)).finally(() => leaving.delete(left));
    leaving.add(left);
    forget(client);
  }

  function lease(client: Client, user: string | undefined): Lease {
    let over = false;
    return {
      pid: client.pid,
      get dead() {
        return client.dead;
      },
      query(text, params, how) {
        if (over) return Promise.reject(new Error("This connection was given back, it cannot be used any more"));
        return client.query(text, params, how);
      },
      release(spoiled) {
        if (over) return;
        over = true;
        shares.give(user);
        if (spoiled !== undefined) client.kill(spoiled);
        if (!client.dead) return give(client);
        serve(); // who waited for a share
        grow();
      },
    };
  }

  async function take(signal: AbortSignal | undefined, user: string | undefined): Promise<Client> {
    signal?.throwIfAborted();
    // Decided before the first await, so that nobody overtakes: an idle connection is free only when nobody waits for it.
    for (const client of idle.filter(isOver)) retire(client);
    const client = shares.mayTake(user) && !shares.next(waiting) ? idle.pop() : undefined;
    if (!client) return await wait(signal, user);
    shares.take(user);
    if (performance.now() - idleSince.get(client)! < TRUSTED) return client;
    const answered = await client.query("select 1", [], { limit: PROBE_LIMIT }).catch(() => null);
    if (answered) return client;
    shares.give(user);
    serve();
    return await take(signal, user);
  }

  function wait(signal: AbortSignal | undefined, user: string | undefined): Promise<Client> {
    if (closed) return Promise.reject(shutDown()); // meanwhile
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const waiter: Waiter = {
        user,
        serve: (client) => (leave(), shares.take(user), resolve(client)),
        refuse: (error) => (leave(), reject(error)),
      };
      const onAbort = () => waiter.refuse(signal!.reason);
      const { waitLimit = WAIT_LIMIT } = options;
      const timer = waitLimit === null ? undefined : setTimeout(() => waiter.refuse(noConnection(failure)), waitLimit);
      signal?.addEventListener("abort", onAbort, { once: true });
      waiting.add(waiter);
      grow();
    });
  }

  return {
    async acquire(signal, user) {
      if (closed) throw shutDown();
      return lease(await take(signal, user), user);
    },
    stats: () => ({ size: options.size, open: clients.size, idle: idle.length, waiting: waiting.size }),
    async close() {
      if (closed) return;
      closed = true;
      clearTimeout(retry);
      const shut = shutDown();
      for (const waiter of waiting) waiter.refuse(shut);
      const quiet = new Promise<void>((resolve) => onQuiet = resolve);
      for (const client of idle.splice(0)) retire(client);
      const timer = setTimeout(() => clients.forEach((client) => client.kill(shut)), CLOSE_LIMIT);
      if (clients.size > 0) await quiet;
      clearTimeout(timer);
      await Promise.all(leaving);
    },
  };
}

function shutDown(): Fault {
  return new Fault("unavailable", "database_closed", "The service is shutting down", { retryAfter: 5 });
}

function noConnection(failure: unknown): Fault {
  const told = failure instanceof Error && asFault(failure.cause); // too many connections are another thing
  if (told instanceof Fault) return told;
  return failure
    ? new Fault("unavailable", "database_unavailable", "The database cannot be reached; try again", {
      retryAfter: 2,
      cause: failure,
    })
    : new Fault("unavailable", "database_busy", "All connections to the database are in use; try again", {
      retryAfter: 1,
    });
}
