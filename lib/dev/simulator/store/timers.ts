/** Creates the simulated cluster's timers. After `close`, no timer calls its function or keeps the process alive. */
import { formatTimestamp } from "#lib/dev/simulator/store/object.ts";

export interface SimulatorTimers {
  now(): number;
  /** Returns the current time as a string, in the format that the Kubernetes API uses. */
  stamp(): string;
  /** Starts a timer that calls `act` after at least `ms` milliseconds. Returns a function that cancels the timer. */
  after(ms: number, act: () => void): () => void;
  close(): void;
}

export function createSimulatorTimers(): SimulatorTimers {
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
