/** What is on volumes and snapshots: small notes by volume handle, copied by snapshots and gone with the volume. */
import type { Json } from "#lib/dev/simulator/object.ts";

export interface Volumes {
  read(handle: string): Json;
  write(handle: string, data: Json): void;
  /** A snapshot, or a volume from one: the same data under another handle, from now on apart. */
  copy(from: string, to: string): void;
  wipe(handle: string): void;
  /** Calls back at each change; null is what was wiped. Returns what ends that. */
  subscribe(listener: (handle: string, data: Json | null) => void): () => void;
  entries(): [string, Json][];
  restore(entries: readonly [string, Json][]): void;
}

export function openVolumes(): Volumes {
  const data = new Map<string, Json>();
  const listeners = new Set<(handle: string, data: Json | null) => void>();
  const put = (handle: string, value: Json): void => {
    data.set(handle, value);
    for (const listener of listeners) listener(handle, value);
  };
  return {
    read: (handle) => data.get(handle) ?? {},
    write: put,
    copy: (from, to) => put(to, structuredClone(data.get(from) ?? {})),
    wipe(handle) {
      data.delete(handle);
      for (const listener of listeners) listener(handle, null);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    entries: () => [...data],
    restore(entries) {
      for (const [handle, value] of entries) data.set(handle, value);
    },
  };
}
