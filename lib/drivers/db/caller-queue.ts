/** Queues callers that wait for a connection until they are served, give up or time out. */
import type { Client } from "#lib/drivers/db/client.ts";
import { toDatabaseFault } from "#lib/drivers/db/faults.ts";
import type { ConnectionShares } from "#lib/drivers/db/connection-shares.ts";
import { Fault } from "#lib/base/errors.ts";

interface Waiter {
  readonly user: string | undefined;
  serve(client: Client): void;
  refuse(error: unknown): void;
}

interface CallerQueueOptions {
  readonly shares: ConnectionShares;
  /** How long a caller may wait for a connection, in milliseconds. Null means no limit. */
  readonly waitLimit: number | null;
  /** If the last attempt to open a connection failed, returns its error. Otherwise returns null. */
  readonly failure: () => unknown;
  /** Whether another connection has received an answer from the database since the last failed attempt began. */
  readonly answers: () => boolean;
}

export interface CallerQueue {
  count(): number;
  /** Returns the number of waiting callers whose users have not yet used up their share of the connections. */
  servable(): number;
  /** Returns the next waiting caller whose user has not yet used up its share of the connections. */
  next(): Waiter | undefined;
  wait(signal: AbortSignal | undefined, user: string | undefined): Promise<Client>;
  refuse(error: unknown): void;
}

export function openCallerQueue({ shares, waitLimit, failure, answers }: CallerQueueOptions): CallerQueue {
  const waiting = new Set<Waiter>(); // a Set keeps the order of arrival and removes a caller in constant time

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

/**
 * Returns the fault for a caller that did not get a connection. If the database still answers on other connections, it
 * is reported as busy rather than unreachable.
 */
function connectionFault(failure: unknown, answers: boolean): Fault {
  const fault = failure instanceof Error && toDatabaseFault(failure.cause); // for example "too many connections"
  if (fault instanceof Fault) return fault;
  return failure && !answers
    ? new Fault("unavailable", "database_unavailable", "The database cannot be reached; try again", {
      retryAfter: 2,
      cause: failure,
    })
    : new Fault("unavailable", "database_busy", "All connections to the database are in use; try again", {
      retryAfter: 1,
    });
}
