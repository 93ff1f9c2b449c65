/** Counts recent events by key. Each event counts for one to two time spans. The number of keys is limited. */

interface ExpiringCounter {
  count(key: string): number;
  add(key: string): void;
  forget(key: string): void;
}

interface ExpiringCounterOptions {
  /** The length of a time span, in milliseconds. */
  readonly span: number;
  /** The maximum number of new keys per time span. When it is exceeded, the next span starts early. */
  readonly capacity?: number;
  /** Returns the current reading of a monotonic clock, in milliseconds. */
  readonly now?: () => number;
}

export function createExpiringCounter(
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
