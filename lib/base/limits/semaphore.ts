/** So many at a time: who comes while a place is free has it at once, and all others in the order in which they came. */
import { runWithin } from "#lib/base/cancellation.ts";

export interface Semaphore {
  /** Does the work in a place. Who is called off while it waits for one does not begin. */
  run<T>(signals: readonly AbortSignal[], work: () => Promise<T>): Promise<T>;
}

export function openSemaphore(count: number): Semaphore {
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
      await runWithin(signals, null, () => served);
    } catch (error) {
      if (!waiting.delete(resolve)) release(); // called off in the moment in which it was served
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
