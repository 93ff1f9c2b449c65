/**
 * Places to wait in for a turn, shared fairly: the caller with the fewest turns behind it is next.
 *
 * When all places are taken, the caller with the most turns, behind it and waiting, gives up its youngest place to a
 * newcomer with fewer. So one caller with many requests neither fills the places nor keeps others waiting.
 */
import type { Fault } from "#lib/base/errors.ts";

/** Who wants a turn. */
export interface Turn {
  /** Requests that count as one caller's: the name of a network, or a user's id. */
  readonly whose: string;
  /** Ends the waiting when the request ends. */
  readonly signal?: AbortSignal | undefined;
}

interface TurnsOptions<T extends Turn> {
  readonly places: number;
  /** How many turns the caller has had of late. */
  readonly past: (turn: T) => number;
  /** What a caller without a place is told. */
  readonly refusal: () => Fault;
}

interface Turns<T extends Turn> {
  /** Resolves when `next` gives the turn. Rejects with the refusal, or with the signal's reason. */
  wait(turn: T): Promise<void>;
  /** Gives the next of these their turn, and returns it. */
  next(among?: (turn: T) => boolean): T | undefined;
}

interface Waiter<T> {
  readonly turn: T;
  serve(): void;
  refuse(reason: unknown): void;
}

export function openTurns<T extends Turn>({ places, past, refusal }: TurnsOptions<T>): Turns<T> {
  const waiting = new Set<Waiter<T>>(); // in the order of arrival

  /** Throws the refusal where nobody has more turns than the newcomer would have. */
  function makeRoom(newcomer: T): void {
    if (waiting.size < places) return;
    const counts = Map.groupBy(waiting, ({ turn }) => turn.whose);
    const weigh = (turn: T) => past(turn) + (counts.get(turn.whose)?.length ?? 0);
    let heaviest: Waiter<T> | undefined, most = weigh(newcomer) + 2;
    for (const waiter of waiting) {
      const weight = weigh(waiter.turn);
      if (weight >= most) [heaviest, most] = [waiter, weight];
    }
    if (!heaviest) throw refusal();
    heaviest.refuse(refusal());
  }

  return {
    async wait(turn) {
      const { signal } = turn;
      signal?.throwIfAborted();
      makeRoom(turn);
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          waiting.delete(waiter);
          signal?.removeEventListener("abort", onAbort);
        };
        const waiter: Waiter<T> = {
          turn,
          serve: () => (leave(), resolve()),
          refuse: (reason) => (leave(), reject(reason)),
        };
        const onAbort = () => waiter.refuse(signal!.reason);
        signal?.addEventListener("abort", onAbort, { once: true });
        waiting.add(waiter);
      });
    },
    next(among = () => true) {
      let best: Waiter<T> | undefined, least = Infinity;
      for (const waiter of waiting) {
        const turns = among(waiter.turn) ? past(waiter.turn) : Infinity;
        if (turns < least) [best, least] = [waiter, turns];
      }
      best?.serve();
      return best?.turn;
    },
  };
}
