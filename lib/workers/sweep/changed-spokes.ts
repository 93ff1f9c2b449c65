/** Collects the namespaces in which watched Kubernetes objects of spokes have changed since the last check. */
import { createNotifier, type Notifier } from "#lib/base/notifier.ts";
import type { KubeObject, WatchedChange } from "#lib/drivers/cluster/cluster.ts";
import { createDigestRecorder } from "#lib/workers/sweep/digests.ts";
import { getObjectNamespace } from "#lib/workers/sweep/check-spokes.ts";

export interface ChangedNamespaces {
  /** Wakes up the job that checks the cluster when a namespace is added or a watch ends. */
  readonly notifier: Notifier;
  /** Records objects that a complete list contains. Their namespaces do not count as changed. */
  recordListed(objects: readonly KubeObject[]): void;
  recordChange(change: WatchedChange): void;
  /** Adds namespaces that must be checked even if no watched object in them has changed. */
  add(namespaces: readonly string[]): void;
  /** Removes and returns up to `limit` namespaces, starting with those that were added first. */
  take(limit: number): string[];
  size(): number;
  /** Returns the namespaces of all recorded objects. */
  listNamespaces(): readonly string[];
  /** Records that a watch has ended, which means that later changes may be missed. */
  recordLostWatch(error: unknown): void;
  lostWatch(): { readonly error: unknown } | null;
}

export function trackChangedNamespaces(): ChangedNamespaces {
  const notifier = createNotifier(), digests = createDigestRecorder(), changed = new Set<string>();
  let lost: { readonly error: unknown } | null = null;
  const add = (namespace: string): void => {
    changed.add(namespace);
    notifier.notify();
  };
  return {
    notifier,
    recordListed(objects) {
      for (const object of objects) digests.record(getObjectNamespace(object), object);
    },
    recordChange({ type, object }) {
      const namespace = getObjectNamespace(object);
      if (type === "DELETED") digests.forget(namespace, object);
      else if (!digests.record(namespace, object)) return;
      add(namespace);
    },
    add: (namespaces) => namespaces.forEach(add),
    take(limit) {
      const taken = [...changed.values().take(limit)];
      for (const namespace of taken) changed.delete(namespace);
      return taken;
    },
    size: () => changed.size,
    listNamespaces: digests.namespaces,
    recordLostWatch(error) {
      lost ??= { error };
      notifier.notify();
    },
    lostWatch: () => lost,
  };
}
