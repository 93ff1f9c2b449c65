/** A line of waiting work, in order of arrival. Any of it can be withdrawn while it waits. */

interface Waiter {
  readonly order: number;
  serve(): void;
}

export interface WaitQueue {
  readonly length: number;
  /** Resolves when `serve` chooses it. Rejects with the signal's reason when that aborts first. */
  enqueue(order: number, signal?: AbortSignal): Promise<void>;
  /** Serves the waiter with the lowest order. Returns false where nobody waits. */
  serveNext(): boolean;
}

export function openWaitQueue(): WaitQueue {
  const waiting: Waiter[] = []; // by order

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
