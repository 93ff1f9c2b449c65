/** The time that a request may take. Waiting for others can be left out of it. */

export interface Allowance {
  /** Starts the clock. `onSpent` is called when the time is over. */
  start(onSpent: () => void): void;
  /** Runs the work while the clock stands still. */
  aside<T>(work: () => Promise<T>): Promise<T>;
  /** Gives the whole time again. */
  renew(): void;
  /** Stops the clock for good. */
  close(): void;
}

interface AllowanceOptions {
  /** Milliseconds. */
  readonly limit: number;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
  /** Does this after so many milliseconds, unless what it returns is called before. */
  readonly after?: (ms: number, work: () => void) => () => void;
}

export function openAllowance({ limit, now = () => performance.now(), after = later }: AllowanceOptions): Allowance {
  let left = limit, since = 0, asides = 0, closed = true;
  let onSpent = () => {}, cancel = () => {};

  function run(): void {
    since = now();
    cancel = after(left, () => closed || onSpent());
  }

  function pause(): void {
    cancel();
    left = Math.max(0, left - (now() - since));
  }

  return {
    start(whenSpent) {
      onSpent = whenSpent;
      closed = false;
      if (asides === 0) run();
    },
    async aside(work) {
      if (asides++ === 0 && !closed) pause();
      try {
        return await work();
      } finally {
        if (--asides === 0 && !closed) run();
      }
    },
    renew() {
      const running = asides === 0 && !closed;
      if (running) cancel();
      left = limit;
      if (running) run();
    },
    close() {
      closed = true;
      cancel();
    },
  };
}

function later(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}
