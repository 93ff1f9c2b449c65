/** A gate: so much work at once, so much waiting for its turn, and a refusal for the rest. Callers take turns (turns.ts). */
import { Fault } from "#lib/base/errors.ts";
import { openExpiringCounter } from "#lib/base/limits/expiring-counter.ts";
import { openFairQueue, type QueueEntry } from "#lib/base/limits/fair-queue.ts";
import { MINUTE } from "#lib/base/time.ts";

export type WorkLimiter = <T>(turn: QueueEntry, work: () => Promise<T>) => Promise<T>;

/**
 * Throws Fault unavailable `busy` (503) when `places` requests wait already, and no caller has had more turns than this
 * one.
 */
export function openWorkLimiter(concurrency: number, maxWaiting: number): WorkLimiter {
  const past = openExpiringCounter({ span: MINUTE });
  const turns = openFairQueue({
    capacity: maxWaiting,
    recentCount: ({ caller: whose }) => past.count(whose),
    refusal: busyFault,
  });
  let running = 0;

  /** A place is handed on rather than freed, so that nobody who comes later takes it before those who wait. */
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
