/**
 * Whether an object is ready, is on its way, or can never become so: decided in this one place, from what was seen.
 *
 * An object's own status is the least of it. Image, quota, LimitRange, pod security, a missing Secret and scheduling
 * give a Job no condition at all; they stand in its pods' waiting reasons and in its events. Pure: the same sight at
 * the same time gives the same verdict.
 */
import {
  conditionOf,
  containersOf,
  createdAt,
  eventsOf,
  firstSeen,
  lastSeen,
  podsOf,
  replicaSetEventsOf,
  type Terminated,
  timeOf,
} from "#lib/cluster/belongs.ts";
import { claimTrouble, waitsForConsumer } from "#lib/cluster/claim-trouble.ts";
import type { KubeObject } from "#lib/cluster/cluster.ts";
import { podTrouble } from "#lib/cluster/pod-trouble.ts";
import { isTrue, lackOf } from "#lib/cluster/readiness.ts";
import { readRefusal } from "#lib/cluster/refusals.ts";
import { type Clock, impossible, isFresh, isFreshEvent, until, type Verdict, waiting } from "#lib/cluster/verdict.ts";

/** Judges one object by itself and by all pods and events of its namespace. */
export function judge(
  object: KubeObject,
  pods: readonly KubeObject[],
  events: readonly KubeObject[],
  clock: Clock,
): Verdict {
  const lack = lackOf(object);
  if (lack === undefined) return { is: "ready" };
  const name = `${object.kind} ${object.metadata.name}`;
  const own = podsOf(object, pods);
  if (object.kind === "PersistentVolumeClaim") {
    if (waitsForConsumer(object.metadata.name, events)) return { is: "ready" };
    return claimTrouble(object.metadata.name, events, clock) ?? waiting(`${name} ${lack}`);
  }
  const troubles = [
    conditionTrouble(object, pods, clock),
    creationTrouble(object, own, events, clock),
    ...own.map((pod) => podTrouble(pod, events, clock)),
  ].filter((trouble) => trouble !== undefined);
  return troubles.find((trouble) => trouble.is === "impossible") ?? troubles[0] ?? waiting(`${name} ${lack}`);
}

/** How a Job has failed or is about to, or undefined. Out of memory tells more than that it failed. */
export function failureOf(
  job: KubeObject,
  pods: readonly KubeObject[],
): { code: string; message: string; terminated: Terminated | undefined } | undefined {
  const condition = [conditionOf(job, "Failed"), conditionOf(job, "FailureTarget")].find(isTrue);
  if (!condition) return undefined;
  const ends = pods.filter((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === job.metadata.uid))
    .flatMap((pod) => containersOf(pod).map((container) => ({ pod, container, end: container.state?.terminated })))
    .filter(({ end }) => end !== undefined && end.exitCode !== 0);
  const starved = ends.find(({ end }) => end!.reason === "OOMKilled");
  if (starved) {
    const place = `Container ${starved.container.name} of pod ${starved.pod.metadata.name}`;
    const message = `${place} ran out of memory (exit code ${starved.end!.exitCode})`;
    return { code: "OOMKilled", message, terminated: starved.end };
  }
  return {
    code: condition.reason || "Failed",
    message: condition.message || `Job ${job.metadata.name} has failed`,
    terminated: ends.at(-1)?.end,
  };
}

function conditionTrouble(object: KubeObject, pods: readonly KubeObject[], clock: Clock): Verdict | undefined {
  if (object.kind === "Job") {
    const failure = failureOf(object, pods);
    if (!failure) return undefined;
    const hint = failure.code === "OOMKilled" ? "Raise its memory limit." : "See the last lines of its log.";
    return impossible(failure.code, failure.message, failure.code === "OOMKilled" ? "operator" : "cluster", hint);
  }
  if (object.kind === "Deployment") {
    const progressing = conditionOf(object, "Progressing");
    const seen = (object["status"]?.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
    if (!seen || progressing?.reason !== "ProgressDeadlineExceeded") return undefined;
    if (!isFresh(timeOf(progressing.lastTransitionTime) ?? clock.now, clock)) return undefined;
    const message = progressing.message ?? `Deployment ${object.metadata.name} makes no progress`;
    return impossible("ProgressDeadlineExceeded", message, "cluster", "See the events and the log of its pods.");
  }
  if (object.kind === "PersistentVolumeClaim" && object["status"]?.phase === "Lost") {
    return impossible("Lost", `The volume of claim ${object.metadata.name} is gone`, "operator");
  }
  return undefined;
}

/** What admission refused when the object's controller tried to make a pod (or a claim) for it. */
function creationTrouble(
  object: KubeObject,
  own: readonly KubeObject[],
  events: readonly KubeObject[],
  clock: Clock,
): Verdict | undefined {
  const about = object.kind === "Deployment" ? replicaSetEventsOf(object, events) : eventsOf(object, events);
  const newestPod = Math.max(...own.map(createdAt), 0);
  const refused = about.filter((event) => event["reason"] === "FailedCreate" && lastSeen(event) >= newestPod);
  const latest = refused.toSorted((a, b) => lastSeen(a) - lastSeen(b)).at(-1);
  const failing = conditionOf(object, "ReplicaFailure"); // a Deployment and a ReplicaSet say so themselves as well
  const stands = failing?.status === "True" && own.length === 0;
  const message = stands ? failing.message ?? "" : String(latest?.["message"] ?? "");
  if (!stands && (!latest || own.length >= (object["spec"]?.replicas ?? object["spec"]?.parallelism ?? 1))) {
    return undefined;
  }
  const at = stands ? timeOf(failing.lastTransitionTime) ?? clock.now : lastSeen(latest!);
  const sentence = `${object.kind} ${object.metadata.name} cannot make its pod: ${message}`;
  if (!(latest && isFreshEvent(latest, clock)) && !isFresh(at, clock)) return waiting(sentence, remaining(clock));

  const { code, hint, heals } = readRefusal(message);
  if (!/ is forbidden: /.test(message) || heals === "soon") return waiting(sentence);
  const verdict = impossible(code, message, "operator", hint);
  if (heals === "never") return verdict;
  const first = Math.min(...refused.map(firstSeen), at);
  return until(Math.max(first, clock.since) + clock.patience.quotaMs, clock, sentence, verdict);
}

function remaining(clock: Clock): number {
  return clock.since + clock.patience.unschedulableMs - clock.now;
}
