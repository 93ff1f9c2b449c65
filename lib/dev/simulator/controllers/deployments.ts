/**
 * Simulates the Deployment and ReplicaSet controllers. The strategy `Recreate` first scales old ReplicaSets to zero. A
 * rolling update scales the old ReplicaSets to zero once the new ReplicaSet is available.
 */
import { SECOND } from "#lib/base/time.ts";
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  CONTROLLER_FIELD_MANAGER,
  createManagedObject,
  createOwnerReference,
  createPod,
  findCondition,
  listOwnedObjects,
  listOwners,
  mergeConditions,
  type ObjectCondition,
  recordKubernetesEvent,
} from "#lib/dev/simulator/controllers/objects.ts";
import { isPodFinished, isPodReady } from "#lib/dev/simulator/controllers/kubelet.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import { createHashSuffix, type StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";
import { changeObject } from "#lib/dev/simulator/admission/writes.ts";

const REPLICASET_COMPONENT = "replicaset-controller";
const REVISION = "deployment.kubernetes.io/revision";
const FAULT_DEADLINE_FACTOR = 20; // progress deadline with an `unready` fault, as a multiple of `delayMs`

export function deploymentController(world: Simulation): Controller {
  return {
    kind: "Deployment",
    owns: "ReplicaSet",
    // Reconciles the Deployment when a pod is removed, because `Recreate` waits until all old pods are removed.
    also: ({ type, object }) =>
      object.kind === "Pod" && type === "DELETED"
        ? listOwners(world, "ReplicaSet", object).flatMap((set) => listOwners(world, "Deployment", set))
        : [],
    reconcile(deployment) {
      const { template, replicas, strategy, revisionHistoryLimit } = deployment.spec;
      const all = listOwnedObjects(world, "ReplicaSet", deployment);
      const hash = createHashSuffix(
        JSON.stringify({ ...template, metadata: { ...template.metadata, creationTimestamp: null } }),
      );
      const current = all.find((set) => set.metadata.labels?.["pod-template-hash"] === hash);
      const old = all.filter((set) => set !== current);
      const recreate = strategy.type === "Recreate";
      const oldLeft = old.some((set) => listOwnedObjects(world, "Pod", set).length > 0);
      const up = current !== undefined && (current.status?.availableReplicas ?? 0) >= replicas;
      if (recreate) { for (const set of old) scale(world, set, 0); }
      if (!recreate || !oldLeft) {
        if (!current) createReplicaSet(world, deployment, hash, all.length + 1);
        else scale(world, current, replicas);
      }
      if (!recreate && up) { for (const set of old) scale(world, set, 0); }
      prune(world, old, revisionHistoryLimit);
      return report(world, deployment, current, all);
    },
  };
}

