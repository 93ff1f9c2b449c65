/**
 * Decides whether an object is ready, is still waiting, or can never become ready. An object's own status rarely shows
 * the reason: problems with images, quotas, Secrets or scheduling only appear in its pods and in events.
 */
import {
  type ContainerTermination,
  createdAt,
  findCurrentPods,
  findLatestEvent,
  findObjectEvents,
  findReplicaSetEvents,
  findStatusCondition,
  getContainerStates,
  getFirstEventTime,
  getLastEventTime,
  parseKubeTimestamp,
} from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import { diagnoseCertificate } from "#lib/drivers/cluster/diagnosis/certificate.ts";
import { diagnosePvc, isPvcWaitingForPod } from "#lib/drivers/cluster/diagnosis/scheduling.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { diagnosePod } from "#lib/drivers/cluster/diagnosis/pod.ts";
import { findUnreadyReason, isTrueCondition } from "#lib/drivers/cluster/diagnosis/readiness.ts";
import { parseAdmissionRefusal } from "#lib/drivers/cluster/diagnosis/refusals.ts";
import { capitalize, formatKubeTimestamp, getDisplayName } from "#lib/drivers/cluster/diagnosis/display-names.ts";
import {
  createDiagnosisWithDeadline,
  createPermanentDiagnosis,
  createWaitingDiagnosis,
  type Diagnosis,
  isFromBeforeWait,
  mayBeCurrentEvent,
  mayBeCurrentMessage,
  type WaitClock,
} from "#lib/drivers/cluster/diagnosis/diagnosis.ts";
import { SECOND } from "#lib/base/time.ts";

const SNAPSHOT_HINT =
  "Check the logs of the snapshot controller and the storage driver, and the free space for snapshots.";
/** Matches messages from external-snapshotter or a storage driver about a snapshot that the storage has lost. */
const SNAPSHOT_GONE = /can not find snapshot for snapshotID|failed to list snapshot .*code = NotFound/;
const SNAPSHOT_GONE_HINT = "The snapshot was deleted from the storage. Choose another backup.";
const DEFAULT_PROGRESS_DEADLINE = 600; // in seconds, as in Kubernetes
const MORE_MEMORY_HINT = "Raise the memory limit in sizes.yaml, or choose a larger size.";

/**
 * Diagnoses an object, based on its own state and on all pods and events in its namespace. A Certificate also needs
 * `orders`, the objects that cert-manager created to issue it.
 */
export function diagnoseObject(
  object: KubeObject,
  pods: readonly KubeObject[],
  events: readonly KubeObject[],
  clock: WaitClock,
  orders: readonly KubeObject[] = [],
): Diagnosis {
  const unreadyReason = findUnreadyReason(object);
  if (unreadyReason === undefined) return { is: "ready" };
  const name = capitalize(getDisplayName(object.kind, object.metadata.name));
  const observed: ObservedState = { object, own: findCurrentPods(object, pods), pods, events, clock };
  if (object.kind === "PersistentVolumeClaim") {
    if (isPvcWaitingForPod(object.metadata.name, events)) return { is: "ready" };
    if (object["status"]?.phase === "Lost") return diagnoseLostVolume(object);
    return diagnosePvc(object.metadata.name, events, clock) ?? createWaitingDiagnosis(`${name} ${unreadyReason}`);
  }
  if (object.kind === "Certificate") {
    return diagnoseCertificate(object, orders, clock) ?? createWaitingDiagnosis(`${name} ${unreadyReason}`);
  }
  if (object.kind === "VolumeSnapshot") {
    return diagnoseSnapshot(object, clock) ?? createWaitingDiagnosis(`${name} ${unreadyReason}`);
  }
  const podDiagnoses = observed.own.map((pod) => diagnosePod(pod, events, clock)).filter((diagnosis) =>
    diagnosis !== undefined
  );
  const diagnoses = [
    diagnoseConditions(observed, lastWords(observed, podDiagnoses)),
    diagnosePodCreation(observed, unreadyReason),
    ...podDiagnoses,
  ].filter((diagnosis) => diagnosis !== undefined);
  return diagnoses.find((diagnosis) => diagnosis.is === "impossible") ?? diagnoses[0] ??
    createWaitingDiagnosis(`${name} ${unreadyReason}`);
}

