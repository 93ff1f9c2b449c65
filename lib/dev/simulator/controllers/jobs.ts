/** Jobs: pods until enough have succeeded, too many have failed, or the time is up. */
import type { Kind } from "#lib/dev/simulator/kinds.ts";
import { type Json, type KubeObject, same, timestamp } from "#lib/dev/simulator/object.ts";
import { SECOND } from "#lib/base/time.ts";
import { deleteObject } from "#lib/dev/simulator/deletion.ts";
import { say } from "#lib/dev/simulator/events.ts";
import type { World } from "#lib/dev/simulator/world.ts";
import { changeObject } from "#lib/dev/simulator/writes.ts";
import { type Controller, ownedBy, ownersOf } from "#lib/dev/simulator/controllers/controller.ts";
import { makePod, makingBackoff } from "#lib/dev/simulator/controllers/pod-maker.ts";
import { isReady } from "#lib/dev/simulator/controllers/pod-status.ts";

const BY = "job-controller";
const MANAGER = "kube-controller-manager";
const TOLD_DEADLINE = 1; // seconds for a Job that was told to hang, from when on it runs: it must have hung to be late

type Verdict = {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
};

export function jobController(world: World): Controller {
  const kind = world.kinds.of("batch/v1", "Job")!, pods = world.kinds.of("v1", "Pod")!;
  const failures = new Map<string, number>();
  return {
    kind,
    also: (change) => change.kind === pods ? ownersOf(world, kind, change) : [],
    gone: (job) => void failures.delete(job.metadata.uid),
    reconcile(job) {
      if (job.metadata.deletionTimestamp !== undefined) return;
      if (endOf(job)) return expire(world, kind, job);
      const all = ownedBy(world, pods, job);
      const succeeded = all.filter((pod) => pod.status?.phase === "Succeeded");
      const failed = all.filter((pod) => pod.status?.phase === "Failed");
      const stopping = all.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isDone(pod));
      const active = all.filter((pod) => pod.metadata.deletionTimestamp === undefined && !isDone(pod));
      // a pod that somebody deletes counts as failed, and still does once it is gone
      const lost = job.spec.suspend ? 0 : failed.length + stopping.length;
      const broken = Math.max(lost, job.status?.failed ?? 0);
      const wanted = (job.spec.completions ?? job.spec.parallelism ?? 1) as number;
      const deadline = deadlineOf(world, job, active);
      const verdict = judge(world, job, { succeeded: succeeded.length, failed: broken, wanted, deadline });
      const counts = { active, succeeded, failed: broken, stopping };
      if (verdict) {
        for (const pod of active) deleteObject(world, pods, pod, {});
        return report(world, kind, job, counts, verdict);
      }
      if (job.spec.suspend) {
        for (const pod of active) deleteObject(world, pods, pod, {});
        return report(world, kind, job, counts, null);
      }
      const uid = job.metadata.uid;
      const room = Math.min(job.spec.parallelism, wanted - succeeded.length) - active.length - stopping.length;
      let refused = false;
      for (let i = 0; i < room && !refused; i++) {
        refused = !makePod(world, { owner: job, template: job.spec.template, by: BY });
      }
      failures.set(uid, refused ? (failures.get(uid) ?? 0) + 1 : 0);
      const now = ownedBy(world, pods, job);
      report(world, kind, job, {
        ...counts,
        active: now.filter((pod) => pod.metadata.deletionTimestamp === undefined && !isDone(pod)),
      }, null);
      const again = refused ? makingBackoff(failures.get(uid)!) : Infinity;
      const left = deadlineOf(world, job, active);
      const due = left === null ? Infinity : Math.max(0, left - world.timers.now());
      const next = Math.min(again, due);
      return next === Infinity ? undefined : next;
    },
  };
}

interface Counts {
  readonly active: readonly KubeObject[];
  readonly succeeded: readonly KubeObject[];
  readonly failed: number;
  readonly stopping: readonly KubeObject[];
}

interface Standing {
  readonly succeeded: number;
  readonly failed: number;
  readonly wanted: number;
  readonly deadline: number | null;
}

