/** Callers who wait for a connection: each until it is served, goes away, or has waited for too long. */
import type { Client } from "#lib/drivers/db/client.ts";
import { asFault } from "#lib/drivers/db/faults.ts";
import type { ConnectionShares } from "#lib/drivers/db/connection-shares.ts";
import { Fault } from "#lib/base/errors.ts";

interface Waiter {
  readonly user: string | undefined;
  serve(client: Client): void;
  refuse(error: unknown): void;
}

interface CallerQueueOptions {
  readonly shares: ConnectionShares;
  /** Milliseconds; null is as long as it takes. */
  readonly waitLimit: number | null;
  /** Why the last connection could not be opened, or null. */
  readonly failure: () => unknown;
  /** Whether the database has answered over another connection since that attempt began. */
  readonly answers: () => boolean;
}

export interface CallerQueue {
  count(): number;
  /** How many may have a connection, each within the share of its user. */
  servable(): number;
  /** Who is to be served next, if anybody may be. */
  next(): Waiter | undefined;
  wait(signal: AbortSignal | undefined, user: string | undefined): Promise<Client>;
  refuse(error: unknown): void;
}

export function openCallerQueue({ shares, waitLimit, failure, answers }: CallerQueueOptions): CallerQueue {
  const waiting = new Set<Waiter>(); // a Set keeps the order of arrival, and lets go of any in one step

  return {
    count: () => waiting.size,
    servable: () => [...waiting].filter(({ user }) => shares.mayTake(user)).length,
    next: () => shares.next(waiting),
    wait: (signal, user) =>
      new Promise((resolve, reject) => {
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
        const onLate = () => waiter.refuse(connectionFault(failure(), answers()));
        const timer = waitLimit === null ? undefined : setTimeout(onLate, waitLimit);
        signal?.addEventListener("abort", onAbort, { once: true });
        waiting.add(waiter);
      }),
    refuse(error) {
      for (const waiter of waiting) waiter.refuse(error);
    },
  };
}

/** A database that answers others can be reached: it is only slow to take one more connection. */
function connectionFault(failure: unknown, answers: boolean): Fault {
  const told = failure instanceof Error && asFault(failure.cause); // too many connections are another thing
  if (told instanceof Fault) return told;
  return failure && !answers
    ? new Fault("unavailable", "database_unavailable", "The database cannot be reached; try again", {
      retryAfter: 2,
      cause: failure,
    })
    : new Fault("unavailable", "database_busy", "All connections to the database are in use; try again", {
      retryAfter: 1,
    });
}
