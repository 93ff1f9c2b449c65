/** A line of waiting work, in order of arrival. Any of it can be withdrawn while it waits. */

interface Waiter {
  readonly order: number;
  serve(): void;
}

export interface WaitingLine {
  readonly length: number;
  /** Resolves when `serve` chooses it. Rejects with the signal's reason when that aborts first. */
  join(order: number, signal?: AbortSignal): Promise<void>;
  /** Serves the waiter with the lowest order. Returns false where nobody waits. */
  serve(): boolean;
}

export function openLine(): WaitingLine {
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
    join(order, signal) {
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
    serve() {
      const next = waiting.shift();
      next?.serve();
      return next !== undefined;
    },
  };
}
