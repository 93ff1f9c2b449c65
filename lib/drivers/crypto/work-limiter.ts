/** Limits how many tasks run at the same time, and how many may wait. Callers are served fairly (fair-queue.ts). */
import { Fault } from "#lib/base/errors.ts";
import { createExpiringCounter } from "#lib/base/limits/expiring-counter.ts";
import { createFairQueue, type QueueEntry } from "#lib/base/limits/fair-queue.ts";
import { MINUTE } from "#lib/base/time.ts";

export type WorkLimiter = <T>(entry: QueueEntry, work: () => Promise<T>) => Promise<T>;

/** Creates a limiter. If more than `maxWaiting` calls wait, the busiest caller gets the fault `busy` (503). */
export function openWorkLimiter(concurrency: number, maxWaiting: number): WorkLimiter {
  const recentCounts = createExpiringCounter({ span: MINUTE });
  const queue = createFairQueue({
    capacity: maxWaiting,
    recentCount: ({ caller: id }) => recentCounts.count(id),
    refusal: busyFault,
  });
  let running = 0;

  /** Passes the free slot to the next waiting call, so that a new call cannot overtake it. */
  function releaseSlot(): void {
    const next = queue.serveNext();
    if (next) recentCounts.add(next.caller);
    else running--;
  }

  return async function runLimited(entry, work) {
    if (running >= concurrency) await queue.wait(entry);
    else {
      running++;
      recentCounts.add(entry.caller);
    }
    try {
      return await work();
    } finally {
      releaseSlot();
    }
  };
}

function busyFault(): Fault {
  return new Fault("unavailable", "busy", "The server is busy; try again", { retryAfter: 2 });
}
