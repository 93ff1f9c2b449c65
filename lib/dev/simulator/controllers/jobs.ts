/** Simulates the Job controller: creates pods until enough succeed, too many fail or the deadline passes. */
import { SECOND } from "#lib/base/time.ts";
import type { Controller } from "#lib/dev/simulator/controllers/controller.ts";
import { changeStatus, conditionOf, CONTROLLERS, isTrue, ownedBy } from "#lib/dev/simulator/controllers/objects.ts";
import { makePod } from "#lib/dev/simulator/controllers/create-pod.ts";
import { isPodOver, isReady, statusesOf } from "#lib/dev/simulator/controllers/pod-status.ts";
import { deleteObject } from "#lib/dev/simulator/admission/deletion.ts";
import { say } from "#lib/dev/simulator/controllers/events.ts";
import type { Json, StoredObject } from "#lib/dev/simulator/store/object.ts";
import type { World } from "#lib/dev/simulator/world.ts";

const BY = "job-controller";
// The deadline in seconds for a Job with a `hanging-job` fault, counted from the start of its program. The deadline is
// longer until a client follows the pod's log, so that a client on a slow machine can read the log.
const TOLD_DEADLINE = 1, UNREAD_DEADLINE = 60;
const UNREAD_LOOK = 100; // milliseconds between checks whether a client follows the log

type Verdict = {
  readonly type: "SuccessCriteriaMet" | "FailureTarget";
  readonly reason: string;
  readonly message: string;
};

interface Pods {
  readonly active: readonly StoredObject[];
  readonly stopping: readonly StoredObject[];
  readonly succeeded: number;
  /** The number of failed pods. A deleted pod counts as failed, also after it is removed. */
  readonly failed: number;
}

export function jobController(world: World): Controller {
  return {
    kind: "Job",
    owns: "Pod",
    reconcile(job, memory) {
      if (endOf(job)) return expire(world, job);
      const { suspend, completions, parallelism, template } = job.spec;
      const pods = podsOf(world, job);
      const wanted: number = completions ?? parallelism ?? 1;
      const verdict = judge(world, job, pods, wanted);
      if (verdict || suspend) {
        for (const pod of pods.active) deleteObject(world, pod, {});
        return report(world, job, pods, verdict);
      }
      const room = Math.min(parallelism, wanted - pods.succeeded) - pods.active.length - pods.stopping.length;
      let refused = false;
      for (let i = 0; i < room && !refused; i++) refused = !makePod(world, { owner: job, template, by: BY });
      report(world, job, { ...pods, active: podsOf(world, job).active }, null);
      const again = memory.backoff(job, refused) ?? Infinity,
        deadline = deadlineOf(world, job, pods.active) ?? Infinity;
      const look = isUnread(world, job, pods.active) ? UNREAD_LOOK : Infinity;
      const next = Math.min(again, look, Math.max(0, deadline - world.timers.now()));
      return next === Infinity ? undefined : next;
    },
  };
}

function podsOf(world: World, job: StoredObject): Pods {
  const all = ownedBy(world, "Pod", job), count = (phase: string) => all.filter((pod) => pod.status?.phase === phase);
  const living = all.filter((pod) => !isPodOver(pod));
  const active = living.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const stopping = living.filter((pod) => pod.metadata.deletionTimestamp !== undefined);
  const lost = job.spec.suspend ? 0 : count("Failed").length + stopping.length;
  return { active, stopping, succeeded: count("Succeeded").length, failed: Math.max(lost, job.status?.failed ?? 0) };
}

function judge(world: World, job: StoredObject, { active, succeeded, failed }: Pods, wanted: number): Verdict | null {
  const told = conditionOf(job, "FailureTarget") ?? conditionOf(job, "SuccessCriteriaMet");
  if (told) return told as unknown as Verdict;
  if (succeeded >= wanted) {
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

/** Writes the counts and conditions. The final condition is set only after every pod has stopped. */
function report(world: World, job: StoredObject, pods: Pods, verdict: Verdict | null): void {
  const { active, stopping, succeeded, failed } = pods, { suspend } = job.spec;
  const at = world.timers.stamp();
  const over = verdict !== null && active.length === 0 && stopping.length === 0;
  const condition = (type: string, reason: string, message: string, status = "True") => (
    { type, status, lastProbeTime: at, lastTransitionTime: at, reason, message }
  );
  const end = verdict?.type === "SuccessCriteriaMet" ? "Complete" : "Failed";
  const written = changeStatus(world, job, CONTROLLERS, (status) => {
    const conditions: Json[] = [...status.conditions ?? []];
    const has = (type: string) => conditions.some((each) => each.type === type);
    if (verdict && !has(verdict.type)) conditions.push(condition(verdict.type, verdict.reason, verdict.message));
    if (verdict && over && !has(end)) conditions.push(condition(end, verdict.reason, verdict.message));
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
      ready: active.filter(isReady).length,
    };
  });
  if (!written || !over || endOf(job)) return;
  if (end === "Complete") say(world, job, { by: BY, normal: "Completed", message: "Job completed" });
  else say(world, job, { by: BY, warning: verdict.reason, message: verdict.message });
}

function expire(world: World, job: StoredObject): number | void {
  const ttl = job.spec.ttlSecondsAfterFinished as number | undefined;
  if (ttl === undefined) return;
  const left = Date.parse(endOf(job)!.lastTransitionTime) + ttl * SECOND - world.timers.now();
  if (left > 0) return Math.min(left, 2 ** 30); // a longer timer would fire immediately
  deleteObject(world, job, { propagation: "Background" });
}

function endOf(job: StoredObject): Json | undefined {
  return ["Complete", "Failed"].filter((type) => isTrue(job, type)).map((type) => conditionOf(job, type))[0];
}

function deadlineOf(world: World, job: StoredObject, active: readonly StoredObject[]): number | null {
  const told = isToldToHang(world, job);
  const toldSeconds = isUnread(world, job, active) ? UNREAD_DEADLINE : TOLD_DEADLINE;
  const seconds: number | undefined = told ? toldSeconds : job.spec.activeDeadlineSeconds;
  const start = told ? begunAt(active) : job.status?.startTime;
  return seconds === undefined || start === undefined ? null : Date.parse(start) + seconds * SECOND;
}

function isToldToHang(world: World, { metadata: { namespace, name } }: StoredObject): boolean {
  return world.faults.of("hanging-job", namespace, name) !== null;
}

function isUnread(world: World, job: StoredObject, active: readonly StoredObject[]): boolean {
  return isToldToHang(world, job) && !active.some(({ metadata }) => world.logs.wasFollowed(metadata.uid));
}

/** Returns the start time of the first running container. */
function begunAt(pods: readonly StoredObject[]): string | undefined {
  return pods.flatMap((pod) => statusesOf(pod)).find(({ state }) => state.running)?.state.running.startedAt;
}
