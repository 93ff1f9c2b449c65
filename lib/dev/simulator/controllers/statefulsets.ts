/** StatefulSets: pods by number, each with its claims, one after the other up and the last first down. */
import { hashSuffix, type Json, type KubeObject, same } from "#lib/dev/simulator/object.ts";
import { Refusal } from "#lib/dev/simulator/refusal.ts";
import { deleteObject } from "#lib/dev/simulator/deletion.ts";
import { say } from "#lib/dev/simulator/events.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject, createObject } from "#lib/dev/simulator/writes.ts";
import { type Controller, ownedBy, ownersOf } from "#lib/dev/simulator/controllers/controller.ts";
import { makePod, makingBackoff } from "#lib/dev/simulator/controllers/pod-maker.ts";
import { isOver, isReady } from "#lib/dev/simulator/controllers/pod-status.ts";

const BY = "statefulset-controller";
const REVISION = "controller-revision-hash";

export function statefulSetController(world: World): Controller {
  const kind = world.kinds.of("apps/v1", "StatefulSet")!, pods = world.kinds.of("v1", "Pod")!;
  const failures = new Map<string, number>();
  return {
    kind,
    also: (change) => change.kind === pods ? ownersOf(world, kind, change) : [],
    gone: (set) => void failures.delete(set.metadata.uid),
    reconcile(set) {
      if (set.metadata.deletionTimestamp !== undefined) return;
      const own = ownedBy(world, pods, set);
      const revision = `${set.metadata.name}-${hashSuffix(JSON.stringify(set.spec.template))}`;
      const failed = !step(world, set, own, revision);
      const uid = set.metadata.uid, living = ownedBy(world, pods, set).filter((pod) => !isOver(pod));
      failures.set(uid, failed ? (failures.get(uid) ?? 0) + 1 : 0);
      const ready = living.filter((pod) => isReady(pod)).length;
      const updated = living.filter((pod) => pod.metadata.labels?.[REVISION] === revision).length;
      changeObject(world, kind, set, "kube-controller-manager", (live) => {
        const whole = updated === live.spec.replicas && ready === live.spec.replicas;
        const currentRevision = whole ? revision : live.status?.currentRevision ?? revision;
        const current = living.filter((pod) => pod.metadata.labels?.[REVISION] === currentRevision).length;
        const status = {
          observedGeneration: live.metadata.generation,
          replicas: living.length,
          ...(ready > 0 ? { readyReplicas: ready } : {}),
          ...(current > 0 ? { currentReplicas: current } : {}),
          ...(updated > 0 ? { updatedReplicas: updated } : {}),
          currentRevision,
          updateRevision: revision,
          collisionCount: 0,
          availableReplicas: ready,
        };
        return same(status, live.status) ? null : { ...live, status };
      });
      return failed ? makingBackoff(failures.get(uid)!) : undefined;
    },
  };
}

/** One step nearer: a pod made, or one taken away. False if a pod could not be made. */
function step(world: World, set: KubeObject, own: readonly KubeObject[], revision: string): boolean {
  const pods = world.kinds.of("v1", "Pod")!, wanted = set.spec.replicas as number;
  const named = (i: number) => own.find((pod) => pod.metadata.name === `${set.metadata.name}-${i}`);
  const remove = (pod: KubeObject) => {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    deleteObject(world, pods, pod, {});
    const message = `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
    say(world, set, { type: "Normal", reason: "SuccessfulDelete", message, by: BY });
  };
  const parallel = set.spec.podManagementPolicy === "Parallel";
  for (let i = 0; i < wanted; i++) {
    const pod = named(i);
    if (!pod) {
      if (!makeClaims(world, set, i) || !makeNumbered(world, set, i, revision)) return false;
      if (!parallel) return true;
    } else if (isOver(pod)) {
      remove(pod);
      return true;
    } else if (!isReady(pod) && !parallel) return true; // also where another template would heal it: nothing goes on
  }
  const surplus = own.filter((pod) => ordinal(pod) >= wanted).sort((a, b) => ordinal(b) - ordinal(a));
  if (surplus.length > 0) {
    for (const pod of parallel ? surplus : surplus.slice(0, 1)) remove(pod);
    return true;
  }
  if (set.spec.updateStrategy.type === "OnDelete") return true;
  const outdated = own.filter((pod) => pod.metadata.labels?.[REVISION] !== revision)
    .sort((a, b) => ordinal(b) - ordinal(a));
  const settled = own.every((pod) => isReady(pod) || outdated.includes(pod));
  if (outdated[0] && settled) remove(outdated[0]);
  return true;
}

function makeNumbered(world: World, set: KubeObject, i: number, revision: string): boolean {
  const name = `${set.metadata.name}-${i}`;
  const { template, volumeClaimTemplates = [] } = set.spec;
  const claims = volumeClaimTemplates.map((claim: Json) => ({
    name: claim.metadata.name,
    persistentVolumeClaim: { claimName: `${claim.metadata.name}-${name}` },
  }));
  const others = (template.spec.volumes ?? []).filter((volume: Json) =>
    !claims.some((claim: Json) => claim.name === volume.name)
  );
  const spec = { ...template.spec, hostname: name, subdomain: set.spec.serviceName, volumes: [...claims, ...others] };
  const labels = {
    "apps.kubernetes.io/pod-index": String(i),
    "statefulset.kubernetes.io/pod-name": name,
    [REVISION]: revision,
  };
  return makePod(world, { owner: set, template: { ...template, spec }, name, labels, by: BY });
}

/** Claims are made once and stay when the pod or the set goes. */
function makeClaims(world: World, set: KubeObject, i: number): boolean {
  const kind = world.kinds.of("v1", "PersistentVolumeClaim")!;
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const name = `${template.metadata.name}-${set.metadata.name}-${i}`;
    if (world.store.get(kind, set.metadata.namespace, name)) continue;
    const labels = { ...template.metadata.labels, ...set.spec.selector.matchLabels };
    const body = { metadata: { name, labels, annotations: template.metadata.annotations ?? {} }, spec: template.spec };
    try {
      createObject(world, kind, set.metadata.namespace, body, { manager: "kube-controller-manager" });
      const message = `create Claim ${name} Pod ${set.metadata.name}-${i} in StatefulSet ${set.metadata.name} success`;
      say(world, set, { type: "Normal", reason: "SuccessfulCreate", message, by: BY });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const message =
        `create Claim ${name} for Pod ${set.metadata.name}-${i} in StatefulSet ${set.metadata.name} failed ` +
        `error: ${error.message}`;
      say(world, set, { type: "Warning", reason: "FailedCreate", message, by: BY });
      return false;
    }
  }
  return true;
}

function ordinal(pod: KubeObject): number {
  return Number(pod.metadata.name.slice(pod.metadata.name.lastIndexOf("-") + 1));
}
