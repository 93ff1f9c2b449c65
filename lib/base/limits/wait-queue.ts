/** Provides a queue of tasks that are ordered by a number. Waiting tasks can be withdrawn. */

interface Waiter {
  readonly order: number;
  serve(): void;
}

export interface WaitQueue {
  readonly length: number;
  /** Resolves when `serveNext` selects the task. Rejects with the signal's reason if the signal aborts first. */
  enqueue(order: number, signal?: AbortSignal): Promise<void>;
  /** Serves the waiting task with the lowest `order`. Returns false if the queue is empty. */
  serveNext(): boolean;
}

export function createWaitQueue(): WaitQueue {
  const waiting: Waiter[] = []; // sorted by order

  function insert(waiter: Waiter): void {
    let at = waiting.length;
    while (at > 0 && waiting[at - 1]!.order > waiter.order) at--;
    waiting.splice(at, 0, waiter);
  }

  return {
    get length() {
      return waiting.length;
    },
    enqueue(order, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const onAbort = () => {
          waiting.splice(waiting.indexOf(waiter), 1);
          reject(signal!.reason);
        };
        const waiter: Waiter = {
          order,
          serve() {
            signal?.removeEventListener("abort", onAbort);
            resolve();
          },
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        insert(waiter);
      });
    },
    serveNext() {
      const next = waiting.shift();
      next?.serve();
      return next !== undefined;
    },
  };
}
