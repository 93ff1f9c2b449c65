/**
 * Deployments and their ReplicaSets: one set a template, the old ones emptied before (Recreate) or after the new one is
 * up.
 */
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import { hashSuffix, type Json, type KubeObject, same, timestamp } from "#lib/dev/simulator/object.ts";
import { SECOND } from "#lib/base/time.ts";
import { say } from "#lib/dev/simulator/events.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject, createObject } from "#lib/dev/simulator/writes.ts";
import {
  type Controller,
  ownedBy,
  ownerReference,
  ownersOf,
  withConditions,
} from "#lib/dev/simulator/controllers/controller.ts";
import { isReady } from "#lib/dev/simulator/controllers/pod-status.ts";

const MANAGER = "kube-controller-manager";
const BY = "deployment-controller";
const TOLD_DEADLINE = 20; // delays until a rollout that was told to hang counts as stuck

export function deploymentController(world: World): Controller {
  const kind = world.kinds.of("apps/v1", "Deployment")!, sets = world.kinds.of("apps/v1", "ReplicaSet")!;
  const pods = world.kinds.of("v1", "Pod")!;
  return {
    kind,
    also(change) {
      if (change.kind === sets) return ownersOf(world, kind, change);
      // Recreate waits for the last old pod to be gone, and its set has counted it out before that.
      if (change.kind !== pods || change.type !== "DELETED") return [];
      return [...ownersOf(world, sets, change)].flatMap((
        set,
      ) => [...ownersOf(world, kind, { ...change, object: set })]);
    },
    reconcile(deployment) {
      if (deployment.metadata.deletionTimestamp !== undefined) return;
      const all = ownedBy(world, sets, deployment);
      const wanted = deployment.spec.replicas as number;
      const hash = hashSuffix(
        JSON.stringify({
          ...deployment.spec.template,
          metadata: { ...deployment.spec.template.metadata, creationTimestamp: null },
        }),
      );
      const current = all.find((set) => set.metadata.labels?.["pod-template-hash"] === hash);
      const old = all.filter((set) => set !== current);
      const recreate = deployment.spec.strategy.type === "Recreate";
      const oldLeft = old.some((set) => podsOf(world, set).length > 0);
      if (recreate) { for (const set of old) scale(world, sets, set, 0); }
      if (!recreate || !oldLeft) {
        if (!current) makeSet(world, sets, deployment, hash, wanted, all.length + 1);
        else scale(world, sets, current, wanted);
      }
      const up = (current?.status?.availableReplicas ?? 0) >= wanted;
      if (!recreate && current && up) { for (const set of old) scale(world, sets, set, 0); }
      prune(world, sets, old, deployment.spec.revisionHistoryLimit);
      return report(world, kind, deployment, current, all);
    },
  };
}

function makeSet(
  world: World,
  sets: Kind,
  deployment: KubeObject,
  hash: string,
  replicas: number,
  revision: number,
): void {
  const { template, selector } = deployment.spec;
  const mark = { "pod-template-hash": hash };
  const body = {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      labels: { ...template.metadata.labels, ...mark },
      annotations: { "deployment.kubernetes.io/revision": String(revision) },
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, ...mark } },
      template: { ...template, metadata: { ...template.metadata, labels: { ...template.metadata.labels, ...mark } } },
    },
  };
  createObject(world, sets, deployment.metadata.namespace, body, { manager: MANAGER });
  const message = `Scaled up replica set ${body.metadata.name} from 0 to ${replicas}`;
  say(world, deployment, { type: "Normal", reason: "ScalingReplicaSet", message, by: BY });
}

function scale(world: World, sets: Kind, set: KubeObject, replicas: number): void {
  changeObject(world, sets, set, MANAGER, (live) => {
    if (live.spec.replicas === replicas) return null;
    const metadata = { ...live.metadata, generation: (live.metadata.generation ?? 1) + 1 };
    return { ...live, metadata, spec: { ...live.spec, replicas } };
  });
}

function prune(world: World, sets: Kind, old: readonly KubeObject[], keep: number): void {
  const idle = old.filter((set) => set.spec.replicas === 0 && podsOf(world, set).length === 0)
    .sort((a, b) => Number(b.metadata.resourceVersion) - Number(a.metadata.resourceVersion));
  for (const set of idle.slice(keep)) world.store.remove(sets, set);
}

