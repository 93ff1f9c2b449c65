/**
 * Stores all objects, the resourceVersion counter, and the latest changes for watches. Stored objects are replaced,
 * never modified. As on a real API server, a watch from a version before these changes receives a 410 error.
 */
import type { StoredObject } from "#lib/dev/simulator/store/object.ts";

export interface StoredObjectChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: StoredObject;
  readonly previous: StoredObject | null;
  readonly version: number;
}

export type ObjectStore = ReturnType<typeof createObjectStore>;

const HISTORY = 3000; // changes; at a few kB each, some MB in total
const FIRST = 500; // the first resourceVersion; on a real server, version 1 was compacted long ago

export function createObjectStore() {
  const tables = new Map<string, Map<string, Map<string, StoredObject>>>();
  const listeners = new Set<(change: StoredObjectChange) => void>();
  /** A cache of sorted objects, keyed by kind. Without it, each page of a list would need all objects sorted again. */
  const sortedByKind = new Map<string, StoredObject[]>();
  let changes: StoredObjectChange[] = [];
  let version = FIRST, horizon = FIRST;

  const table = ({ kind, metadata: { namespace = "" } }: StoredObject): Map<string, StoredObject> => {
    const spaces = tables.get(kind) ?? new Map<string, Map<string, StoredObject>>();
    const objects = spaces.get(namespace) ?? new Map<string, StoredObject>();
    tables.set(kind, spaces.set(namespace, objects));
    return objects;
  };
  const storeChange = (
    type: StoredObjectChange["type"],
    object: StoredObject,
    previous: StoredObject | null,
  ): StoredObject => {
    const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    const change: StoredObjectChange = { type, object: written, previous, version };
    changes.push(change);
    if (changes.length > 2 * HISTORY) {
      changes = changes.slice(-HISTORY);
      horizon = changes[0]!.version - 1;
    }
    const { kind, metadata: { namespace = "", name } } = object, objects = table(object);
    sortedByKind.delete(kind);
    if (type === "DELETED") objects.delete(name);
    else objects.set(name, written);
    if (objects.size === 0) tables.get(kind)!.delete(namespace);
    for (const listener of [...listeners]) listener(change);
    return written;
  };
  const sorted = (objects: Iterable<StoredObject>): StoredObject[] =>
    [...objects].sort((a, b) => getListSortKey(a) < getListSortKey(b) ? -1 : 1);
  const ofKind = (kind: string): StoredObject[] =>
    [...tables.get(kind)?.values() ?? []].flatMap((objects) => [...objects.values()]);

  return {
    version: () => version,
    /** Returns the oldest resourceVersion from which a watch can still start. */
    horizon: () => horizon,
    get: (kind: string, namespace: string | undefined, name: string): StoredObject | undefined =>
      tables.get(kind)?.get(namespace ?? "")?.get(name),
    /** Returns all objects of this kind or, if `namespace` is set, those in that namespace, sorted by key as in etcd. */
    list(kind: string, namespace?: string): readonly StoredObject[] {
      if (namespace !== undefined) return sorted(tables.get(kind)?.get(namespace)?.values() ?? []);
      const cached = sortedByKind.get(kind) ?? sorted(ofKind(kind));
      sortedByKind.set(kind, cached);
      return cached;
    },
    /** Returns all objects in a namespace, but not the namespace itself. */
    contents: (namespace: string): StoredObject[] =>
      [...tables.values()].flatMap((spaces) => [...spaces.get(namespace)?.values() ?? []]),
    everything: (): StoredObject[] => [...tables.keys()].flatMap(ofKind),
    /** Stores the object with a new resourceVersion and notifies all subscribers. Returns the stored object. */
    save(object: StoredObject): StoredObject {
      const previous = table(object).get(object.metadata.name) ?? null;
      return storeChange(previous ? "MODIFIED" : "ADDED", object, previous);
    },
    remove: (object: StoredObject): StoredObject => storeChange("DELETED", object, object),
    /** Restores the objects from an earlier run. Notifies no subscribers. Old watches cannot resume. */
    restore(objects: readonly StoredObject[], at: number): void {
      for (const object of objects) table(object).set(object.metadata.name, object);
      version = horizon = Math.max(at, FIRST);
    },
    /** Returns the changes after this version, oldest first; null if the store has already discarded some of them. */
    since: (from: number): readonly StoredObjectChange[] | null =>
      from < horizon ? null : changes.filter((change) => change.version > from),
    /** Discards the stored changes, as etcd's compaction does every few minutes. */
    compact(): void {
      horizon = version;
      changes = [];
    },
    subscribe(listener: (change: StoredObjectChange) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns an object's sort key in lists. The `continue` token of a paged list contains this key. */
export function getListSortKey(object: StoredObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}
