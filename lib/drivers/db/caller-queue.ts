/** Queues callers until they get a database connection, abort or time out. */
import type { DatabaseClient } from "#lib/drivers/db/client.ts";
import { toDatabaseFault } from "#lib/drivers/db/faults.ts";
import type { ConnectionShares } from "#lib/drivers/db/connection-shares.ts";
import { Fault } from "#lib/base/errors.ts";
import { startPatientTimer } from "#lib/base/patient-timer.ts";

interface Waiter {
  readonly user: string | undefined;
  serve(client: DatabaseClient): void;
  refuse(error: unknown): void;
}

interface CallerQueueOptions {
  readonly shares: ConnectionShares;
  /** How long a caller may wait for a connection, in milliseconds. Null means no limit. */
  readonly waitLimit: number | null;
  /** Returns the error of the last attempt to open a connection, or null if that attempt succeeded. */
  readonly failure: () => unknown;
  /** Returns whether another connection received an answer since this time, which performance.now() returned. */
  readonly answersSince: (start: number) => boolean;
}

export interface CallerQueue {
  count(): number;
  /** Returns the number of waiting callers whose users may take another connection. */
  servable(): number;
  /** Returns the next waiting caller whose user may take another connection. */
  next(): Waiter | undefined;
  wait(signal: AbortSignal | undefined, user: string | undefined): Promise<DatabaseClient>;
  refuse(error: unknown): void;
}

export function openCallerQueue({ shares, waitLimit, failure, answersSince }: CallerQueueOptions): CallerQueue {
  const waiting = new Set<Waiter>(); // a Set keeps the order of arrival and removes a caller in constant time

  return {
    count: () => waiting.size,
    servable: () => [...waiting].filter(({ user }) => shares.mayTake(user)).length,
    next: () => shares.next(waiting),
    wait: (signal, user) =>
      new Promise((resolve, reject) => {
        const leave = () => {
          waiting.delete(waiter);
          stopTimer?.();
          signal?.removeEventListener("abort", onAbort);
        };
        const waiter: Waiter = {
          user,
          serve: (client) => (leave(), shares.take(user), resolve(client)),
          refuse: (error) => (leave(), reject(error)),
        };
        const onAbort = () => waiter.refuse(signal!.reason);
        const start = performance.now();
        const onLate = () => waiter.refuse(connectionFault(failure(), answersSince(start)));
        const stopTimer = waitLimit === null ? undefined : startPatientTimer(waitLimit, onLate);
        signal?.addEventListener("abort", onAbort, { once: true });
        waiting.add(waiter);
      }),
    refuse(error) {
      for (const waiter of waiting) waiter.refuse(error);
    },
  };
}

/**
 * Returns the fault for a caller that did not get a connection. If the database still answers on other connections, the
 * fault says that all connections are in use.
 */
function connectionFault(failure: unknown, answers: boolean): Fault {
  const fault = failure instanceof Error && toDatabaseFault(failure.cause); // a fault such as "too many connections"
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
