/**
 * Simulates the StatefulSet controller: creates numbered pods and their PVCs in ascending order, and deletes pods in
 * descending order.
 */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { changeStatus, CONTROLLERS, make, ownedBy } from "#lib/dev/simulator/controllers/objects.ts";
import { makePod } from "#lib/dev/simulator/controllers/create-pod.ts";
import { isPodOver, isReady } from "#lib/dev/simulator/controllers/pod-status.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import { say } from "#lib/dev/simulator/controllers/events.ts";
import { hashSuffix, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { Refusal } from "#lib/dev/simulator/admission/status-error.ts";
import type { World } from "#lib/dev/simulator/world.ts";

const BY = "statefulset-controller";
const REVISION = "controller-revision-hash";

export function statefulSetController(world: World): Controller {
  return {
    kind: "StatefulSet",
    owns: "Pod",
    reconcile(set, memory) {
      const revision = `${set.metadata.name}-${hashSuffix(JSON.stringify(set.spec.template))}`;
      const failed = !step(world, set, revision);
      const living = ownedBy(world, "Pod", set).filter((pod) => !isPodOver(pod));
      const ready = living.filter(isReady).length;
      const countOf = (wanted: string) => living.filter((pod) => pod.metadata.labels?.[REVISION] === wanted).length;
      changeStatus(world, set, CONTROLLERS, (status, { spec, metadata }) => {
        const updated = countOf(revision), whole = updated === spec.replicas && ready === spec.replicas;
        const currentRevision = whole ? revision : status.currentRevision ?? revision;
        const current = countOf(currentRevision);
        return {
          observedGeneration: metadata.generation,
          replicas: living.length,
          ...(ready > 0 ? { readyReplicas: ready } : {}),
          ...(current > 0 ? { currentReplicas: current } : {}),
          ...(updated > 0 ? { updatedReplicas: updated } : {}),
          currentRevision,
          updateRevision: revision,
          collisionCount: 0,
          availableReplicas: ready,
        };
      });
      return memory.backoff(set, failed);
    },
  };
}

/** Creates or deletes a pod. Returns false if a pod could not be created. */
function step(world: World, set: StoredObject, revision: string): boolean {
  const own = ownedBy(world, "Pod", set).sort((a, b) => ordinal(b) - ordinal(a));
  const { replicas: wanted, podManagementPolicy, updateStrategy } = set.spec;
  const remove = (pod: StoredObject) => {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    deleteObject(world, pod, {});
    const message = `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
    say(world, set, { by: BY, normal: "SuccessfulDelete", message });
  };
  const parallel = podManagementPolicy === "Parallel";
  for (let i = 0; i < wanted; i++) {
    const pod = own.find((each) => each.metadata.name === `${set.metadata.name}-${i}`);
    if (!pod) {
      if (!makeClaims(world, set, i) || !makeNumbered(world, set, i, revision)) return false;
      if (!parallel) return true;
    } else if (isPodOver(pod)) {
      remove(pod);
      return true;
    } else if (!isReady(pod) && !parallel) return true; // blocks the rollout even if the new template would fix the pod
  }
  const surplus = own.filter((pod) => ordinal(pod) >= wanted);
  if (surplus.length > 0) {
    for (const pod of parallel ? surplus : surplus.slice(0, 1)) remove(pod);
    return true;
  }
  if (updateStrategy.type === "OnDelete") return true;
  const outdated = own.filter((pod) => pod.metadata.labels?.[REVISION] !== revision);
  const settled = own.every((pod) => isReady(pod) || outdated.includes(pod));
  if (outdated[0] && settled) remove(outdated[0]);
  return true;
}

function makeNumbered(world: World, set: StoredObject, i: number, revision: string): boolean {
  const name = `${set.metadata.name}-${i}`;
  const { template, serviceName, volumeClaimTemplates = [] } = set.spec;
  const claims: Json[] = volumeClaimTemplates.map(({ metadata }: Json) => (
    { name: metadata.name, persistentVolumeClaim: { claimName: `${metadata.name}-${name}` } }
  ));
  const others = (template.spec.volumes ?? []).filter((volume: Json) =>
    !claims.some((claim) => claim.name === volume.name)
  );
  const spec = { ...template.spec, hostname: name, subdomain: serviceName, volumes: [...claims, ...others] };
  const labels = {
    "apps.kubernetes.io/pod-index": String(i),
    "statefulset.kubernetes.io/pod-name": name,
    [REVISION]: revision,
  };
  return makePod(world, { owner: set, template: { ...template, spec }, name, labels, by: BY });
}

/** Creates the pod's missing PVCs. They stay when the pod or the set is deleted. */
function makeClaims(world: World, set: StoredObject, i: number): boolean {
  const { namespace, name: of } = set.metadata, kind = "PersistentVolumeClaim";
  for (const { metadata, spec } of set.spec.volumeClaimTemplates ?? []) {
    const name = `${metadata.name}-${of}-${i}`;
    if (world.store.get(kind, namespace, name)) continue;
    const labels = { ...metadata.labels, ...set.spec.selector.matchLabels };
    try {
      make(world, CONTROLLERS, {
        kind,
        metadata: { name, namespace, labels, annotations: metadata.annotations ?? {} },
        spec,
      });
      const message = `create Claim ${name} Pod ${of}-${i} in StatefulSet ${of} success`;
      say(world, set, { by: BY, normal: "SuccessfulCreate", message });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const message = `create Claim ${name} for Pod ${of}-${i} in StatefulSet ${of} failed error: ${error.message}`;
      say(world, set, { by: BY, warning: "FailedCreate", message });
      return false;
    }
  }
  return true;
}

function ordinal(pod: StoredObject): number {
  return Number(pod.metadata.name.slice(pod.metadata.name.lastIndexOf("-") + 1));
}
