/**
 * ResourceQuotas: what a namespace uses, in their status, for admission and for people. What they bound stands there, too, a
 * moment after it was written.
 */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { same } from "#lib/dev/simulator/object.ts";
import { usage, writeCost } from "#lib/dev/simulator/quota.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/writes.ts";

export function quotaController(world: World): Controller {
  const kind = world.kinds.of("v1", "ResourceQuota")!;
  const due = new Map<string, number>();
  return {
    kind,
    gone: (quota) => void due.delete(quota.metadata.uid),
    also: (change) =>
      change.object.metadata.namespace === undefined || change.kind.kind === "Event" || change.kind === kind
        ? []
        : world.store.list(kind, change.object.metadata.namespace),
    reconcile(quota) {
      const wanted = quota.spec?.hard ?? {}, now = world.timers.now(), { uid } = quota.metadata;
      const late = quota.status?.hard !== undefined && !same(wanted, quota.status.hard);
      if (!late) due.delete(uid);
      else if (!due.has(uid)) due.set(uid, now + world.delayMs);
      const wait = late ? due.get(uid)! - now : 0;
      const hard = wait > 0 ? quota.status.hard : wanted;
      const used = writeCost(usage(hard, world.store.contents(quota.metadata.namespace!)));
      changeObject(world, kind, quota, "kube-controller-manager", (live) => ({ ...live, status: { hard, used } }));
      return wait > 0 ? wait : undefined;
    },
  };
}
