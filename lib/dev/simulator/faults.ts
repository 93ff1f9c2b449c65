/**
 * Injects faults into the simulated cluster, for tests and for manual use.
 *
 * `POST /simulator/faults` adds a fault from fault-types.ts and returns `{"id": …}`. `GET` lists the active faults.
 * `DELETE /simulator/faults` removes all faults, and `DELETE /simulator/faults/ID` removes one fault. Examples:
 *
 *     curl --json '{"type": "answer", "status": 429, "times": 5}' http://127.0.0.1:PORT/simulator/faults
 *     curl --json '{"type": "cut", "at": "performed", "method": "PATCH", "times": 1}' …   performed, but not answered
 *     curl --json '{"type": "hang", "at": "body", "path": "/pods"}' …
 *     curl --json '{"type": "failing-job", "name": "install-", "log": ["no luck"], "exitCode": 1}' …
 *     curl --json '{"type": "drop-watches", "how": "expired"}' …   takes effect immediately and is not stored
 *     curl -X DELETE …
 */
import type {
  ConnectionBreakPoint,
  FaultRequestFilter,
  SimulatorFault,
  WatchDropMode,
} from "#lib/dev/simulator/fault-types.ts";
import type { ApiKind } from "#lib/dev/simulator/store/object.ts";

export type { SimulatorFault } from "#lib/dev/simulator/fault-types.ts";

/** An open stream that a fault can drop or silence: a watch or, if `kind` is null, a pod log that a client follows. */
export interface InterruptibleStream {
  readonly kind: ApiKind | null;
  readonly drop: (how: WatchDropMode) => void;
  readonly silence: () => void;
}

export interface RequestFaults {
  readonly latency: number;
  readonly answer: FaultOf<"answer"> | null;
  readonly connection:
    | { readonly how: "cut" | "hang"; readonly at: ConnectionBreakPoint; readonly chunked: boolean }
    | null;
  readonly trickle: { readonly ms: number; readonly bytes: number } | null;
}

export type FaultRegistry = ReturnType<typeof createFaultRegistry>;

type FaultOf<T extends SimulatorFault["type"]> = Extract<SimulatorFault, { readonly type: T }>;
type Named = Extract<SimulatorFault, { readonly name: string }>;