/** Returns the reason why a Job failed or will soon fail, if any. Running out of memory takes precedence. */
export function findJobFailure(
  job: KubeObject,
  pods: readonly KubeObject[],
): { code: string; message: string; terminated: ContainerTermination | undefined } | undefined {
  const condition = [findStatusCondition(job, "Failed"), findStatusCondition(job, "FailureTarget")].find(
    isTrueCondition,
  );
  if (!condition) return undefined;
  const ends = pods.filter((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === job.metadata.uid))
    .flatMap((pod) =>
      getContainerStates(pod).map((container) => ({ pod, container, end: container.state?.terminated }))
    )
    .filter(({ end }) => end !== undefined && end.exitCode !== 0);
  const outOfMemory = ends.find(({ end }) => end!.reason === "OOMKilled");
  if (outOfMemory) {
    const label = `Container ${outOfMemory.container.name} of pod ${outOfMemory.pod.metadata.name}`;
    const message = `${label} ran out of memory (exit code ${outOfMemory.end!.exitCode})`;
    return { code: "OOMKilled", message, terminated: outOfMemory.end };
  }
  return {
    code: condition.reason || "Failed",
    message: condition.message || `Job ${job.metadata.name} has failed`,
    terminated: ends.at(-1)?.end,
  };
}

interface ObservedState {
  readonly object: KubeObject;
  readonly own: readonly KubeObject[];
  readonly pods: readonly KubeObject[];
  readonly events: readonly KubeObject[];
  readonly clock: WaitClock;
}

