/** ResourceQuotas: what a namespace uses, in their status, for admission and for people. */
import type { Controller } from "#lib/simulator/controllers/controller.ts";
import { usage, writeCost } from "#lib/simulator/quota.ts";
import type { World } from "#lib/simulator/world.ts";
import { changeObject } from "#lib/simulator/writes.ts";

export function quotaController(world: World): Controller {
  const kind = world.kinds.of("v1", "ResourceQuota")!;
  return {
    kind,
    also: (change) =>
      change.object.metadata.namespace === undefined || change.kind.kind === "Event" || change.kind === kind
        ? []
        : world.store.list(kind, change.object.metadata.namespace),
    reconcile(quota) {
      const hard = quota.spec?.hard ?? {};
      const used = writeCost(usage(hard, world.store.contents(quota.metadata.namespace!)));
      changeObject(world, kind, quota, "kube-controller-manager", (live) => ({ ...live, status: { hard, used } }));
    },
  };
}
