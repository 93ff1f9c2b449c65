/** Simulates the Job controller: creates pods until enough succeed, too many fail or the deadline passes. */
import { SECOND } from "#lib/base/time.ts";
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import {
  changeObjectStatus,
  CONTROLLER_FIELD_MANAGER,
  createPod,
  findCondition,
  isConditionTrue,
  listOwnedObjects,
  recordKubernetesEvent,
} from "#lib/dev/simulator/controllers/objects.ts";
import { isPodFinished, isPodReady, listContainerStatuses } from "#lib/dev/simulator/controllers/kubelet.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { Simulation } from "#lib/dev/simulator/simulation.ts";

const COMPONENT = "job-controller";
// Deadlines in seconds for a Job with a `hanging-job` fault, counted from the start of its program. The longer deadline
// applies until a client follows the pod's log, so that a client on a slow machine can read the log.
const FAULT_DEADLINE = 1, UNREAD_DEADLINE = 60;
const UNREAD_CHECK_INTERVAL = 100; // ms between checks whether a client follows the log

type JobOutcome = {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
};

interface Pods {
  readonly active: readonly StoredObject[];
  readonly stopping: readonly StoredObject[];
  readonly succeeded: number;
  /** The number of failed pods, including pods that were deleted before they finished, even if they no longer exist. */
  readonly failed: number;
}

export function jobController(world: Simulation): Controller {
  return {
    kind: "Job",
    owns: "Pod",
    reconcile(job, memory) {
      if (finalConditionOf(job)) return expire(world, job);
      const { suspend, completions, parallelism, template } = job.spec;
      const pods = podsOf(world, job);
      const desired: number = completions ?? parallelism ?? 1;
      const outcome = decideOutcome(world, job, pods, desired);
      if (outcome || suspend) {
        for (const pod of pods.active) deleteObject(world, pod, {});
        return report(world, job, pods, outcome);
      }
      const missing = Math.min(parallelism, desired - pods.succeeded) - pods.active.length - pods.stopping.length;
      let refused = false;
      for (let i = 0; i < missing && !refused; i++) {
        refused = !createPod(world, { owner: job, template, by: COMPONENT });
      }
      report(world, job, { ...pods, active: podsOf(world, job).active }, null);
      const again = memory.backoff(job, refused) ?? Infinity,
        deadline = deadlineOf(world, job, pods.active) ?? Infinity;
      const unreadCheck = isUnread(world, job, pods.active) ? UNREAD_CHECK_INTERVAL : Infinity;
      const next = Math.min(again, unreadCheck, Math.max(0, deadline - world.timers.now()));
      return next === Infinity ? undefined : next;
    },
  };
}

function podsOf(world: Simulation, job: StoredObject): Pods {
  const all = listOwnedObjects(world, "Pod", job),
    count = (phase: string) => all.filter((pod) => pod.status?.phase === phase);
  const living = all.filter((pod) => !isPodFinished(pod));
  const active = living.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const stopping = living.filter((pod) => pod.metadata.deletionTimestamp !== undefined);
  const lost = job.spec.suspend ? 0 : count("Failed").length + stopping.length;
  return { active, stopping, succeeded: count("Succeeded").length, failed: Math.max(lost, job.status?.failed ?? 0) };
}

function decideOutcome(
  world: Simulation,
  job: StoredObject,
  { active, succeeded, failed }: Pods,
  desired: number,
): JobOutcome | null {
  const hasFault = findCondition(job, "FailureTarget") ?? findCondition(job, "SuccessCriteriaMet");
  if (hasFault) return hasFault as unknown as JobOutcome;
  if (succeeded >= desired) {
    const message = "Reached expected number of succeeded pods";
    return { type: "SuccessCriteriaMet", reason: "CompletionsReached", message };
  }
  const deadline = deadlineOf(world, job, active);
  if (deadline !== null && world.timers.now() >= deadline) {
    const message = "Job was active longer than specified deadline";
    return { type: "FailureTarget", reason: "DeadlineExceeded", message };
  }
  if (failed <= job.spec.backoffLimit) return null;
  const message = "Job has reached the specified backoff limit";
  return { type: "FailureTarget", reason: "BackoffLimitExceeded", message };
}

