/** What the watches of a cluster have told, and is yet to be looked at. */
import { type Notifier, openNotifier } from "#lib/base/notifier.ts";
import type { KubeObject, WatchedChange } from "#lib/drivers/cluster/cluster.ts";
import { openDigests } from "#lib/workers/sweep/digests.ts";
import { namespaceOf } from "#lib/workers/sweep/look.ts";

export interface FreshNews {
  /** Rings when there is something. */
  readonly bell: Notifier;
  /** What a list shows is nothing new. */
  list(objects: readonly KubeObject[]): void;
  hear(change: WatchedChange): void;
  /** Namespaces to look at, whatever the watches tell. */
  add(namespaces: readonly string[]): void;
  /** So many of the namespaces to look at, the first first. */
  take(most: number): string[];
  size(): number;
  /** Namespaces that lists have shown. */
  known(): readonly string[];
  /** A watch has ended by this: from then on not everything is heard of. */
  lose(error: unknown): void;
  lost(): { readonly error: unknown } | null;
}

export function openNews(): FreshNews {
  const bell = openNotifier(), digests = openDigests(), fresh = new Set<string>();
  let lost: { readonly error: unknown } | null = null;
  const add = (namespace: string): void => {
    fresh.add(namespace);
    bell.notify();
  };
  return {
    bell,
    list(objects) {
      for (const object of objects) digests.note(namespaceOf(object), object);
    },
    hear({ type, object }) {
      const namespace = namespaceOf(object);
      if (type === "DELETED") digests.forget(namespace, object);
      else if (!digests.note(namespace, object)) return;
      add(namespace);
    },
    add: (namespaces) => namespaces.forEach(add),
    take(most) {
      const taken = [...fresh.values().take(most)];
      for (const namespace of taken) fresh.delete(namespace);
      return taken;
    },
    size: () => fresh.size,
    known: digests.namespaces,
    lose(error) {
      lost ??= { error };
      bell.notify();
    },
    lost: () => lost,
  };
}
