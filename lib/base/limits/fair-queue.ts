/**
 * Provides a bounded queue that is fair between callers: the caller with the lowest recent count is next. If the queue
 * is full, the heaviest caller loses its newest entry to a lighter caller. The weight is the sum of recent and waiting
 * entries. So one caller can neither fill the queue nor delay the others.
 */
import type { Fault } from "#lib/base/errors.ts";

/** 19 */
export interface QueueEntry {
  /** The network or user ID that the entry counts for. */
  readonly caller: string;
  /** Withdraws the entry when the signal aborts. */
  readonly signal?: AbortSignal | undefined;
}

interface FairQueueOptions<T extends QueueEntry> {
  readonly capacity: number;
  /** Returns the recent count of the entry's caller. */
  readonly recentCount: (entry: T) => number;
  /** Returns the fault for an entry that the full queue rejects. */
  readonly refusal: () => Fault;
}

interface FairQueue<T extends QueueEntry> {
  /** Resolves when `serveNext` selects the entry. Rejects with the refusal, or with the signal's reason. */
  wait(entry: T): Promise<void>;
  /** Serves the next entry that `accepts` allows, and returns it. */
  serveNext(accepts?: (entry: T) => boolean): T | undefined;
}

interface Waiter<T> {
  readonly entry: T;
  serve(): void;
  refuse(reason: unknown): void;
}

export function openFairQueue<T extends QueueEntry>(
  { capacity, recentCount, refusal }: FairQueueOptions<T>,
): FairQueue<T> {
  const waiting = new Set<Waiter<T>>(); // in order of arrival

  /** Evicts the newest entry of the heaviest caller. Throws the refusal if no caller is heavier than the newcomer. */
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