function report(
  world: World,
  kind: Kind,
  deployment: KubeObject,
  current: KubeObject | undefined,
  all: readonly KubeObject[],
): number | void {
  const at = timestamp(world.timers.now()), wanted = deployment.spec.replicas as number;
  const count = (sets: readonly KubeObject[], field: string) =>
    sets.reduce((sum, set) => sum + (set.status?.[field] ?? 0), 0);
  const replicas = count(all, "replicas"),
    ready = count(all, "readyReplicas"),
    available = count(all, "availableReplicas");
  const updated = current ? count([current], "replicas") : 0;
  const enough = available >= (deployment.spec.strategy.type === "Recreate" ? wanted : Math.ceil(wanted * 0.75));
  const complete = current !== undefined && updated === wanted && available === wanted && replicas === wanted;
  const name = `ReplicaSet "${current?.metadata.name ?? `${deployment.metadata.name}-?`}"`;
  const before: Json | undefined = (deployment.status?.conditions ?? []).find((each: Json) =>
    each.type === "Progressing"
  );
  const since = Date.parse(before?.lastUpdateTime ?? at);
  const told = world.faults.of("unready", deployment.metadata.namespace, deployment.metadata.name) !== null;
  const deadline = told
    ? Math.max(2 * SECOND, world.delayMs * TOLD_DEADLINE)
    : deployment.spec.progressDeadlineSeconds * SECOND;
  const restarted = deployment.status?.observedGeneration !== deployment.metadata.generation;
  const timedOut = before?.reason === "ProgressDeadlineExceeded" || world.timers.now() - since >= deadline;
  const late = !complete && !restarted && timedOut;
  const progressing = complete
    ? { status: "True", reason: "NewReplicaSetAvailable", message: `${name} has successfully progressed.` }
    : late
    ? { status: "False", reason: "ProgressDeadlineExceeded", message: `${name} has timed out progressing.` }
    : before?.status === "True" && !restarted && before.reason !== "NewReplicaSetAvailable"
    ? { status: before.status, reason: before.reason, message: before.message }
    : { status: "True", reason: "ReplicaSetUpdated", message: `${name} is progressing.` };
  const moved = before?.reason !== progressing.reason || restarted;
  changeObject(world, kind, deployment, MANAGER, (live) => {
    const conditions = withConditions(live.status?.conditions, at, {
      type: "Available",
      status: enough ? "True" : "False",
      ...(enough
        ? { reason: "MinimumReplicasAvailable", message: "Deployment has minimum availability." }
        : { reason: "MinimumReplicasUnavailable", message: "Deployment does not have minimum availability." }),
    }, { type: "Progressing", ...progressing });
    const dated = conditions.map((each) => {
      const same = (live.status?.conditions ?? []).find((old: Json) =>
        old.type === each.type && old.status === each.status
      );
      const keep = same && (each.type !== "Progressing" || !moved);
      return { ...each, lastUpdateTime: keep ? same.lastUpdateTime : at };
    });
    const numbers = {
      replicas,
      updatedReplicas: updated,
      readyReplicas: ready,
      availableReplicas: available,
      unavailableReplicas: Math.max(0, wanted - available),
    };
    const shown = Object.fromEntries(Object.entries(numbers).filter(([, value]) => value > 0));
    const revision = current?.metadata.annotations?.["deployment.kubernetes.io/revision"] ?? "1";
    const annotations = { ...live.metadata.annotations, "deployment.kubernetes.io/revision": revision };
    const status = { observedGeneration: live.metadata.generation, ...shown, conditions: dated };
    const next = { ...live, metadata: { ...live.metadata, annotations }, status };
    return same(next, live) ? null : next;
  });
  return complete || late ? undefined : Math.max(100, since + deadline - world.timers.now());
}

/** The set's pods, those that are on their way out included. */
function podsOf(world: World, set: KubeObject): KubeObject[] {
  return ownedBy(world, world.kinds.of("v1", "Pod")!, set);
}

/** Ready, and not on its way out. */
export function countReady(pods: readonly KubeObject[]): number {
  return pods.filter((pod) => isReady(pod)).length;
}
