/** Simulates the StatefulSet controller: creates pods and PVCs in ascending order, deletes pods in descending order. */
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  CONTROLLER_FIELD_MANAGER,
  createManagedObject,
  createPod,
  listOwnedObjects,
  recordKubernetesEvent,
} from "#lib/dev/simulator/controllers/objects.ts";
import { isPodFinished, isPodReady } from "#lib/dev/simulator/controllers/kubelet.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import { createHashSuffix, type Json, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import { StatusError } from "#lib/dev/simulator/admission/status-error.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const COMPONENT = "statefulset-controller";
const REVISION = "controller-revision-hash";

export function statefulSetController(world: Simulation): Controller {
  return {
    kind: "StatefulSet",
    owns: "Pod",
    reconcile(set, memory) {
      const revision = `${set.metadata.name}-${createHashSuffix(JSON.stringify(set.spec.template))}`;
      const failed = !reconcilePods(world, set, revision);
      const living = listOwnedObjects(world, "Pod", set).filter((pod) => !isPodFinished(pod));
      const ready = living.filter(isPodReady).length;
      const countOf = (wanted: string) => living.filter((pod) => pod.metadata.labels?.[REVISION] === wanted).length;
      changeObjectStatus(world, set, CONTROLLER_FIELD_MANAGER, (status, { spec, metadata }) => {
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

/** Creates or deletes pods, normally one per call. Returns false if a pod could not be created. */
function reconcilePods(world: Simulation, set: StoredObject, revision: string): boolean {
  const own = listOwnedObjects(world, "Pod", set).sort((a, b) => ordinal(b) - ordinal(a));
  const { replicas: wanted, podManagementPolicy, updateStrategy } = set.spec;
  const remove = (pod: StoredObject) => {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    deleteObject(world, pod, {});
    const message = `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
    recordKubernetesEvent(world, set, { by: COMPONENT, normal: "SuccessfulDelete", message });
  };
  const parallel = podManagementPolicy === "Parallel";
  for (let i = 0; i < wanted; i++) {
    const pod = own.find((each) => each.metadata.name === `${set.metadata.name}-${i}`);
    if (!pod) {
      if (!createMissingClaims(world, set, i) || !createNumberedPod(world, set, i, revision)) return false;
      if (!parallel) return true;
    } else if (isPodFinished(pod)) {
      remove(pod);
      return true;
    } else if (!isPodReady(pod) && !parallel) return true; // an unready pod blocks the rollout, as on a real cluster
  }
  const surplus = own.filter((pod) => ordinal(pod) >= wanted);
  if (surplus.length > 0) {
    for (const pod of parallel ? surplus : surplus.slice(0, 1)) remove(pod);
    return true;
  }
  if (updateStrategy.type === "OnDelete") return true;
  const outdated = own.filter((pod) => pod.metadata.labels?.[REVISION] !== revision);
  const othersReady = own.every((pod) => isPodReady(pod) || outdated.includes(pod));
  if (outdated[0] && othersReady) remove(outdated[0]);
  return true;
}

function createNumberedPod(world: Simulation, set: StoredObject, i: number, revision: string): boolean {
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
  return createPod(world, { owner: set, template: { ...template, spec }, name, labels, by: COMPONENT });
}

/** Creates the PVCs that a pod lacks. PVCs remain when the pod or the StatefulSet is deleted. */
function createMissingClaims(world: Simulation, set: StoredObject, i: number): boolean {
  const { namespace, name: of } = set.metadata, kind = "PersistentVolumeClaim";
  for (const { metadata, spec } of set.spec.volumeClaimTemplates ?? []) {
    const name = `${metadata.name}-${of}-${i}`;
    if (world.store.get(kind, namespace, name)) continue;
    const labels = { ...metadata.labels, ...set.spec.selector.matchLabels };
    try {
      createManagedObject(world, CONTROLLER_FIELD_MANAGER, {
        kind,
        metadata: { name, namespace, labels, annotations: metadata.annotations ?? {} },
        spec,
      });
      const message = `create Claim ${name} Pod ${of}-${i} in StatefulSet ${of} success`;
      recordKubernetesEvent(world, set, { by: COMPONENT, normal: "SuccessfulCreate", message });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const message = `create Claim ${name} for Pod ${of}-${i} in StatefulSet ${of} failed error: ${error.message}`;
      recordKubernetesEvent(world, set, { by: COMPONENT, warning: "FailedCreate", message });
      return false;
    }
  }
  return true;
}

function ordinal(pod: StoredObject): number {
  return Number(pod.metadata.name.slice(pod.metadata.name.lastIndexOf("-") + 1));
}
