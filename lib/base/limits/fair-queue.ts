/**
 * Provides a bounded queue that is fair between callers: the caller with the fewest recent entries goes next. If the
 * queue is full, the busiest caller, counting recent and waiting entries, loses its newest entry to a less active
 * caller. As a result, no caller can fill the queue or delay the others.
 */
import type { Fault } from "#lib/base/errors.ts";

/** An entry that waits in the queue on behalf of a caller. */
export interface QueueEntry {
  /** The user ID or network that the entry counts towards. */
  readonly caller: string;
  /** When this signal aborts, the entry is removed from the queue. */
  readonly signal?: AbortSignal | undefined;
}

interface FairQueueOptions<T extends QueueEntry> {
  readonly capacity: number;
  /** Returns the number of recent entries by the same caller. */
  readonly recentCount: (entry: T) => number;
  /** Returns the fault to reject an entry with when the queue is full. */
  readonly refusal: () => Fault;
}

interface FairQueue<T extends QueueEntry> {
  /** Resolves when `serveNext` selects the entry. Rejects if the queue is full or the entry's signal aborts. */
  wait(entry: T): Promise<void>;
  /** Selects and returns the next entry for which `accepts` returns true. Returns undefined if no entry qualifies. */
  serveNext(accepts?: (entry: T) => boolean): T | undefined;
}

interface Waiter<T> {
  readonly entry: T;
  serve(): void;
  refuse(reason: unknown): void;
}

export function createFairQueue<T extends QueueEntry>(
  { capacity, recentCount, refusal }: FairQueueOptions<T>,
): FairQueue<T> {
  const waiting = new Set<Waiter<T>>(); // in order of arrival

  /** If the queue is full, evicts the newest entry of the busiest caller. Throws if the newcomer is the busiest. */
  function evictHeaviest(newcomer: T): void {
    if (waiting.size < capacity) return;
    const counts = Map.groupBy(waiting, ({ entry }) => entry.caller);
    const weigh = (entry: T) => recentCount(entry) + (counts.get(entry.caller)?.length ?? 0);
    let heaviest: Waiter<T> | undefined, most = weigh(newcomer) + 2;
    for (const waiter of waiting) {
      const weight = weigh(waiter.entry);
      if (weight >= most) [heaviest, most] = [waiter, weight];
    }
    if (!heaviest) throw refusal();
    heaviest.refuse(refusal());
  }

  return {
    async wait(entry) {
      const { signal } = entry;
      signal?.throwIfAborted();
      evictHeaviest(entry);
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.delete(waiter);
          signal?.removeEventListener("abort", onAbort);
        };
        const waiter: Waiter<T> = {
          entry,
          serve: () => (leave(), resolve()),
          refuse: (reason) => (leave(), reject(reason)),
        };
        const onAbort = () => waiter.refuse(signal!.reason);
        signal?.addEventListener("abort", onAbort, { once: true });
        waiting.add(waiter);
      });
    },
    serveNext(accepts = () => true) {
      let best: Waiter<T> | undefined, least = Infinity;
      for (const waiter of waiting) {
        const turns = accepts(waiter.entry) ? recentCount(waiter.entry) : Infinity;
        if (turns < least) [best, least] = [waiter, turns];
      }
      best?.serve();
      return best?.entry;
    },
  };
}
