/** Limits concurrent work and the queue for it, and refuses the rest. Callers take turns (fair-queue.ts). */
import { Fault } from "#lib/base/errors.ts";
import { openExpiringCounter } from "#lib/base/limits/expiring-counter.ts";
import { openFairQueue, type QueueEntry } from "#lib/base/limits/fair-queue.ts";
import { MINUTE } from "#lib/base/time.ts";

export type WorkLimiter = <T>(turn: QueueEntry, work: () => Promise<T>) => Promise<T>;

/**
 * Opens a limiter. It throws the fault `busy` (503) when `maxWaiting` calls are queued and no other caller has had more
 * turns than this one.
 */
export function openWorkLimiter(concurrency: number, maxWaiting: number): WorkLimiter {
  const past = openExpiringCounter({ span: MINUTE });
  const turns = openFairQueue({
    capacity: maxWaiting,
    recentCount: ({ caller: whose }) => past.count(whose),
    refusal: busyFault,
  });
  let running = 0;

  /** Passes the free slot to the next waiting call, so that new calls cannot overtake it. */
  function leave(): void {
    const next = turns.serveNext();
    if (next) past.add(next.caller);
    else running--;
  }

  return async function through(turn, work) {
    if (running >= concurrency) await turns.wait(turn);
    else {
      running++;
      past.add(turn.caller);
    }
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

function busyFault(): Fault {
  return new Fault("unavailable", "busy", "The server is busy; try again", { retryAfter: 2 });
}
