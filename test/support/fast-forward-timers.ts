/** Provides a clock for the simulated cluster. The clock stops during activity and otherwise jumps to the next timer. A
 * test can use it to measure durations in the cluster without waiting, independently of the load on the machine. */
import { formatTimestamp } from "#lib/dev/simulator/store/object.ts";
import type { SimulatorTimers } from "#lib/dev/simulator/simulation.ts";

const QUIET = 30; // milliseconds without activity before the clock jumps
const FAR = 15_000;

export function createFastForwardTimers(): SimulatorTimers {
  let time = Date.now(), quiet: ReturnType<typeof setTimeout> | undefined;
  const pending = new Set<{ readonly due: number; readonly act: () => void }>();

  function wait(): void {
    clearTimeout(quiet);
    quiet = setTimeout(leap, QUIET);
  }

  function leap(): void {
    const [next] = [...pending].sort((a, b) => a.due - b.due);
    if (!next || next.due > time + FAR) return;
    time = Math.max(time, next.due);
    pending.delete(next);
    next.act();
    wait();
  }

  return {
    now: () => time,
    stamp: () => formatTimestamp(time),
    after(ms, act) {
      wait();
      if (ms <= 0) {
        const soon = setImmediate(act);
        return () => clearImmediate(soon);
      }
      const timer = { due: time + Math.ceil(ms), act };
      pending.add(timer);
      return () => void pending.delete(timer);
    },
    close() {
      clearTimeout(quiet);
      pending.clear();
    },
  };
}