function diagnoseConditions(
  { object, pods, clock }: ObservedState,
  lastWords: string | undefined,
): Diagnosis | undefined {
  if (object.kind === "Job") {
    const failure = findJobFailure(object, pods);
    if (!failure) return undefined;
    const hint = failure.code === "OOMKilled" ? MORE_MEMORY_HINT : "Check the last lines of the Job's log.";
    return createPermanentDiagnosis(
      failure.code,
      failure.message,
      failure.code === "OOMKilled" ? "operator" : "cluster",
      hint,
    );
  }
  if (object.kind === "Deployment") {
    const progressing = findStatusCondition(object, "Progressing");
    const isObserved = (object["status"]?.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
    if (!isObserved || progressing?.reason !== "ProgressDeadlineExceeded") return undefined;
    // Gives the Deployment its full time limit again if the condition is older than this wait, because the condition
    // stays until a pod is ready.
    const time = (object["spec"]?.progressDeadlineSeconds ?? DEFAULT_PROGRESS_DEADLINE) * SECOND;
    const isOld = isFromBeforeWait(parseKubeTimestamp(progressing.lastTransitionTime) ?? clock.now, clock);
    if (isOld && clock.now < clock.since + time) return undefined;
    const { name } = object.metadata;
    const words = progressing.message ?? "ProgressDeadlineExceeded";
    const message = `Deployment ${name} did not become ready in time: ${words}${lastWords ? ` ${lastWords}` : ""}`;
    return createPermanentDiagnosis(
      "ProgressDeadlineExceeded",
      message,
      "cluster",
      "Check the events and logs of the Deployment's pods.",
    );
  }
  return undefined;
}

/** Returns what the pods were still waiting for when the Deployment's time limit was reached. */
function lastWords({ own, events }: ObservedState, ofPods: readonly Diagnosis[]): string | undefined {
  const waitingSentence = ofPods.map((diagnosis) => diagnosis.is === "waiting" ? diagnosis.sentence : "").find((text) =>
    text !== ""
  );
  if (waitingSentence) return waitingSentence;
  const probes = own.flatMap((pod) => findObjectEvents(pod, events).filter((event) => event["reason"] === "Unhealthy"));
  const last = findLatestEvent(probes);
  return last && `Pod ${last["involvedObject"].name} is not ready: ${last["message"]}`;
}

/**
 * Diagnoses a snapshot that has an error. The snapshot controller retries forever, so an error that lasts longer than
 * the time limit for volumes counts as permanent.
 */
function diagnoseSnapshot(snapshot: KubeObject, clock: WaitClock): Diagnosis | undefined {
  const error = snapshot["status"]?.error;
  if (!error?.message) return undefined;
  const message = `The snapshot ${snapshot.metadata.name} is not ready: ${error.message}`;
  if (SNAPSHOT_GONE.test(error.message)) {
    return createPermanentDiagnosis("SnapshotGone", message, "operator", SNAPSHOT_GONE_HINT);
  }
  const permanent = createPermanentDiagnosis("SnapshotFailed", message, "cluster", SNAPSHOT_HINT);
  return createDiagnosisWithDeadline(
    (parseKubeTimestamp(error.time) ?? clock.since) + clock.patience.volumeMs,
    clock,
    message,
    permanent,
  );
}

function diagnoseLostVolume({ metadata: { name } }: KubeObject): Diagnosis {
  const hint = "Restore a backup: the data is lost unless the volume can be recovered.";
  return createPermanentDiagnosis("Lost", `The volume of PersistentVolumeClaim ${name} is lost`, "operator", hint);
}

/** Explains why admission control refused to create the pods or PersistentVolumeClaims that an object needs. */
function diagnosePodCreation({ object, own, events, clock }: ObservedState, lack: string): Diagnosis | undefined {
  const about = object.kind === "Deployment" ? findReplicaSetEvents(object, events) : findObjectEvents(object, events);
  const newestPod = Math.max(...own.map(createdAt), 0);
  const refused = about.filter((event) => event["reason"] === "FailedCreate" && getLastEventTime(event) >= newestPod);
  const latest = findLatestEvent(refused);
  const failing = findStatusCondition(object, "ReplicaFailure"); // only Deployments and ReplicaSets have this condition
  const isRefused = failing?.status === "True" && own.length === 0;
  const message = isRefused ? failing.message ?? "" : String(latest?.["message"] ?? "");
  if (!isRefused && (!latest || own.length >= (object["spec"]?.replicas ?? object["spec"]?.parallelism ?? 1))) {
    return undefined;
  }
  const at = isRefused ? parseKubeTimestamp(failing.lastTransitionTime) ?? clock.now : getLastEventTime(latest!);
  const { code, why, hint, heals } = parseAdmissionRefusal(message);
  const what = /^create Claim |persistentvolumeclaims "/.test(message) ? "PersistentVolumeClaim" : "pod";
  const sentence = `${object.kind} ${object.metadata.name} cannot create its ${what} because ${why}: ${message}`;
  if (!(latest && mayBeCurrentEvent(latest, clock)) && !mayBeCurrentMessage(at, clock)) {
    const name = capitalize(getDisplayName(object.kind, object.metadata.name)),
      when = formatKubeTimestamp(new Date(at).toISOString());
    return createWaitingDiagnosis(
      `${name} ${lack}; at ${when} its ${what} was refused because ${why}`,
      remainingPatience(clock),
    );
  }

  // Treats an unknown message as temporary, unless it says that the request is forbidden.
  const unknown = code === "Forbidden" && !/ is forbidden: | cannot \S+ /.test(message);
  if (unknown || heals === "soon" || heals === "later") return createWaitingDiagnosis(sentence);
  const permanent = createPermanentDiagnosis(code, sentence, "operator", hint);
  if (heals === "never") return permanent;
  const first = Math.min(...refused.map(getFirstEventTime), at);
  return createDiagnosisWithDeadline(Math.max(first, clock.since) + clock.patience.quotaMs, clock, sentence, permanent);
}

function remainingPatience(clock: WaitClock): number {
  return clock.since + clock.patience.unschedulableMs - clock.now;
}
