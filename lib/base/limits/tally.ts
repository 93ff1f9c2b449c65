/**
 * Counts by key that are forgotten in time: each is kept for one to two spans. Bounded in size, because anybody can make
 * it grow.
 */

interface Tally {
  count(key: string): number;
  add(key: string): void;
  forget(key: string): void;
}

interface TallyOptions {
  /** Milliseconds. */
  readonly span: number;
  /** Keys that one span may add; with more it ends early. */
  readonly capacity?: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
}

export function openTally({ span, capacity = 10_000, now = () => performance.now() }: TallyOptions): Tally {
  let young = new Map<string, number>(), old = new Map<string, number>(), since = now();

  function age(): void {
    const passed = now() - since;
    if (passed < span && young.size < capacity) return;
    old = passed < 2 * span ? young : new Map();
    young = new Map();
    since = now();
  }

  return {
    count(key) {
      age();
      return (young.get(key) ?? 0) + (old.get(key) ?? 0);
    },
    add(key) {
      age();
      young.set(key, (young.get(key) ?? 0) + 1);
    },
    forget(key) {
      young.delete(key);
      old.delete(key);
    },
  };
}