/** Writes the Job's pod counts and conditions. Sets the final condition only after every pod has stopped. */
function report(world: Simulation, job: StoredObject, pods: Pods, outcome: JobOutcome | null): void {
  const { active, stopping, succeeded, failed } = pods, { suspend } = job.spec;
  const at = world.timers.stamp();
  const over = outcome !== null && active.length === 0 && stopping.length === 0;
  const condition = (type: string, reason: string, message: string, status = "True") => (
    { type, status, lastProbeTime: at, lastTransitionTime: at, reason, message }
  );
  const end = outcome?.type === "SuccessCriteriaMet" ? "Complete" : "Failed";
  const written = changeObjectStatus(world, job, CONTROLLER_FIELD_MANAGER, (status) => {
    const conditions: Json[] = [...status.conditions ?? []];
    const has = (type: string) => conditions.some((each) => each.type === type);
    if (outcome && !has(outcome.type)) conditions.push(condition(outcome.type, outcome.reason, outcome.message));
    if (outcome && over && !has(end)) conditions.push(condition(end, outcome.reason, outcome.message));
    const suspended = conditions.findIndex((each) => each.type === "Suspended");
    if (suspend && suspended < 0) conditions.push(condition("Suspended", "JobSuspended", "Job suspended"));
    if (!suspend && suspended >= 0) {
      conditions[suspended] = condition("Suspended", "JobResumed", "Job resumed", "False");
    }
    return {
      ...(conditions.length > 0 ? { conditions } : {}),
      ...(suspend ? {} : { startTime: status.startTime ?? at }),
      ...(end === "Complete" && over ? { completionTime: status.completionTime ?? at } : {}),
      ...(active.length > 0 ? { active: active.length } : {}),
      ...(succeeded > 0 ? { succeeded } : {}),
      ...(failed > 0 ? { failed } : {}),
      terminating: stopping.length,
      uncountedTerminatedPods: {},
      ready: active.filter(isPodReady).length,
    };
  });
  if (!written || !over || finalConditionOf(job)) return;
  if (end === "Complete") {
    recordKubernetesEvent(world, job, { by: COMPONENT, normal: "Completed", message: "Job completed" });
  } else recordKubernetesEvent(world, job, { by: COMPONENT, warning: outcome.reason, message: outcome.message });
}

function expire(world: Simulation, job: StoredObject): number | void {
  const ttl = job.spec.ttlSecondsAfterFinished as number | undefined;
  if (ttl === undefined) return;
  const left = Date.parse(finalConditionOf(job)!.lastTransitionTime) + ttl * SECOND - world.timers.now();
  if (left > 0) return Math.min(left, 2 ** 30); // a longer timer would fire immediately
  deleteObject(world, job, { propagation: "Background" });
}

function finalConditionOf(job: StoredObject): Json | undefined {
  return ["Complete", "Failed"].filter((type) => isConditionTrue(job, type)).map((type) => findCondition(job, type))[0];
}

function deadlineOf(world: Simulation, job: StoredObject, active: readonly StoredObject[]): number | null {
  const hasFault = hasHangFault(world, job);
  const faultSeconds = isUnread(world, job, active) ? UNREAD_DEADLINE : FAULT_DEADLINE;
  const seconds: number | undefined = hasFault ? faultSeconds : job.spec.activeDeadlineSeconds;
  const start = hasFault ? findStartTime(active) : job.status?.startTime;
  return seconds === undefined || start === undefined ? null : Date.parse(start) + seconds * SECOND;
}

function hasHangFault(world: Simulation, { metadata: { namespace, name } }: StoredObject): boolean {
  return world.faults.find("hanging-job", namespace, name) !== null;
}

function isUnread(world: Simulation, job: StoredObject, active: readonly StoredObject[]): boolean {
  return hasHangFault(world, job) && !active.some(({ metadata }) => world.logs.wasFollowed(metadata.uid));
}

function findStartTime(pods: readonly StoredObject[]): string | undefined {
  return pods.flatMap((pod) => listContainerStatuses(pod)).find(({ state }) => state.running)?.state.running.startedAt;
}
