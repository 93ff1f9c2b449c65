/** Explains why a pod does not run, from its conditions, container states and events. */
import {
  type ContainerState,
  createdAt,
  findLatestEvent,
  findObjectEvents,
  findPodStateStart,
  findStatusCondition,
  getContainerStates,
  getFirstEventTime,
  getLastEventTime,
  getNodeName,
  parseKubeTimestamp,
} from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { diagnoseImagePull, formatContainerLabel } from "#lib/drivers/cluster/diagnosis/image.ts";
import { diagnosePodPvcs, diagnoseScheduling } from "#lib/drivers/cluster/diagnosis/scheduling.ts";
import {
  createDiagnosisWithDeadline,
  createPermanentDiagnosis,
  createWaitingDiagnosis,
  type Diagnosis,
  isFromBeforeWait,
  type ObservedPod,
  type WaitClock,
} from "#lib/drivers/cluster/diagnosis/diagnosis.ts";
import { MINUTE } from "#lib/base/time.ts";

/** The number of restarts after which a crashing container counts as failed. */
const MAX_RESTARTS = 5;

export function diagnosePod(pod: KubeObject, events: readonly KubeObject[], clock: WaitClock): Diagnosis | undefined {
  const observed: ObservedPod = { pod, own: findObjectEvents(pod, events), clock };
  const scheduled = findStatusCondition(pod, "PodScheduled");
  if (scheduled?.status === "False") return diagnoseScheduling(pod, events, clock);
  // PersistentVolumeClaims can delay a pod only until it is scheduled.
  const unbound = scheduled === undefined ? diagnosePodPvcs(pod, events, clock) : undefined;
  if (unbound) return unbound;
  for (const container of getContainerStates(pod)) {
    const diagnosis = diagnoseContainer(observed, container);
    if (diagnosis) return diagnosis;
  }
  return diagnoseMounts(observed) ?? diagnoseProbes(observed);
}

function diagnoseContainer(observed: ObservedPod, container: ContainerState): Diagnosis | undefined {
  const { pod, own, clock } = observed;
  const { reason, message = "" } = container.state?.waiting ?? {};
  const label = formatContainerLabel(pod, container);
  switch (reason) {
    case "InvalidImageName":
    case "ErrImageNeverPull":
    case "SignatureValidationFailed":
      return createPermanentDiagnosis(
        reason,
        `The image of ${label} cannot be used: ${message || reason}`,
        "operator",
        "Correct the image's name in images.yaml.",
      );
    case "ErrImagePull":
    case "ImagePullBackOff":
    case "RegistryUnavailable":
    case "ImageInspectError":
      return diagnoseImagePull(observed, container);
    case "CreateContainerConfigError":
      return diagnoseConfig(observed, message, label);
    case "CreateContainerError":
    case "RunContainerError": {
      const sentence = `The ${label} cannot be started: ${message}`;
      const hint =
        "Correct the container's command, user or mounts in the blueprint, or check the node's container runtime.";
      const failure = createPermanentDiagnosis(reason, sentence, "operator", hint);
      return createDiagnosisWithDeadline(
        findPodStateStart(pod, own, "Failed") + clock.patience.imageMs,
        clock,
        sentence,
        failure,
      );
    }
    case "CrashLoopBackOff":
      return diagnoseCrash(observed, container, message);
    default:
      return undefined;
  }
}

/** Matches a kubelet's message that its cache is not synced with the API server. The Secret may still exist. */
const CACHE_NOT_SYNCED = /failed to sync \S+ cache/;

function diagnoseConfig({ pod, own, clock }: ObservedPod, message: string, label: string): Diagnosis {
  const sentence = `The ${label} cannot be configured: ${message}`;
  if (CACHE_NOT_SYNCED.test(message)) return createWaitingDiagnosis(sentence);
  const failure = createPermanentDiagnosis("CreateContainerConfigError", sentence, "operator", missingHint(message));
  return createDiagnosisWithDeadline(
    findPodStateStart(pod, own, "Failed") + clock.patience.configMs,
    clock,
    sentence,
    failure,
  );
}

function missingHint(message: string): string {
  const [, kind, name] = /(secret|configmap) "([^"]+)" not found/i.exec(message) ?? [];
  const [, key] = /couldn't find key (\S+)/.exec(message) ?? [];
  if (key) return `The blueprint's manifests refer to the missing key ${key}. Correct the manifests, then retry.`;
  if (/runAsNonRoot|non-root|non-numeric user/.test(message)) {
    return "Give the container a numeric user that is not root (runAsUser) in the blueprint.";
  }
  if (!kind) return "Correct the container's configuration in the blueprint, then retry.";
  return `The ${kind} ${name} does not exist. Create it again, or find out who deleted it, then retry.`;
}

/** Diagnoses a crashing container. A container that last crashed before this wait gets one more restart. */
function diagnoseCrash(observed: ObservedPod, container: ContainerState, message: string): Diagnosis {
  const { pod, clock } = observed, { restartCount = 0, lastState } = container;
  const failure = diagnoseCrashLoop(observed, container, message);
  const end = parseKubeTimestamp(lastState?.terminated?.finishedAt);
  if (restartCount < MAX_RESTARTS || end === undefined || !isFromBeforeWait(end, clock)) return failure;
  const sentence = `The ${
    formatContainerLabel(pod, container)
  } crashed and will be restarted within minutes: ${message}`;
  return createDiagnosisWithDeadline(clock.since + clock.patience.crashMs, clock, sentence, failure);
}

