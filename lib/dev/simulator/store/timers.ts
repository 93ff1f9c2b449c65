/** Creates timers that stop with the simulated cluster. After `close`, no timer fires or keeps the process alive. */
import { formatTimestamp } from "#lib/dev/simulator/store/object.ts";

export interface SimulatorTimers {
  now(): number;
  /** Returns the current time in the API server's text format. */
  stamp(): string;
  /** Calls `act` asynchronously after at least `ms` milliseconds. Returns a function that cancels the timer. */
  after(ms: number, act: () => void): () => void;
  close(): void;
}

export function createTimers(): SimulatorTimers {
  const pending = new Set<() => void>();
  let open = true;
  return {
    now: () => Date.now(),
    stamp: () => formatTimestamp(Date.now()),
    after(ms, act) {
      if (!open) return () => {};
      const run = () => {
        pending.delete(cancel);
        act();
      };
      const timer = ms <= 0 ? setImmediate(run) : setTimeout(run, ms);
      const cancel = () => {
        pending.delete(cancel);
        if (ms <= 0) clearImmediate(timer as NodeJS.Immediate);
        else clearTimeout(timer as NodeJS.Timeout);
      };
      pending.add(cancel);
      return cancel;
    },
    close() {
      open = false;
      for (const cancel of [...pending]) cancel();
    },
  };
}
