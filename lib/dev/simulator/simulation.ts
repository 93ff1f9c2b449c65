/**
 * Creates the simulation that is passed to every part of the simulated cluster. It contains the objects, the clock, and
 * state that is not part of any object, such as volume contents, container logs and injected faults.
 */
import type { Log } from "#lib/base/log.ts";
import { SECOND } from "#lib/base/time.ts";
import { createMeasuredDelays, createProportionalDelays } from "#lib/dev/simulator/delays.ts";
import { createFaultRegistry } from "#lib/dev/simulator/faults.ts";
import { formatTimestamp, loadApiKinds } from "#lib/dev/simulator/store/object.ts";
import { createContainerLogs, createVolumeContents } from "#lib/dev/simulator/store/logs-and-volumes.ts";
import { loadFieldSchema } from "#lib/dev/simulator/admission/schema/fields.ts";
import { createObjectStore } from "#lib/dev/simulator/store/store.ts";

export interface SimulationOptions {
  /** Roughly how many milliseconds an object takes to become ready. Even with 0, it becomes ready asynchronously. */
  readonly delayMs: number;
  /** If set, the simulator uses delays measured on a real cluster, multiplied by this factor, instead of `delayMs`. */
  readonly measured?: number | null;
  /** Timers to use instead of the system clock. */
  readonly timers?: SimulatorTimers;
  /** The capacity of the cluster's only node. The default is practically unlimited. */
  readonly node?: { readonly cpu: string; readonly memory: string; readonly pods: string };
  /** Turns RBAC on. Without it, every user may do everything. */
  readonly authorization?: "on";
  readonly log: Log;
}

export type Simulation = ReturnType<typeof createSimulation>;

export function createSimulation(options: SimulationOptions) {
  const { delayMs, measured = null, timers, node, authorization, log } = options;
  return {
    kinds: loadApiKinds(),
    schema: loadFieldSchema(),
    store: createObjectStore(),
    timers: timers ?? createSimulatorTimers(),
    logs: createContainerLogs(),
    volumes: createVolumeContents(),
    faults: createFaultRegistry(),
    /** The number of rebuilds for each image tag. */
    rebuilt: new Map<string, number>(),
    log,
    /** Roughly how many milliseconds an object takes to become ready. Retry intervals depend on this number. */
    delayMs: measured === null ? delayMs : measured * 2 * SECOND,
    delays: measured === null ? createProportionalDelays(delayMs) : createMeasuredDelays(measured),
    node: node ?? { cpu: "100k", memory: "1Pi", pods: "1M" },
    authorization: authorization === "on",
    /** Each permission that a request used and that only one role grants, in the form `ROLE: VERB RESOURCE`. */
    grants: new Set<string>(),
  };
}

export type SimulatorTimers = ReturnType<typeof createSimulatorTimers>;

/** Creates the simulated cluster's timers. After `close`, no timer calls its function or keeps the process alive. */
function createSimulatorTimers() {
  const pending = new Set<() => void>();
  let open = true;
  return {
    now: (): number => Date.now(),
    /** Returns the current time as a string, in the format that the Kubernetes API uses. */
    stamp: (): string => formatTimestamp(Date.now()),
    /** Starts a timer that calls `act` after at least `ms` milliseconds. Returns a function that cancels the timer. */
    after(ms: number, act: () => void): () => void {
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
    close(): void {
      open = false;
      for (const cancel of [...pending]) cancel();
    },
  };
}
