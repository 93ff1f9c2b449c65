/**
 * The store: every object, the one version counter, and the last changes for watches.
 *
 * Objects in it are never changed, only replaced, so a reference to one is a moment. The history is bounded: who asks
 * for changes from before its horizon is told so (410), as a real server does after compaction.
 */
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";

export interface StoreChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: StoredObject;
  readonly previous: StoredObject | null;
  readonly version: number;
}

export interface Store {
  version(): number;
  /** The oldest version from which a watch can still be served. */
  horizon(): number;
  get(kind: string, namespace: string | undefined, name: string): StoredObject | undefined;
  /** In the order of their keys, as etcd lists them. */
  list(kind: string, namespace?: string): readonly StoredObject[];
  /** Everything in a namespace, the namespace itself excepted. */
  contents(namespace: string): StoredObject[];
  everything(): StoredObject[];
  /** Writes the object under a new version and tells it. */
  save(object: StoredObject): StoredObject;
  remove(object: StoredObject): StoredObject;
  /** Puts back what an earlier run kept; tells nobody, and nothing older can be watched. */
  restore(objects: readonly StoredObject[], version: number): void;
  /** The changes after this version, oldest first, or null where they are not all kept any more. */
  since(version: number): readonly StoreChange[] | null;
  /** Forgets all changes so far, as a real server's store does every few minutes. */
  compact(): void;
  subscribe(listener: (change: StoreChange) => void): () => void;
}

const HISTORY = 3000; // changes; a few kB each, so some MB at most
const FIRST = 500; // a fresh server has a history too: version 1 was compacted long ago

export function openStore(): Store {
  const tables = new Map<string, Map<string, Map<string, StoredObject>>>();
  const listeners = new Set<(change: StoreChange) => void>();
  let changes: StoreChange[] = [];
  let version = FIRST, horizon = FIRST;

  const table = ({ kind, metadata: { namespace = "" } }: StoredObject): Map<string, StoredObject> => {
    const spaces = tables.get(kind) ?? new Map<string, Map<string, StoredObject>>();
    const objects = spaces.get(namespace) ?? new Map<string, StoredObject>();
    tables.set(kind, spaces.set(namespace, objects));
    return objects;
  };
  const tell = (type: StoreChange["type"], object: StoredObject, previous: StoredObject | null): StoredObject => {
    const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    const change: StoreChange = { type, object: written, previous, version };
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
  const sorted = (objects: Iterable<StoredObject>): StoredObject[] =>
    [...objects].sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1);
  /** A list in pages goes over all of a kind for each page. */
  const whole = new Map<string, StoredObject[]>();

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
      return known;
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
export function keyOf(object: StoredObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}