function judge(world: World, job: KubeObject, { succeeded, failed, wanted, deadline }: Standing): Verdict | null {
  const told = (job.status?.conditions ?? []).find((each: Json) =>
    each.type === "FailureTarget" || each.type === "SuccessCriteriaMet"
  );
  if (told) return told;
  if (succeeded >= wanted) {
    return {
      type: "SuccessCriteriaMet",
      reason: "CompletionsReached",
      message: "Reached expected number of succeeded pods",
    };
  }
  if (deadline !== null && world.timers.now() >= deadline) {
    return {
      type: "FailureTarget",
      reason: "DeadlineExceeded",
      message: "Job was active longer than specified deadline",
    };
  }
  if (failed > job.spec.backoffLimit) {
    const message = "Job has reached the specified backoff limit";
    return { type: "FailureTarget", reason: "BackoffLimitExceeded", message };
  }
  return null;
}

/** Counts and conditions; the last condition comes only when no pod is left that still stops. */
function report(world: World, kind: Kind, job: KubeObject, counts: Counts, verdict: Verdict | null): void {
  const at = timestamp(world.timers.now());
  const over = verdict !== null && counts.active.length === 0 && counts.stopping.length === 0;
  const condition = (type: string, reason: string, message: string, status = "True") => ({
    type,
    status,
    lastProbeTime: at,
    lastTransitionTime: at,
    reason,
    message,
  });
  const end = verdict?.type === "SuccessCriteriaMet" ? "Complete" : "Failed";
  const written = changeObject(world, kind, job, MANAGER, (live) => {
    const conditions: Json[] = [...live.status?.conditions ?? []];
    const has = (type: string) => conditions.some((each) => each.type === type);
    if (verdict && !has(verdict.type)) conditions.push(condition(verdict.type, verdict.reason, verdict.message));
    if (verdict && over && !has(end)) conditions.push(condition(end, verdict.reason, verdict.message));
    const suspended = conditions.findIndex((each) => each.type === "Suspended");
    if (job.spec.suspend && suspended < 0) conditions.push(condition("Suspended", "JobSuspended", "Job suspended"));
    if (!job.spec.suspend && suspended >= 0) {
      conditions[suspended] = condition("Suspended", "JobResumed", "Job resumed", "False");
    }
    const gone = counts.active.length === 0 ? {} : { active: counts.active.length };
    const status = {
      ...(conditions.length > 0 ? { conditions } : {}),
      ...(job.spec.suspend ? {} : { startTime: live.status?.startTime ?? at }),
      ...(end === "Complete" && over ? { completionTime: live.status?.completionTime ?? at } : {}),
      ...gone,
      ...(counts.succeeded.length > 0 ? { succeeded: counts.succeeded.length } : {}),
      ...(counts.failed > 0 ? { failed: counts.failed } : {}),
      terminating: counts.stopping.length,
      uncountedTerminatedPods: {},
      ready: counts.active.filter((pod) => isReady(pod)).length,
    };
    return same(status, live.status) ? null : { ...live, status };
  });
  if (!written || !over || endOf(job)) return;
  if (end === "Complete") say(world, job, { type: "Normal", reason: "Completed", message: "Job completed", by: BY });
  else say(world, job, { type: "Warning", reason: verdict.reason, message: verdict.message, by: BY });
}

function expire(world: World, kind: Kind, job: KubeObject): number | void {
  const ttl = job.spec.ttlSecondsAfterFinished as number | undefined, end = endOf(job);
  if (ttl === undefined || !end) return;
  const left = Date.parse(end.lastTransitionTime) + ttl * SECOND - world.timers.now();
  if (left > 0) return Math.min(left, 2 ** 30); // a longer timer would fire at once
  deleteObject(world, kind, job, { propagation: "Background" });
}

function endOf(job: KubeObject): Json | undefined {
  return (job.status?.conditions ?? []).find((each: Json) =>
    (each.type === "Complete" || each.type === "Failed") && each.status === "True"
  );
}

function deadlineOf(world: World, job: KubeObject, active: readonly KubeObject[]): number | null {
  const told = world.faults.of("hanging-job", job.metadata.namespace, job.metadata.name);
  const seconds: number | undefined = told ? TOLD_DEADLINE : job.spec.activeDeadlineSeconds;
  const start = told ? begunAt(active) : job.status?.startTime;
  return seconds === undefined || start === undefined ? null : Date.parse(start) + seconds * SECOND;
}

/** Since when one of the pods runs its program. */
function begunAt(pods: readonly KubeObject[]): string | undefined {
  const statuses: Json[] = pods.flatMap(({ status }) => [
    ...status?.initContainerStatuses ?? [],
    ...status?.containerStatuses ?? [],
  ]);
  return statuses.find(({ state }) => state.running)?.state.running.startedAt;
}

function isDone(pod: KubeObject): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}
