/** Collects the namespaces in which the watches of a cluster report changes. */
import { type Notifier, openNotifier } from "#lib/base/notifier.ts";
import type { KubeObject, WatchedChange } from "#lib/drivers/cluster/cluster.ts";
import { openDigestRecorder } from "#lib/workers/sweep/digests.ts";
import { namespaceOf } from "#lib/workers/sweep/check-spokes.ts";

export interface ChangedSpokes {
  /** Notifies a waiting reader when a namespace was added. */
  readonly bell: Notifier;
  /** Records listed objects. A listed object is not a change. */
  list(objects: readonly KubeObject[]): void;
  hear(change: WatchedChange): void;
  /** Adds namespaces to check that no watch reported. */
  add(namespaces: readonly string[]): void;
  /** Removes and returns up to `most` namespaces, oldest first. */
  take(most: number): string[];
  size(): number;
  /** Namespaces of listed objects. */
  known(): readonly string[];
  /** Records that a watch has ended. Later changes may be missed. */
  lose(error: unknown): void;
  lost(): { readonly error: unknown } | null;
}

export function openChangedSpokes(): ChangedSpokes {
  const bell = openNotifier(), digests = openDigestRecorder(), fresh = new Set<string>();
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
