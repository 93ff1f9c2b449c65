/**
 * Injects faults into the simulated cluster, for tests and for use by hand.
 *
 * Over HTTP: `POST /simulator/faults` with a fault from fault-types.ts returns `{"id": …}`. `GET` lists the active faults.
 * `DELETE /simulator/faults` removes all of them, and `DELETE /simulator/faults/ID` removes one. For example:
 *
 *     curl --json '{"type": "answer", "status": 429, "times": 5, "retryAfter": 2}' http://127.0.0.1:PORT/simulator/faults
 *     curl --json '{"type": "cut", "at": "done", "method": "PATCH", "times": 1}' …   performed, but not answered
 *     curl --json '{"type": "hang", "at": "body", "path": "/pods"}' …
 *     curl --json '{"type": "failing-job", "name": "install-", "log": ["no luck"], "exitCode": 1}' …
 *     curl --json '{"type": "drop-watches", "how": "expired"}' …   happens immediately, is not stored
 *     curl -X DELETE …
 */
import type { Breakage, Drop, Matching, Place } from "#lib/dev/simulator/fault-types.ts";
import type { ApiKind } from "#lib/dev/simulator/store/kinds.ts";

export type { Breakage } from "#lib/dev/simulator/fault-types.ts";

/** A watch or a followed log that a fault can drop or silence. `kind` is null for a log. */
export interface StreamFault {
  readonly kind: ApiKind | null;
  readonly drop: (how: Drop) => void;
  readonly silence: () => void;
}

/** The effects of the active faults on one request. */
export interface Hit {
  readonly latency: number;
  readonly answer: Extract<Breakage, { type: "answer" }> | null;
  readonly broken: { readonly how: "cut" | "hang"; readonly at: Place; readonly chunked: boolean } | null;
  readonly trickle: { readonly ms: number; readonly bytes: number } | null;
}

export interface Faults {
  /** Adds a fault and returns its ID. The ID is empty for a fault that happens immediately and is not stored. */
  add(breakage: Breakage): string;
  list(): { id: string; breakage: Breakage; left: number | null }[];
  heal(id: string): boolean;
  clear(): void;
  latency(ms: number, matching?: Matching): string;
  answer(status: number, how?: Matching & Partial<Extract<Breakage, { type: "answer" }>>): string;
  cut(matching?: Matching & { readonly at?: Place }): string;
  hang(matching?: Matching & { readonly at?: Place }): string;
  /** Drops all watches and followed logs, or those of one kind. */
  dropWatches(kind?: string, how?: Drop): void;
  stuckNamespace(name: string): string;
  failJob(name: string, how?: { readonly log?: readonly string[]; readonly exitCode?: number }): string;
  unready(name: string): string;
  missingImage(image: string): string;
  oom(name: string): string;
  /** Returns the effects on a request and counts each applied fault against its `times`. */
  hit(method: string, path: string): Hit;
  of<T extends Named["type"]>(
    type: T,
    namespace: string | undefined,
    name: string,
  ): Extract<Breakage, { type: T }> | null;
  /** Returns why this image cannot be pulled. Undefined means that it can; null means the default error. */
  lacksImage(image: string): string | null | undefined;
  /** Registers a stream. Returns a function to call when the stream has ended. */
  watching(stream: StreamFault): () => void;
  onChange(listener: () => void): void;
  onCompact(listener: () => void): void;
}

type Named = Extract<Breakage, { readonly name: string }>;

