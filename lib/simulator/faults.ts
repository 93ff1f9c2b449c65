/**
 * Faults on demand: what a test, or a person at a running cluster, breaks.
 *
 * Over HTTP: `POST /simulator/faults` with one of the objects below answers `{"id": …}`, `GET` lists what is broken,
 * `DELETE /simulator/faults` heals everything, `DELETE /simulator/faults/ID` one thing. For example
 *
 *     curl -d '{"type": "answer", "status": 429, "times": 5, "retryAfter": 2}' http://127.0.0.1:PORT/simulator/faults
 *     curl -d '{"type": "failing-job", "name": "install-", "log": ["no luck"], "exitCode": 1}' …
 *     curl -d '{"type": "drop-watches"}' …        at once, and not kept
 *     curl -X DELETE …
 *
 * `path` is a part of the path, `name` the beginning of an object's name or of `namespace/name`.
 */
import type { Kind } from "#lib/simulator/kinds.ts";

interface Matching {
  readonly method?: string;
  readonly path?: string;
  /** How many requests it hits; without it, all until it is healed. */
  readonly times?: number;
}

export type Breakage =
  | { readonly type: "latency"; readonly ms: number } & Matching
  | { readonly type: "answer"; readonly status: number; readonly retryAfter?: number } & Matching
  | { readonly type: "cut" } & Matching
  | { readonly type: "drop-watches"; readonly kind?: string }
  | { readonly type: "stuck-namespace"; readonly name: string }
  | {
    readonly type: "failing-job";
    readonly name: string;
    readonly log?: readonly string[];
    readonly exitCode?: number;
  }
  | { readonly type: "unready"; readonly name: string }
  | { readonly type: "missing-image"; readonly image: string }
  | { readonly type: "oom"; readonly name: string };

/** A stream that can be dropped (the socket dies) or ended (as at its timeout). `kind` is null for a log. */
export interface Stream {
  readonly kind: Kind | null;
  readonly drop: () => void;
  readonly end: () => void;
}

export interface Faults {
  /** Breaks something until it is healed; gives back its id. */
  add(breakage: Breakage): string;
  list(): { id: string; breakage: Breakage; left: number | null }[];
  heal(id: string): boolean;
  clear(): void;
  latency(ms: number, matching?: Matching): string;
  answer(status: number, matching?: Matching & { readonly retryAfter?: number }): string;
  cut(matching?: Matching): string;
  /** Kills all watches and followed logs, or those of one kind. */
  dropWatches(kind?: string): void;
  stuckNamespace(name: string): string;
  failJob(name: string, how?: { readonly log?: readonly string[]; readonly exitCode?: number }): string;
  unready(name: string): string;
  missingImage(image: string): string;
  oom(name: string): string;
  /** What hits this request; counts it. */
  hit(method: string, path: string): { latency: number; answer: (Breakage & { type: "answer" }) | null; cut: boolean };
  /** The first of these breakages that is meant for an object of this name. */
  of<T extends Named["type"]>(type: T, namespace: string | undefined, name: string): (Breakage & { type: T }) | null;
  lacksImage(image: string): boolean;
  /** Registers a stream; call what it gives back when the stream is over. */
  watching(stream: Stream): () => void;
  onChange(listener: () => void): void;
}

type Named = Extract<Breakage, { readonly name: string }>;

export function openFaults(): Faults {
  const broken = new Map<string, { breakage: Breakage; left: number | null }>();
  const streams = new Set<Stream>();
  const listeners: (() => void)[] = [];
  let count = 0;
  const changed = () => listeners.forEach((listener) => listener());

  const faults: Faults = {
    add(breakage) {
      if (breakage.type === "drop-watches") {
        for (const stream of [...streams]) if (!breakage.kind || stream.kind?.kind === breakage.kind) stream.drop();
        return "";
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
    answer: (status, matching = {}) => faults.add({ type: "answer", status, ...matching }),
    cut: (matching = {}) => faults.add({ type: "cut", ...matching }),
    dropWatches: (kind) => void faults.add({ type: "drop-watches", ...(kind === undefined ? {} : { kind }) }),
    stuckNamespace: (name) => faults.add({ type: "stuck-namespace", name }),
    failJob: (name, how = {}) => faults.add({ type: "failing-job", name, ...how }),
    unready: (name) => faults.add({ type: "unready", name }),
    missingImage: (image) => faults.add({ type: "missing-image", image }),
    oom: (name) => faults.add({ type: "oom", name }),
    hit(method, path) {
      const found = { latency: 0, answer: null as (Breakage & { type: "answer" }) | null, cut: false };
      for (const [id, entry] of broken) {
        const { breakage } = entry;
        if (breakage.type !== "latency" && breakage.type !== "answer" && breakage.type !== "cut") continue;
        if (breakage.method !== undefined && breakage.method !== method) continue;
        if (breakage.path !== undefined && !path.includes(breakage.path)) continue;
        if (breakage.type !== "latency" && (found.answer || found.cut)) continue; // one refusal a request
        if (breakage.type === "latency") found.latency += breakage.ms;
        else if (breakage.type === "answer") found.answer = breakage;
        else found.cut = true;
        if (entry.left !== null && --entry.left <= 0) broken.delete(id);
      }
      return found;
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
    lacksImage: (image) =>
      [...broken.values()].some(({ breakage }) => breakage.type === "missing-image" && image.includes(breakage.image)),
    watching(stream) {
      streams.add(stream);
      return () => void streams.delete(stream);
    },
    onChange: (listener) => void listeners.push(listener),
  };
  return faults;
}

/** What a person posted, if it is one of the breakages; else null. */
export function readBreakage(value: unknown): Breakage | null {
  if (typeof value !== "object" || value === null) return null;
  const given = value as Record<string, unknown>;
  const fields = FIELDS[String(given.type)];
  if (!fields || !Object.entries(fields).every(([name, type]) => typeof given[name] === type)) return null;
  return given as unknown as Breakage;
}

const FIELDS: Record<string, Record<string, string>> = {
  latency: { ms: "number" },
  answer: { status: "number" },
  cut: {},
  "drop-watches": {},
  "stuck-namespace": { name: "string" },
  "failing-job": { name: "string" },
  unready: { name: "string" },
  "missing-image": { image: "string" },
  oom: { name: "string" },
};