export function createFaultRegistry() {
  const active = new Map<string, { breakage: SimulatorFault; left: number | null }>();
  const streams = new Set<InterruptibleStream>();
  const listeners: (() => void)[] = [], compacting: (() => void)[] = [];
  let count = 0;
  const changed = () => listeners.forEach((listener) => listener());
  const matchesKind = (kind: string | undefined) => (stream: InterruptibleStream) =>
    !kind || stream.kind?.kind === kind;

  /** Performs a fault that takes effect immediately. Returns false for any other fault. */
  function performImmediately(breakage: SimulatorFault): boolean {
    if (breakage.type === "compact") compacting.forEach((listener) => listener());
    else if (breakage.type === "drop-watches") {
      for (const stream of [...streams].filter(matchesKind(breakage.kind))) stream.drop(breakage.how ?? "cut");
    } else return false;
    return true;
  }

  function add(breakage: SimulatorFault): string {
    if (performImmediately(breakage)) return "";
    if (breakage.type === "silent-watches") {
      for (const stream of [...streams].filter(matchesKind(breakage.kind))) stream.silence();
    }
    const id = String(++count);
    active.set(id, { breakage, left: "times" in breakage ? breakage.times ?? null : null });
    changed();
    return id;
  }

  return {
    /** Adds a fault and returns its ID. The ID is empty for a fault that takes effect immediately and is not stored. */
    add,
    list: () => [...active].map(([id, entry]) => ({ id, ...entry })),
    remove(id: string): boolean {
      const was = active.delete(id);
      if (was) changed();
      return was;
    },
    clear(): void {
      active.clear();
      changed();
    },
    latency: (ms: number, matching: FaultRequestFilter = {}) => add({ type: "latency", ms, ...matching }),
    answer: (status: number, how: FaultRequestFilter & Partial<FaultOf<"answer">> = {}) =>
      add({ ...how, type: "answer", status }),
    cut: (matching: Omit<FaultOf<"cut">, "type"> = {}) => add({ type: "cut", ...matching }),
    hang: (matching: Omit<FaultOf<"hang">, "type"> = {}) => add({ type: "hang", ...matching }),
    /** Drops all watches and followed logs or, if `kind` is set, only the watches for that kind. */
    dropWatches: (kind?: string, how?: WatchDropMode): void =>
      void add({ type: "drop-watches", ...(kind && { kind }), ...(how && { how }) }),
    stuckNamespace: (name: string) => add({ type: "stuck-namespace", name }),
    failJob: (name: string, how: Omit<FaultOf<"failing-job">, "type" | "name"> = {}) =>
      add({ type: "failing-job", name, ...how }),
    unready: (name: string) => add({ type: "unready", name }),
    missingImage: (image: string) => add({ type: "missing-image", image }),
    oom: (name: string) => add({ type: "oom", name }),
    /** Returns how the active faults affect a request. Reduces the remaining `times` of each applied fault by one. */
    applyTo(method: string, path: string): RequestFaults {
      let hit: RequestFaults = { latency: 0, answer: null, connection: null, trickle: null };
      for (const [id, entry] of active) {
        const next = matchesRequest(entry.breakage, method, path) ? addEffect(hit, entry.breakage) : null;
        if (!next) continue;
        hit = next;
        if (entry.left !== null && --entry.left <= 0) active.delete(id);
      }
      return hit;
    },
    find<T extends Named["type"]>(type: T, namespace: string | undefined, name: string): FaultOf<T> | null {
      for (const { breakage } of active.values()) {
        if (breakage.type !== type || !("name" in breakage)) continue;
        if (name.startsWith(breakage.name) || `${namespace}/${name}`.startsWith(breakage.name)) {
          return breakage as FaultOf<T>;
        }
      }
      return null;
    },
    /** Returns the error for pulls of the image, or null for the default error; undefined if no fault applies. */
    findPullError(image: string): string | null | undefined {
      for (const { breakage } of active.values()) {
        if (breakage.type === "missing-image" && image.includes(breakage.image)) return breakage.message ?? null;
      }
    },
    /** Registers a stream. Returns a function that must be called when the stream has ended. */
    registerStream(stream: InterruptibleStream): () => void {
      streams.add(stream);
      const silent = [...active.values()].some(({ breakage }) =>
        breakage.type === "silent-watches" && matchesKind(breakage.kind)(stream)
      );
      if (silent) stream.silence();
      return () => void streams.delete(stream);
    },
    onChange: (listener: () => void): void => void listeners.push(listener),
    onCompact: (listener: () => void): void => void compacting.push(listener),
  };
}

function matchesRequest(breakage: SimulatorFault, method: string, path: string): boolean {
  const { method: one, path: part } = breakage as FaultRequestFilter;
  return (one === undefined || one === method) && (part === undefined || path.includes(part));
}

/** Returns `hit` with the fault's effect added, or null if the fault has no effect. Latencies add up. */
function addEffect(hit: RequestFaults, breakage: SimulatorFault): RequestFaults | null {
  switch (breakage.type) {
    case "latency":
      return { ...hit, latency: hit.latency + breakage.ms };
    case "trickle":
      return hit.trickle ? null : { ...hit, trickle: { ms: breakage.ms, bytes: breakage.bytes ?? 1 } };
    case "answer":
      return hit.answer || hit.connection ? null : { ...hit, answer: breakage };
    case "cut":
    case "hang": {
      const { type: how, at = "received", chunked = false } = breakage;
      return hit.answer || hit.connection ? null : { ...hit, connection: { how, at, chunked } };
    }
    default:
      return null;
  }
}
