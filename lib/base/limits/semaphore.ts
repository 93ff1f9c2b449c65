/** Provides a semaphore whose waiters are served in order of arrival. */
import { runCancellable } from "#lib/base/cancellation.ts";

export interface Semaphore {
  /** Waits for a free slot and runs `work`. Rejects without running `work` if a signal aborts first. */
  run<T>(signals: readonly AbortSignal[], work: () => Promise<T>): Promise<T>;
}

export function createSemaphore(count: number): Semaphore {
  let free = count;
  const waiting = new Set<() => void>();

  function release(): void {
    const [next] = waiting;
    if (!next) return void free++;
    waiting.delete(next);
    next();
  }

  async function wait(signals: readonly AbortSignal[]): Promise<void> {
    const { promise: served, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    try {
      await runCancellable(signals, null, () => served);
    } catch (error) {
      if (!waiting.delete(resolve)) release(); // the signal aborted just after this caller got the slot
      throw error;
    }
  }

  return {
    async run(signals, work) {
      for (const signal of signals) signal.throwIfAborted();
      if (free > 0) free--;
      else await wait(signals);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
