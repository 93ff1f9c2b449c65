/** What is on volumes and snapshots: small notes by volume handle, copied by snapshots and gone with the volume. */
import type { Json } from "#lib/simulator/object.ts";

export interface Volumes {
  read(handle: string): Json;
  write(handle: string, data: Json): void;
  /** A snapshot, or a volume from one: the same data under another handle, from now on apart. */
  copy(from: string, to: string): void;
  wipe(handle: string): void;
  entries(): [string, Json][];
  restore(entries: readonly [string, Json][]): void;
}

export function openVolumes(): Volumes {
  const data = new Map<string, Json>();
  return {
    read: (handle) => data.get(handle) ?? {},
    write: (handle, value) => void data.set(handle, value),
    copy: (from, to) => void data.set(to, structuredClone(data.get(from) ?? {})),
    wipe: (handle) => void data.delete(handle),
    entries: () => [...data],
    restore(entries) {
      for (const [handle, value] of entries) data.set(handle, value);
    },
  };
}
