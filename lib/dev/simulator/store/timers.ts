/** Timers that end with the cluster: after `close` nothing happens any more, and nothing keeps the process alive. */
import { timestamp } from "#lib/dev/simulator/store/object.ts";

export interface Timers {
  now(): number;
  /** The same as the API server writes it. */
  stamp(): string;
  /** After at least this long; 0 is as soon as possible, but never at once. Returns how to call it off. */
  after(ms: number, act: () => void): () => void;
  close(): void;
}

export function openTimers(): Timers {
  const pending = new Set<() => void>();
  let open = true;
  return {
    now: () => Date.now(),
    stamp: () => timestamp(Date.now()),
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
