/**
 * The store: every object, the one version counter, and the last changes for watches.
 *
 * Objects in it are never changed, only replaced, so a reference to one is a moment. The history is bounded: who asks
 * for changes from before its horizon is told so (410), as a real server does after compaction.
 */
import type { KubeObject } from "#lib/dev/simulator/store/object.ts";

export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  readonly previous: KubeObject | null;
  readonly version: number;
}

export interface Store {
  version(): number;
  /** The oldest version from which a watch can still be served. */
  horizon(): number;
  get(kind: string, namespace: string | undefined, name: string): KubeObject | undefined;
  /** In the order of their keys, as etcd lists them. */
  list(kind: string, namespace?: string): KubeObject[];
  /** Everything in a namespace, the namespace itself excepted. */
  contents(namespace: string): KubeObject[];
  everything(): KubeObject[];
  /** Writes the object under a new version and tells it. */
  save(object: KubeObject): KubeObject;
  remove(object: KubeObject): KubeObject;
  /** Puts back what an earlier run kept; tells nobody, and nothing older can be watched. */
  restore(objects: readonly KubeObject[], version: number): void;
  /** The changes after this version, oldest first, or null where they are not all kept any more. */
  since(version: number): readonly Change[] | null;
  /** Forgets all changes so far, as a real server's store does every few minutes. */
  compact(): void;
  subscribe(listener: (change: Change) => void): () => void;
}

const HISTORY = 3000; // changes; a few kB each, so some MB at most
const FIRST = 500; // a fresh server has a history too: version 1 was compacted long ago

export function openStore(): Store {
  const tables = new Map<string, Map<string, Map<string, KubeObject>>>();
  const listeners = new Set<(change: Change) => void>();
  let changes: Change[] = [];
  let version = FIRST, horizon = FIRST;

  const table = ({ kind, metadata: { namespace = "" } }: KubeObject): Map<string, KubeObject> => {
    const spaces = tables.get(kind) ?? new Map<string, Map<string, KubeObject>>();
    const objects = spaces.get(namespace) ?? new Map<string, KubeObject>();
    tables.set(kind, spaces.set(namespace, objects));
    return objects;
  };
  const tell = (type: Change["type"], object: KubeObject, previous: KubeObject | null): KubeObject => {
    const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    const change: Change = { type, object: written, previous, version };
    changes.push(change);
    if (changes.length > 2 * HISTORY) {
      changes = changes.slice(-HISTORY);
      horizon = changes[0]!.version - 1;
    }
    const { kind, metadata: { namespace = "", name } } = object, objects = table(object);
    whole.delete(kind);
    if (type === "DELETED") objects.delete(name);
    else objects.set(name, written);
    if (objects.size === 0) tables.get(kind)!.delete(namespace);
    for (const listener of [...listeners]) listener(change);
    return written;
  };
  const sorted = (objects: Iterable<KubeObject>): KubeObject[] =>
    [...objects].sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1);
  /** A list in pages goes over all of a kind for each page. */
  const whole = new Map<string, KubeObject[]>();

  return {
    version: () => version,
    horizon: () => horizon,
    get: (kind, namespace, name) => tables.get(kind)?.get(namespace ?? "")?.get(name),
    list(kind, namespace) {
      const spaces = tables.get(kind);
      if (!spaces) return [];
      if (namespace !== undefined) return sorted(spaces.get(namespace)?.values() ?? []);
      const known = whole.get(kind) ?? sorted([...spaces.values()].flatMap((objects) => [...objects.values()]));
      whole.set(kind, known);
      return [...known];
    },
    contents: (namespace) => [...tables.values()].flatMap((spaces) => [...spaces.get(namespace)?.values() ?? []]),
    everything: () =>
      [...tables.values()].flatMap((spaces) => [...spaces.values()].flatMap((objects) => [...objects.values()])),
    save(object) {
      const previous = table(object).get(object.metadata.name) ?? null;
      return tell(previous ? "MODIFIED" : "ADDED", object, previous);
    },
    remove: (object) => tell("DELETED", object, object),
    restore(objects, at) {
      for (const object of objects) table(object).set(object.metadata.name, object);
      version = horizon = Math.max(at, FIRST);
      changes = [];
      whole.clear();
    },
    since(from) {
      if (from < horizon) return null;
      let low = 0, high = changes.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (changes[middle]!.version > from) high = middle;
        else low = middle + 1;
      }
      return changes.slice(low);
    },
    compact() {
      horizon = version;
      changes = [];
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Where an object stands in lists, and what a `continue` token remembers. */
export function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}
