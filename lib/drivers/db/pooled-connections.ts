/** The connections of a pool: which are idle, how long each may be used, and how all of them end. */
import type { Client } from "#lib/drivers/db/client.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";

const CLOSE_LIMIT = 2 * SECOND;
// A connection that nobody used for a while may be gone without a word (a failover, a firewall that forgot it).
const TRUSTED_FOR = 10 * SECOND;
// A session collects prepared statements and memory; a younger one starts without. Spread, so that they do not end together.
const LIFETIME = () => (20 + 20 * Math.random()) * MINUTE;
// One to a server that only reads serves readers, and soon another is tried: the address may lead to a primary again.
const READ_ONLY_LIFETIME = SECOND;

interface PooledConnections {
  /** How many connections stand, and how many of them nobody uses. */
  count(): { readonly open: number; readonly idle: number };
  add(client: Client): void;
  /** Takes a connection back that nobody uses any more. */
  put(client: Client): void;
  /** Gives an idle connection. */
  pop(): Client | undefined;
  /** Whether the connection was used so lately that it surely stands. */
  isTrusted(client: Client): boolean;
  /** Ends the idle connections whose time is over; all of them once the pool closes. */
  closeExpired(): void;
  forget(client: Client): void;
  /** What was a primary takes no writes any more, and the others were opened to the same one: none is used again. */
  expireWritable(): void;
  /** Ends the idle ones, lets the others be given back for two seconds, and cuts what is left for this reason. */
  close(reason: unknown): Promise<void>;
}

export function openPooledConnections(onForgotten: () => void): PooledConnections {
  const idle: Client[] = [];
  const ages = new Map<Client, { retireAt: number; idleSince: number }>();
  const closing = new Set<Promise<void>>();
  let closed = false;
  let onQuiet: (() => void) | null = null;

  function forget(client: Client): void {
    ages.delete(client);
    const at = idle.indexOf(client);
    if (at >= 0) idle.splice(at, 1);
    onForgotten();
    if (ages.size === 0) onQuiet?.();
  }

  function retire(client: Client): void {
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
