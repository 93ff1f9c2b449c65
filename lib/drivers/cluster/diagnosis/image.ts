/**
 * Explains why an image cannot be pulled, and whether the problem is temporary. Container runtimes and registries use
 * different wording, so an unknown message is quoted and treated as temporary.
 */
import {
  type ContainerState,
  findPodStateStart,
  getFirstEventTime,
} from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import {
  createDiagnosisWithDeadline,
  createPermanentDiagnosis,
  type Diagnosis,
  type ObservedPod,
} from "#lib/drivers/cluster/diagnosis/diagnosis.ts";

interface PullFailure {
  readonly words: RegExp;
  readonly hint: string;
  readonly isTransient: boolean;
}

const MISSING: PullFailure = {
  words: /not found|manifest unknown|name unknown|no such image|did not resolve to an alias|invalid reference format/i,
  hint: "The image does not exist. Correct its name or tag in images.yaml, or choose another version.",
  isTransient: false,
};
/**
 * Known causes of failed image pulls. The first match counts, so their order matters: messages about rate limits and
 * missing repositories also mention authentication.
 */
const CAUSES: readonly PullFailure[] = [
  {
    words: /toomanyrequests|too many requests|rate limit/i,
    hint: "The registry's rate limit was reached. Retry later, give the nodes credentials for the registry, or " +
      "set a mirror in images.yaml.",
    isTransient: true,
  },
  {
    words:
      /denied|unauthori[sz]ed|authentication required|forbidden|no basic auth credentials|invalid username\/password/i,
    hint: "The registry denied access. Check the image's name in images.yaml, and give the nodes " +
      "credentials for its registry.",
    isTransient: false,
  },
  {
    words: /no such host/i,
    hint: "The nodes cannot resolve the registry's host name. Check the name in images.yaml and the nodes' DNS.",
    isTransient: false,
  },
  {
    words:
      /no match(ing manifest)? for|no image found in (manifest list|image index)|does not match the specified platform/i,
    hint: "The image has no build for the CPU architecture of the nodes. Set another image in images.yaml.",
    isTransient: false,
  },
  MISSING,
  {
    words: /no space left on device|disk pressure/i,
    hint: "Free disk space on the node, or add nodes.",
    isTransient: true,
  },
  {
    words: /signature|x509|certificate/i,
    hint: "The nodes do not trust the registry or the image. Check certificates and signature rules on the nodes.",
    isTransient: true,
  },
  {
    words:
      /dial tcp|i\/o timeout|connection (refused|reset)|tls handshake|server misbehaving|\bEOF\b|deadline exceeded|timeout/i,
    hint: "The nodes cannot reach the registry. Check the nodes' network, proxy and DNS, and the registry.",
    isTransient: true,
  },
];
const UNKNOWN: Omit<PullFailure, "words"> = {
  hint: "Check the image's name in images.yaml, and that the nodes can pull it from its registry.",
  isTransient: true,
};

export function diagnoseImagePull({ pod, own, clock }: ObservedPod, container: ContainerState): Diagnosis {
  const { reason, message = "" } = container.state!.waiting!;
  const failures = own.filter((event) => event["reason"] === "Failed" && isAboutContainer(event, container));
  const pullError = failures.map((event) => String(event["message"] ?? "")).find((text) => /Failed to pull/.test(text));
  // Uses the original error, because "Back-off pulling image X" gives no reason. Newer kubelets quote the original
  // error after the back-off message.
  const original = reason === "ImagePullBackOff" ? /ErrImagePull: (.*)/s.exec(message)?.[1] : message;
  const why = original || pullError || message || String(reason);
  const cause = CAUSES.find(({ words }) => words.test(withoutImageName(why, pod, container))) ?? UNKNOWN;
  const backedOff = reason === "ImagePullBackOff" ||
    own.some((event) => event["reason"] === "BackOff" && /pulling image/.test(String(event["message"])));
  const name = namesOf(pod, container)[0] ?? "";
  const problem = `The image ${name} cannot be pulled (${formatContainerLabel(pod, container)}): ${why}`;
  const sentence = `Waiting for the image ${name}: ${withoutPrefixes(why)}`;
  const failure = createPermanentDiagnosis("ErrImagePull", problem, "operator", cause.hint);
  if (backedOff && !cause.isTransient) return failure;
  const first = Math.min(...failures.map(getFirstEventTime), Infinity);
  const since = first === Infinity ? findPodStateStart(pod, own, "Pulling") : first;
  return createDiagnosisWithDeadline(since + clock.patience.imageMs, clock, sentence, failure);
}

/** Whether the message means that the image does not exist. */
export function isMissingImageError(words: string): boolean {
  return CAUSES.find((cause) => cause.words.test(words)) === MISSING;
}

/** Removes the image's name from the message, because a name such as `acme/denied-lists` could match a cause. */
function withoutImageName(why: string, pod: KubeObject, container: ContainerState): string {
  const names = namesOf(pod, container).flatMap((name) => [name, name.replace(/[:@][^/]*$/, "")]);
  return names.reduce((text, name) => text.replaceAll(name, ""), why);
}

function namesOf(pod: KubeObject, { name, image }: ContainerState): string[] {
  const { initContainers = [], containers = [] } = pod["spec"] ?? {};
  const spec = [...initContainers, ...containers].find((each: { name: string }) => each.name === name);
  return [spec?.image, image].filter((text): text is string => typeof text === "string" && text !== "");
}

/** Removes prefixes such as `rpc error: code = …`, which would make a progress message too long. */
function withoutPrefixes(why: string): string {
  return why.replace(/^(?:rpc error: code = \w+ desc = |failed to [\w ]{1,40} "[^"]*": )+/, "");
}

/** Returns a label such as "container moodle of pod install-1-x". */
export function formatContainerLabel(pod: KubeObject, { name }: ContainerState): string {
  return `container ${name} of pod ${pod.metadata.name}`;
}

/** Whether the event is about the container. An event's `fieldPath` can name one: `spec.initContainers{dirs}`. */
function isAboutContainer(event: KubeObject, container: ContainerState): boolean {
  const path = event["involvedObject"]?.fieldPath as string | undefined;
  return path === undefined || path.endsWith(`{${container.name}}`);
}