function diagnoseCrashLoop({ pod, own }: ObservedPod, container: ContainerState, message: string): Diagnosis {
  const label = formatContainerLabel(pod, container);
  const last = container.lastState?.terminated;
  const restarts = container.restartCount ?? 0;
  const how = last ? ` (${last.reason ?? "Error"}, exit code ${last.exitCode})` : "";
  if (restarts < MAX_RESTARTS) return createWaitingDiagnosis(`The ${label} has crashed ${restarts + 1} times${how}`);
  if (last?.reason === "OOMKilled") {
    const hint = "Raise the memory limit in sizes.yaml, or choose a larger size.";
    return createPermanentDiagnosis("OOMKilled", `The ${label} ran out of memory: ${message}`, "operator", hint);
  }
  // Searches the events for a failed probe, because a container's state does not show that a probe caused the restart.
  const killed = own.some((event) =>
    event["reason"] === "Killing" && /failed \w+ probe/.test(String(event["message"]))
  );
  const probe = killed && own.filter((event) => event["reason"] === "Unhealthy").at(-1);
  if (probe) {
    const sentence = `The ${label} keeps restarting because its probe fails: ${probe["message"]}${how}`;
    const hint = "Check the end of the container's log. If the container starts slowly, extend its startup probe.";
    return createPermanentDiagnosis("CrashLoopBackOff", sentence, "cluster", hint);
  }
  const sentence = `The ${label} keeps crashing${how}: ${message}`;
  return createPermanentDiagnosis(
    "CrashLoopBackOff",
    sentence,
    "cluster",
    "Check the last lines of the container's log for the reason.",
  );
}

/** Diagnoses a pod that waits for its volumes or network. Returns undefined once a container has started. */
function diagnoseMounts({ pod, own, clock }: ObservedPod): Diagnosis | undefined {
  if (
    getContainerStates(pod).some(({ state, lastState }) => state?.running || state?.terminated || lastState?.terminated)
  ) {
    return undefined;
  }
  const reasons = ["FailedMount", "FailedAttachVolume", "FailedMapVolume", "FailedCreatePodSandBox"];
  const event = findLatestEvent(own.filter((found) => reasons.includes(found["reason"])));
  const pulled = own.some((found) =>
    ["Pulling", "Pulled"].includes(found["reason"]) && event && getLastEventTime(found) >= getLastEventTime(event)
  );
  if (!event || pulled) return undefined;
  const reason = String(event["reason"]), message = String(event["message"] ?? "");
  const what = reason === "FailedCreatePodSandBox" ? "its network" : "its volumes";
  const node = getNodeName(pod), label = node ? `the node ${node}` : "the pod's node";
  const on = node ? ` on ${label}` : "";
  const sentence = `Pod ${pod.metadata.name}${on} waits for ${what}: ${causeOf(message)}`;
  const missing = /(secret|configmap) "[^"]*" not found/.test(message);
  const hint = missing
    ? missingHint(message)
    : what === "its network"
    ? `Check the network plugin (CNI) and the container runtime on ${label}.`
    : `Check the storage driver on ${label}, and whether the volume is still attached to another node.`;
  return createDiagnosisWithDeadline(
    getFirstEventTime(event) + (missing ? clock.patience.configMs : clock.patience.volumeMs),
    clock,
    sentence,
    createPermanentDiagnosis(reason, `Pod ${pod.metadata.name}${on} did not get ${what}: ${message}`, "operator", hint),
  );
}

/** Removes the preamble and the pod sandbox's ID from the kubelet's message, because each retry has another ID. */
function causeOf(message: string): string {
  return message.replace(/^\(combined from similar events\): /, "")
    .replace(/^Failed to create pod sandbox: (?:rpc error: code = \w+ desc = )?/, "")
    .replace(/sandbox "[0-9a-f]{64}"/g, "sandbox");
}

/** Reports failing probes. Probe failures are normal in a pod's first minute, and never end the wait for the pod. */
function diagnoseProbes({ pod, own, clock }: ObservedPod): Diagnosis | undefined {
  if (clock.now - createdAt(pod) < MINUTE) return undefined;
  const event = own.filter((found) => found["reason"] === "Unhealthy" && clock.now - getLastEventTime(found) < MINUTE)
    .at(
      -1,
    );
  if (!event) return undefined;
  const { name } = pod.metadata, sentence = `Pod ${name} is not ready: ${event["message"]}`;
  // Uses the log only for a startup probe. Once a container has started, its log contains requests, not the reason.
  const starting = /^Startup probe failed/.test(String(event["message"])) &&
    getContainerStates(pod).find(({ state, ready }) => state?.running && ready !== true);
  return starting
    ? { is: "waiting", sentence, log: { pod: name, container: starting.name } }
    : createWaitingDiagnosis(sentence);
}