export function openFaults(): Faults {
  const broken = new Map<string, { breakage: Breakage; left: number | null }>();
  const streams = new Set<StreamFault>();
  const listeners: (() => void)[] = [], compacting: (() => void)[] = [];
  let count = 0;
  const changed = () => listeners.forEach((listener) => listener());
  const meant = (kind: string | undefined) => (stream: StreamFault) => !kind || stream.kind?.kind === kind;

  /** Performs a fault that happens immediately. Returns false for any other fault. */
  function happens(breakage: Breakage): boolean {
    if (breakage.type === "compact") compacting.forEach((listener) => listener());
    else if (breakage.type === "drop-watches") {
      for (const stream of [...streams].filter(meant(breakage.kind))) stream.drop(breakage.how ?? "cut");
    } else return false;
    return true;
  }

  const faults: Faults = {
    add(breakage) {
      if (happens(breakage)) return "";
      if (breakage.type === "silent-watches") {
        for (const stream of [...streams].filter(meant(breakage.kind))) stream.silence();
      }
      const id = String(++count);
      broken.set(id, { breakage, left: "times" in breakage ? breakage.times ?? null : null });
      changed();
      return id;
    },
    list: () => [...broken].map(([id, entry]) => ({ id, ...entry })),
    heal(id) {
      const was = broken.delete(id);
      if (was) changed();
      return was;
    },
    clear() {
      broken.clear();
      changed();
    },
    latency: (ms, matching = {}) => faults.add({ type: "latency", ms, ...matching }),
    answer: (status, how = {}) => faults.add({ ...how, type: "answer", status }),
    cut: (matching = {}) => faults.add({ type: "cut", ...matching }),
    hang: (matching = {}) => faults.add({ type: "hang", ...matching }),
    dropWatches: (kind, how) => void faults.add({ type: "drop-watches", ...(kind && { kind }), ...(how && { how }) }),
    stuckNamespace: (name) => faults.add({ type: "stuck-namespace", name }),
    failJob: (name, how = {}) => faults.add({ type: "failing-job", name, ...how }),
    unready: (name) => faults.add({ type: "unready", name }),
    missingImage: (image) => faults.add({ type: "missing-image", image }),
    oom: (name) => faults.add({ type: "oom", name }),
    hit(method, path) {
      let hit: Hit = { latency: 0, answer: null, broken: null, trickle: null };
      for (const [id, entry] of broken) {
        const next = isMeant(entry.breakage, method, path) ? struck(hit, entry.breakage) : null;
        if (!next) continue;
        hit = next;
        if (entry.left !== null && --entry.left <= 0) broken.delete(id);
      }
      return hit;
    },
    of(type, namespace, name) {
      for (const { breakage } of broken.values()) {
        if (breakage.type !== type || !("name" in breakage)) continue;
        if (name.startsWith(breakage.name) || `${namespace}/${name}`.startsWith(breakage.name)) {
          return breakage as never;
        }
      }
      return null;
    },
    lacksImage(image) {
      for (const { breakage } of broken.values()) {
        if (breakage.type === "missing-image" && image.includes(breakage.image)) return breakage.message ?? null;
      }
    },
    watching(stream) {
      streams.add(stream);
      const silent = [...broken.values()].some(({ breakage }) =>
        breakage.type === "silent-watches" && meant(breakage.kind)(stream)
      );
      if (silent) stream.silence();
      return () => void streams.delete(stream);
    },
    onChange: (listener) => void listeners.push(listener),
    onCompact: (listener) => void compacting.push(listener),
  };
  return faults;
}

function isMeant(breakage: Breakage, method: string, path: string): boolean {
  const { method: one, path: part } = breakage as Matching;
  return (one === undefined || one === method) && (part === undefined || path.includes(part));
}

/**
 * Returns the hit with this fault's effect added, or null if the fault adds nothing. Latencies add up. Only the first
 * refusal and the first trickle apply to a request.
 */
function struck(hit: Hit, breakage: Breakage): Hit | null {
  switch (breakage.type) {
    case "latency":
      return { ...hit, latency: hit.latency + breakage.ms };
    case "trickle":
      return hit.trickle ? null : { ...hit, trickle: { ms: breakage.ms, bytes: breakage.bytes ?? 1 } };
    case "answer":
      return hit.answer || hit.broken ? null : { ...hit, answer: breakage };
    case "cut":
    case "hang": {
      const { type: how, at = "asked", chunked = false } = breakage;
      return hit.answer || hit.broken ? null : { ...hit, broken: { how, at, chunked } };
    }
    default:
      return null;
  }
}
