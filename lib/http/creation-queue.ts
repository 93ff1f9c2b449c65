/**
 * Queues requests that create spokes instead of refusing them under load. Requests for the same hub run one at a time,
 * because they lock the same rows. A waiting request holds no database connection. Running requests use at most half of
 * the connections: a quarter to authenticate, a quarter to create.
 */
import { getCallerNetwork } from "#lib/base/limits/address.ts";
import type { TimeBudget } from "#lib/base/limits/time-budget.ts";
import { createKeyedCallLimiter, type KeyedCallLimiter } from "#lib/base/limits/call-limiter.ts";
import { Fault } from "#lib/base/errors.ts";
import { backoffDelay, SECOND, sleep } from "#lib/base/time.ts";

/** The queues in which a request to create a spoke waits. */
export interface CreationQueue {
  /** Waits for a free slot, then runs `work`, which authenticates the request. Networks take turns (round-robin). */
  admit<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` in the hub's queue. Repeats it while the database is busy, so `work` must be safe to repeat. */
  runInHubQueue<T>(hubId: string, work: () => Promise<T>): Promise<T>;
}

interface WaitingRequest {
  readonly ip: string;
  /** When this signal aborts, the request is removed from the queue if it is still waiting. */
  readonly signal: AbortSignal;
  /** The request's time budget, which is paused while the request waits. */
  readonly timeBudget: TimeBudget;
}

type OpenCreationQueue = (waiting: WaitingRequest) => CreationQueue;

const CONNECTION_FRACTION = 4; // each of the two stages uses 1/4 of the connections
const BUSY_FAULTS = ["database_busy", "database_locked"]; // faults after which nothing was changed

/** Creates the queues. `connections` is the maximum number of connections in the database pool. */
export function createCreationQueues(connections: number): OpenCreationQueue {
  const slots = Math.max(1, Math.floor(connections / CONNECTION_FRACTION));
  const callers = createKeyedCallLimiter({ concurrency: slots, perKey: slots });
  const hubs = createKeyedCallLimiter({ concurrency: slots });

  return function open({ ip, signal, timeBudget }) {
    async function attempt<T>(limiter: KeyedCallLimiter, key: string, isRetry: boolean, work: () => Promise<T>) {
      const endTurn = await timeBudget.runPaused(() => limiter.enter(key, { signal, isRetry }));
      try {
        signal.throwIfAborted();
        return await work();
      } finally {
        endTurn();
      }
    }

    async function retryWhileBusy<T>(limiter: KeyedCallLimiter, key: string, work: () => Promise<T>): Promise<T> {
      for (let failed = 0;;) {
        try {
          return await attempt(limiter, key, failed > 0, work);
        } catch (error) {
          if (!(error instanceof Fault && BUSY_FAULTS.includes(error.code))) throw error;
          timeBudget.reset();
          const pause = backoffDelay(++failed, SECOND / 20, SECOND);
          await timeBudget.runPaused(() => sleep(pause, signal));
        }
      }
    }

    return {
      admit: (work) => retryWhileBusy(callers, getCallerNetwork(ip), work),
      runInHubQueue: (hubId, work) => retryWhileBusy(hubs, hubId, work),
    };
  };
}
