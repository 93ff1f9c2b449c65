/** A gate: so much work at once, so much waiting for its turn, and a refusal for the rest. */
import { Fault } from "#lib/errors.ts";

export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** Throws Fault unavailable `busy` (503) when `waiting` callers wait already. First come, first served. */
export function openGate(atOnce: number, waiting: number): Gate {
  const queue: (() => void)[] = [];
  let running = 0;

  async function enter(): Promise<void> {
    if (running < atOnce) {
      running++;
      return;
    }
    if (queue.length >= waiting) {
      throw new Fault("unavailable", "busy", "Too much is going on at once; try again", { retryAfter: 2 });
    }
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  /** A place is handed on rather than freed, so that nobody who comes later takes it before the first in the queue. */
  function leave(): void {
    const next = queue.shift();
    if (next) next();
    else running--;
  }

  return async function through(work) {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
