/** What keeps a pod from running, read from its conditions, its containers' states and its events. Pure. */
import {
  conditionOf,
  containersOf,
  type ContainerState,
  createdAt,
  eventsOf,
  firstSeen,
  lastSeen,
  timeOf,
} from "#lib/cluster/belongs.ts";
import { claimTrouble } from "#lib/cluster/claim-trouble.ts";
import type { KubeObject } from "#lib/cluster/cluster.ts";
import { type Clock, impossible, until, type Verdict, waiting } from "#lib/cluster/verdict.ts";
import { MINUTE } from "#lib/time.ts";

/** Restarts after which a container that crashes is not expected to come up any more. */
const RESTARTS = 5;
/** What no further try will change. A rate limit or a broken connection may pass. */
const HOPELESS =
  /not found|no such host|manifest unknown|name unknown|denied|unauthorized|authentication required|forbidden|invalid reference/i;

export function podTrouble(pod: KubeObject, events: readonly KubeObject[], clock: Clock): Verdict | undefined {
  const own = eventsOf(pod, events);
  const scheduled = conditionOf(pod, "PodScheduled");
  if (scheduled?.status === "False") return schedulingTrouble(pod, events, clock);
  for (const container of containersOf(pod)) {
    const trouble = containerTrouble(pod, container, own, clock);
    if (trouble) return trouble;
  }
  return mountTrouble(pod, own, clock) ?? probeTrouble(pod, own, clock);
}

function schedulingTrouble(pod: KubeObject, events: readonly KubeObject[], clock: Clock): Verdict {
  const { reason, message = "", lastTransitionTime } = conditionOf(pod, "PodScheduled")!;
  const name = pod.metadata.name;
  const claim = claimNames(pod).map((claimName) => claimTrouble(claimName, events, clock)).find((found) => found);
  if (claim) return claim;
  // A claim that is bound only when its first pod comes makes every pod unschedulable for a moment.
  const settling = /unbound immediate PersistentVolumeClaims|persistentvolumeclaim "[^"]*" not found/.test(message);
  if (reason !== "Unschedulable" || settling) return waiting(`Pod ${name} waits for a node: ${message || reason}`);
  return until(
    (timeOf(lastTransitionTime) ?? createdAt(pod)) + clock.patience.unschedulableMs,
    clock,
    `Pod ${name} finds no node: ${message}`,
    impossible("Unschedulable", message, "operator", "Add nodes to the cluster, or free resources on them."),
  );
}

function containerTrouble(
  pod: KubeObject,
  container: ContainerState,
  own: readonly KubeObject[],
  clock: Clock,
): Verdict | undefined {
  const { reason, message = "" } = container.state?.waiting ?? {};
  const place = `container ${container.name} of pod ${pod.metadata.name}`;
  switch (reason) {
    case "InvalidImageName":
    case "ErrImageNeverPull":
      return impossible(
        reason,
        message || `${reason}: ${place}`,
        "operator",
        "Correct the image's name in the blueprint.",
      );
    case "ErrImagePull":
    case "ImagePullBackOff":
    case "RegistryUnavailable":
    case "ImageInspectError":
      return imageTrouble(pod, container, own, clock);
    case "CreateContainerConfigError":
      return configTrouble(reason, message, place, pod, own, clock);
    case "CreateContainerError":
    case "RunContainerError":
      return until(
        startOf(pod, own, "Failed") + clock.patience.imageMs,
        clock,
        `The ${place} cannot be started: ${message}`,
        impossible(reason, message, "operator", "Correct the container's command or mounts in the blueprint."),
      );
    case "CrashLoopBackOff":
      return crashTrouble(container, message, place);
    default:
      return undefined;
  }
}

