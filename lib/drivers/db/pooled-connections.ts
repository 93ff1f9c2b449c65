/** Tracks a pool's connections: which connections are idle, how old they are, and when they are closed. */
import type { DatabaseClient } from "#lib/drivers/db/client.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

const CLOSE_LIMIT = 2 * SECOND;
// A connection that was idle for this long is probed before use: a failover or firewall may have closed it.
const TRUSTED_FOR = 10 * SECOND;
// The lifetime of a session: limited, because sessions accumulate memory, and random, so that few end together.
const LIFETIME = () => (20 + 20 * Math.random()) * MINUTE;
// How long to use a connection to a read-only server. Short, because the host name may soon point to a primary.
const READ_ONLY_LIFETIME = SECOND;

interface PooledConnections {
  count(): { readonly open: number; readonly idle: number };
  add(client: DatabaseClient): void;
  put(client: DatabaseClient): void;
  pop(): DatabaseClient | undefined;
  /** Returns whether the connection was used so recently that it needs no probe. */
  isTrusted(client: DatabaseClient): boolean;
  /** Closes idle connections that are too old, or all idle connections once the pool is closed. */
  closeExpired(): void;
  forget(client: DatabaseClient): void;
  /** Marks all writable connections as too old, because their server has become read-only. */
  expireWritable(): void;
  /** Closes idle connections, waits up to two seconds for busy connections, then closes these with `reason`. */
  close(reason: unknown): Promise<void>;
}

export function openPooledConnections(onForgotten: () => void): PooledConnections {
  const idle: DatabaseClient[] = [];
  const ages = new Map<DatabaseClient, { retireAt: number; idleSince: number }>();
  const closing = new Set<Promise<void>>();
  let closed = false;
  let onQuiet: (() => void) | null = null;

  function forget(client: DatabaseClient): void {
    ages.delete(client);
    const at = idle.indexOf(client);
    if (at >= 0) idle.splice(at, 1);
    onForgotten();
    if (ages.size === 0) onQuiet?.();
  }

  function retire(client: DatabaseClient): void {
    const left = client.close().catch((error) => client.kill(error)).finally(() => closing.delete(left));
    closing.add(left);
    forget(client);
  }

  return {
    count: () => ({ open: ages.size, idle: idle.length }),
    add(client) {
      const now = performance.now();
      ages.set(client, { retireAt: now + (client.readOnly ? READ_ONLY_LIFETIME : LIFETIME()), idleSince: now });
    },
    put(client) {
      ages.get(client)!.idleSince = performance.now();
      idle.push(client);
    },
    pop: () => idle.pop(),
    isTrusted: (client) => performance.now() - ages.get(client)!.idleSince < TRUSTED_FOR,
    closeExpired() {
      const now = performance.now();
      for (const client of idle.filter((one) => closed || now > ages.get(one)!.retireAt)) retire(client);
    },
    forget,
    expireWritable() {
      for (const [client, age] of ages) if (!client.readOnly) age.retireAt = 0;
    },
    async close(reason) {
      closed = true;
      const quiet = new Promise<void>((resolve) => onQuiet = resolve);
      for (const client of idle.splice(0)) retire(client);
      const timer = setTimeout(() => [...ages.keys()].forEach((client) => client.kill(reason)), CLOSE_LIMIT);
      if (ages.size > 0) await quiet;
      clearTimeout(timer);
      await Promise.all(closing);
    },
  };
}
