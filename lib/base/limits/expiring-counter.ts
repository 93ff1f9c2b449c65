/**
 * Counts by key that are forgotten in time: each is kept for one to two spans. Bounded in size, because anybody can make
 * it grow.
 */

interface ExpiringCounter {
  count(key: string): number;
  add(key: string): void;
  forget(key: string): void;
}

interface ExpiringCounterOptions {
  /** Milliseconds. */
  readonly span: number;
  /** Keys that one span may add; with more it ends early. */
  readonly capacity?: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
}

export function openExpiringCounter(
  { span, capacity = 10_000, now = () => performance.now() }: ExpiringCounterOptions,
): ExpiringCounter {
  let current = new Map<string, number>(), previous = new Map<string, number>(), since = now();

  function rotate(): void {
    const passed = now() - since;
    if (passed < span && current.size < capacity) return;
    previous = passed < 2 * span ? current : new Map();
    current = new Map();
    since = now();
  }

  return {
    count(key) {
      rotate();
      return (current.get(key) ?? 0) + (previous.get(key) ?? 0);
    },
    add(key) {
      rotate();
      current.set(key, (current.get(key) ?? 0) + 1);
    },
    forget(key) {
      current.delete(key);
      previous.delete(key);
    },
  };
}