function imageTrouble(
  pod: KubeObject,
  container: ContainerState,
  own: readonly KubeObject[],
  clock: Clock,
): Verdict {
  const { reason, message = "" } = container.state!.waiting!;
  const failures = own.filter((event) => event["reason"] === "Failed" && isAbout(event, container));
  const told = failures.map((event) => String(event["message"] ?? "")).find((text) => /Failed to pull/.test(text));
  // "Back-off pulling image X" says nothing; the first failure says why. Newer kubelets quote it behind the back-off.
  const original = reason === "ErrImagePull" ? message : /ErrImagePull: (.*)/s.exec(message)?.[1];
  const why = original || told || message;
  const backedOff = reason === "ImagePullBackOff" ||
    own.some((event) => event["reason"] === "BackOff" && /pulling image/.test(String(event["message"])));
  const verdict = impossible(
    "ErrImagePull",
    why,
    "operator",
    "Check the image's name and that the nodes may pull it from its registry.",
  );
  const first = Math.min(...failures.map(firstSeen), Infinity);
  const since = first === Infinity ? startOf(pod, own, "Pulling") : first;
  if (backedOff && HOPELESS.test(why)) return verdict;
  return until(
    since + clock.patience.imageMs,
    clock,
    `The image of container ${container.name} of pod ${pod.metadata.name} cannot be pulled: ${why}`,
    verdict,
  );
}

function configTrouble(
  reason: string,
  message: string,
  place: string,
  pod: KubeObject,
  own: readonly KubeObject[],
  clock: Clock,
): Verdict {
  return until(
    startOf(pod, own, "Failed") + clock.patience.configMs,
    clock,
    `The ${place} cannot be configured: ${message}`,
    impossible(reason, message, "operator", "Something that the container's configuration names is missing."),
  );
}

function crashTrouble(container: ContainerState, message: string, place: string): Verdict {
  const last = container.lastState?.terminated;
  const restarts = container.restartCount ?? 0;
  const how = last ? ` (${last.reason ?? "Error"}, exit code ${last.exitCode})` : "";
  if (restarts < RESTARTS) return waiting(`The ${place} has crashed ${restarts + 1} times${how}`);
  if (last?.reason === "OOMKilled") {
    return impossible("OOMKilled", `The ${place} ran out of memory: ${message}`, "operator", "Raise its memory limit.");
  }
  return impossible("CrashLoopBackOff", `${message}${how}`, "cluster", "See the last lines of its log.");
}

/** A volume whose Secret or ConfigMap is missing; anything else about mounting may pass. */
function mountTrouble(pod: KubeObject, own: readonly KubeObject[], clock: Clock): Verdict | undefined {
  if (!containersOf(pod).some((container) => container.state?.waiting)) return undefined;
  const event = own.filter((found) => ["FailedMount", "FailedAttachVolume"].includes(found["reason"])).at(-1);
  if (!event) return undefined;
  const message = String(event["message"] ?? "");
  const sentence = `Pod ${pod.metadata.name} waits for its volumes: ${message}`;
  if (!/(secret|configmap) "[^"]*" not found/.test(message)) return waiting(sentence);
  const verdict = impossible("FailedMount", message, "operator", "Something that the pod's volumes name is missing.");
  return until(firstSeen(event) + clock.patience.configMs, clock, sentence, verdict);
}

/** A probe that fails is normal in the first minute, and told afterwards; it never decides. */
function probeTrouble(pod: KubeObject, own: readonly KubeObject[], clock: Clock): Verdict | undefined {
  if (clock.now - createdAt(pod) < MINUTE) return undefined;
  const event = own.filter((found) => found["reason"] === "Unhealthy" && clock.now - lastSeen(found) < MINUTE).at(-1);
  return event && waiting(`Pod ${pod.metadata.name} is not ready: ${event["message"]}`);
}

/** Since when it has been so: the first event of that reason, else when the pod had its node. */
function startOf(pod: KubeObject, own: readonly KubeObject[], reason: string): number {
  const first = Math.min(...own.filter((event) => event["reason"] === reason).map(firstSeen), Infinity);
  if (first !== Infinity) return first;
  return timeOf(conditionOf(pod, "PodScheduled")?.lastTransitionTime) ?? createdAt(pod);
}

/** Events name the container as `spec.initContainers{dirs}`. */
function isAbout(event: KubeObject, container: ContainerState): boolean {
  const path = event["involvedObject"]?.fieldPath as string | undefined;
  return path === undefined || path.endsWith(`{${container.name}}`);
}

function claimNames(pod: KubeObject): string[] {
  const volumes = (pod["spec"]?.volumes ?? []) as { persistentVolumeClaim?: { claimName: string } }[];
  return volumes.flatMap((volume) => volume.persistentVolumeClaim ? [volume.persistentVolumeClaim.claimName] : []);
}
