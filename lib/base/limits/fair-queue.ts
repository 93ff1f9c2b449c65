/**
 * Places to wait in for a turn, shared fairly: the caller with the fewest turns behind it is next.
 *
 * When all places are taken, the caller with the most turns, behind it and waiting, gives up its youngest place to a
 * newcomer with fewer. So one caller with many requests neither fills the places nor keeps others waiting.
 */
import type { Fault } from "#lib/base/errors.ts";

/** Who wants a turn. */
export interface QueueEntry {
  /** Requests that count as one caller's: the name of a network, or a user's id. */
  readonly caller: string;
  /** Ends the waiting when the request ends. */
  readonly signal?: AbortSignal | undefined;
}

interface FairQueueOptions<T extends QueueEntry> {
  readonly capacity: number;
  /** How many turns the caller has had of late. */
  readonly recentCount: (turn: T) => number;
  /** What a caller without a place is told. */
  readonly refusal: () => Fault;
}

interface FairQueue<T extends QueueEntry> {
  /** Resolves when `next` gives the turn. Rejects with the refusal, or with the signal's reason. */
  wait(turn: T): Promise<void>;
  /** Gives the next of these their turn, and returns it. */
  serveNext(accepts?: (turn: T) => boolean): T | undefined;
}

interface Waiter<T> {
  readonly entry: T;
  serve(): void;
  refuse(reason: unknown): void;
}

export function openFairQueue<T extends QueueEntry>(
  { capacity, recentCount, refusal }: FairQueueOptions<T>,
): FairQueue<T> {
  const waiting = new Set<Waiter<T>>(); // in the order of arrival

  /** Throws the refusal where nobody has more turns than the newcomer would have. */
  function evictHeaviest(newcomer: T): void {
    if (waiting.size < capacity) return;
    const counts = Map.groupBy(waiting, ({ entry: turn }) => turn.caller);
    const weigh = (turn: T) => recentCount(turn) + (counts.get(turn.caller)?.length ?? 0);
    let heaviest: Waiter<T> | undefined, most = weigh(newcomer) + 2;
    for (const waiter of waiting) {
      const weight = weigh(waiter.entry);
      if (weight >= most) [heaviest, most] = [waiter, weight];
    }
    if (!heaviest) throw refusal();
    heaviest.refuse(refusal());
  }

  return {
    async wait(turn) {
      const { signal } = turn;
      signal?.throwIfAborted();
      evictHeaviest(turn);
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.delete(waiter);
          signal?.removeEventListener("abort", onAbort);
        };
        const waiter: Waiter<T> = {
          entry: turn,
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
