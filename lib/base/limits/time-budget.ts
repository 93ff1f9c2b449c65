/** Limits how long a request may take. Time spent waiting for other requests can be excluded. */

export interface TimeBudget {
  /** Starts the clock. Calls `onSpent` when the time runs out. */
  start(onSpent: () => void): void;
  runPaused<T>(work: () => Promise<T>): Promise<T>;
  /** Resets the remaining time to the full budget. */
  reset(): void;
  /** Stops the clock permanently. */
  close(): void;
}

interface TimeBudgetOptions {
  /** The time limit, in milliseconds. */
  readonly limit: number;
  /** Returns the current reading of a monotonic clock, in milliseconds. */
  readonly now?: () => number;
  /** Calls `work` after `ms` milliseconds. Returns a function that cancels the call. */
  readonly after?: (ms: number, work: () => void) => () => void;
}

export function openTimeBudget(
  { limit, now = () => performance.now(), after = setTimer }: TimeBudgetOptions,
): TimeBudget {
  let left = limit, resumedAt = 0, pauses = 0, closed = true;
  let onSpent = () => {}, cancel = () => {};

  function resume(): void {
    resumedAt = now();
    cancel = after(left, () => closed || onSpent());
  }

  function pause(): void {
    cancel();
    left = Math.max(0, left - (now() - resumedAt));
  }

  return {
    start(onTimeUp) {
      onSpent = onTimeUp;
      closed = false;
      if (pauses === 0) resume();
    },
    async runPaused(work) {
      if (pauses++ === 0 && !closed) pause();
      try {
        return await work();
      } finally {
        if (--pauses === 0 && !closed) resume();
      }
    },
    reset() {
      const running = pauses === 0 && !closed;
      if (running) cancel();
      left = limit;
      if (running) resume();
    },
    close() {
      closed = true;
      cancel();
    },
  };
}

function setTimer(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}
