/**
 * Queues for creations of spokes. No creation is refused because others wait, however many arrive at the same time.
 *
 * Creations of one hub are done one at a time in order of arrival, because they lock the same rows, and each would hold a
 * database connection meanwhile. They wait here without one. All creations together use at most half of the connections:
 * a quarter to find out who calls and about which hub, a quarter to create.
 */
import { networkOf } from "#lib/base/limits/address.ts";
import type { TimeBudget } from "#lib/base/limits/time-budget.ts";
import { type KeyedQueues, openKeyedQueues } from "#lib/base/limits/keyed-queues.ts";
import { Fault } from "#lib/base/errors.ts";
import { backoff, SECOND, sleep } from "#lib/base/time.ts";

/** The waiting of one request. */
export interface CreationQueue {
  /** Finds out who calls. Networks take turns. */
  admit<T>(work: () => Promise<T>): Promise<T>;
  /** Runs the work in its hub's turn. The work must be safe to repeat when it fails. */
  runInHubQueue<T>(hubId: string, work: () => Promise<T>): Promise<T>;
}

interface WaitingRequest {
  readonly ip: string;
  /** Withdraws the request while it waits. */
  readonly signal: AbortSignal;
  /** The request's time; waiting does not count. */
  readonly allowance: TimeBudget;
}

/** Opens the waiting of a request. */
type OpenCreationQueue = (waiting: WaitingRequest) => CreationQueue;

const CONNECTION_FRACTION = 4; // of the pool's connections, for each of the two stages
const BUSY_FAULTS = ["database_busy", "database_locked"]; // faults that mean: others were first, and nothing was done

/** `connections` is the size of the database's pool. */
export function openCreationQueues(connections: number): OpenCreationQueue {
  const slots = Math.max(1, Math.floor(connections / CONNECTION_FRACTION));
  const callers = openKeyedQueues({ slots, perQueue: slots }), hubs = openKeyedQueues({ slots });
  let arrivals = 0;

  return function open({ ip, signal, allowance }) {
    let order: number | undefined;

    async function attempt<T>(queues: KeyedQueues, key: string, work: () => Promise<T>): Promise<T> {
      order ??= ++arrivals;
      const arrival = { order, signal };
      const release = await allowance.runPaused(() => queues.enter(key, arrival));
      try {
        signal.throwIfAborted();
        return await work();
      } finally {
        release();
      }
    }

    async function retryWhileBusy<T>(queues: KeyedQueues, key: string, work: () => Promise<T>): Promise<T> {
      for (let failed = 1;; failed++) {
        try {
          return await attempt(queues, key, work);
        } catch (error) {
          if (!(error instanceof Fault && BUSY_FAULTS.includes(error.code))) throw error;
          allowance.reset();
          const pause = backoff(failed, SECOND / 20, SECOND);
          await allowance.runPaused(() => sleep(pause, signal));
        }
      }
    }

    return {
      admit: (work) => retryWhileBusy(callers, networkOf(ip), work),
      runInHubQueue: (hubId, work) => retryWhileBusy(hubs, hubId, work),
    };
  };
}