function createReplicaSet(world: Simulation, deployment: StoredObject, hash: string, revision: number): void {
  const { template, selector, replicas } = deployment.spec, { name: of, namespace } = deployment.metadata;
  const mark = { "pod-template-hash": hash }, labels = { ...template.metadata.labels, ...mark }, name = `${of}-${hash}`;
  createManagedObject(world, CONTROLLER_FIELD_MANAGER, {
    kind: "ReplicaSet",
    metadata: {
      name,
      namespace,
      labels,
      annotations: { [REVISION]: String(revision) },
      ownerReferences: [createOwnerReference(deployment)],
    },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, ...mark } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
  const message = `Scaled up replica set ${name} from 0 to ${replicas}`;
  recordKubernetesEvent(world, deployment, { by: "deployment-controller", normal: "ScalingReplicaSet", message });
}

function scale(world: Simulation, set: StoredObject, replicas: number): void {
  changeObject(world, set, CONTROLLER_FIELD_MANAGER, (live) => {
    if (live.spec.replicas === replicas) return null;
    const metadata = { ...live.metadata, generation: (live.metadata.generation ?? 1) + 1 };
    return { ...live, metadata, spec: { ...live.spec, replicas } };
  });
}

function prune(world: Simulation, old: readonly StoredObject[], keep: number): void {
  const idle = old.filter((set) => set.spec.replicas === 0 && listOwnedObjects(world, "Pod", set).length === 0)
    .sort((a, b) => Number(b.metadata.resourceVersion) - Number(a.metadata.resourceVersion));
  for (const set of idle.slice(keep)) world.store.remove(set);
}

function report(
  world: Simulation,
  deployment: StoredObject,
  current: StoredObject | undefined,
  all: readonly StoredObject[],
): number | void {
  const at = world.timers.stamp(), { replicas: desired, strategy, progressDeadlineSeconds } = deployment.spec;
  const count = (field: string, sets = all) => sets.reduce((sum, set) => sum + (set.status?.[field] ?? 0), 0);
  const replicas = count("replicas"), available = count("availableReplicas");
  const updated = count("replicas", current ? [current] : []);
  const enough = available >= (strategy.type === "Recreate" ? desired : Math.ceil(desired * 0.75));
  const complete = current !== undefined && updated === desired && available === desired && replicas === desired;
  const { name, namespace, generation } = deployment.metadata;
  const hasFault = world.faults.find("unready", namespace, name) !== null;
  const deadline = hasFault
    ? Math.max(2 * SECOND, world.delayMs * FAULT_DEADLINE_FACTOR)
    : progressDeadlineSeconds * SECOND;
  const before = findCondition(deployment, "Progressing");
  const since = Date.parse(before?.lastUpdateTime ?? at);
  const restarted = deployment.status?.observedGeneration !== generation;
  const timedOut = before?.reason === "ProgressDeadlineExceeded" || world.timers.now() - since >= deadline;
  const late = !complete && !restarted && timedOut;
  const set = `ReplicaSet "${current?.metadata.name ?? `${name}-?`}"`;
  const progressing = complete
    ? { status: "True", reason: "NewReplicaSetAvailable", message: `${set} has successfully progressed.` }
    : late
    ? { status: "False", reason: "ProgressDeadlineExceeded", message: `${set} has timed out progressing.` }
    : before?.status === "True" && !restarted && before.reason !== "NewReplicaSetAvailable"
    ? { status: before.status, reason: before.reason, message: before.message }
    : { status: "True", reason: "ReplicaSetUpdated", message: `${set} is progressing.` };
  const moved = before?.reason !== progressing.reason || restarted;
  const availability = enough
    ? { status: "True", reason: "MinimumReplicasAvailable", message: "Deployment has minimum availability." }
    : {
      status: "False",
      reason: "MinimumReplicasUnavailable",
      message: "Deployment does not have minimum availability.",
    };
  changeObject(world, deployment, CONTROLLER_FIELD_MANAGER, (live) => {
    const previous: ObjectCondition[] = live.status?.conditions ?? [];
    const stated = [{ type: "Available", ...availability }, { type: "Progressing", ...progressing }];
    const conditions = mergeConditions(previous, at, ...stated).map((each) => {
      const present = previous.find((old) => old.type === each.type && old.status === each.status);
      const keep = present && (each.type !== "Progressing" || !moved);
      return { ...each, lastUpdateTime: keep ? present.lastUpdateTime : at };
    });
    const numbers = {
      replicas,
      updatedReplicas: updated,
      readyReplicas: count("readyReplicas"),
      availableReplicas: available,
      unavailableReplicas: Math.max(0, desired - available),
    };
    const nonZero = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value > 0));
    const annotations = { ...live.metadata.annotations, [REVISION]: current?.metadata.annotations?.[REVISION] ?? "1" };
    const status = { observedGeneration: live.metadata.generation, ...nonZero, conditions };
    return { ...live, metadata: { ...live.metadata, annotations }, status };
  });
  return complete || late ? undefined : Math.max(100, since + deadline - world.timers.now());
}

export function replicaSetController(world: Simulation): Controller {
  return {
    kind: "ReplicaSet",
    owns: "Pod",
    reconcile(set, memory) {
      const { replicas: desired, template } = set.spec;
      const living = () =>
        listOwnedObjects(world, "Pod", set).filter((pod) =>
          pod.metadata.deletionTimestamp === undefined && !isPodFinished(pod)
        );
      let failed = false;
      for (let missing = desired - living().length; missing > 0 && !failed; missing--) {
        failed = !createPod(world, { owner: set, template, by: REPLICASET_COMPONENT });
      }
      for (const pod of living().slice(desired)) {
        deleteObject(world, pod, {});
        recordKubernetesEvent(world, set, {
          by: REPLICASET_COMPONENT,
          normal: "SuccessfulDelete",
          message: `Deleted pod: ${pod.metadata.name}`,
        });
      }
      const present = living(), ready = present.filter(isPodReady).length;
      changeObjectStatus(world, set, CONTROLLER_FIELD_MANAGER, (_, live) => ({
        replicas: present.length,
        fullyLabeledReplicas: present.length,
        ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
        observedGeneration: live.metadata.generation,
      }));
      return memory.backoff(set, failed);
    },
  };
}
