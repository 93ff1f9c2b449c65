/** Explains why a pod is not scheduled, or why a PersistentVolumeClaim is not bound. */
import {
  createdAt,
  findLatestEvent,
  findObjectEvents,
  findStatusCondition,
  getFirstEventTime,
  parseKubeTimestamp,
} from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import {
  createDiagnosisWithDeadline,
  createPermanentDiagnosis,
  createWaitingDiagnosis,
  type Diagnosis,
  mayBeCurrentEvent,
  type WaitClock,
} from "#lib/drivers/cluster/diagnosis/diagnosis.ts";

export const PVC_KIND = "PersistentVolumeClaim";

/** Patterns for messages from the scheduler, each with a hint for operators. The first matching pattern counts. */
const HINTS: readonly (readonly [words: RegExp, hint: string])[] = [
  [
    /Insufficient ([\w./-]*\w)/,
    "Add nodes with more $1, remove other pods, or lower the size's requests in sizes.yaml.",
  ],
  [/Too many pods/, "Add nodes or remove pods: every node runs its maximum number of pods."],
  [/untolerated taint \{([^}]*)\}/, "Add nodes without the taint $1, or remove the taint where it no longer applies."],
  [/taints? .*didn't tolerate/, "Add nodes without these taints, or remove the taints where they no longer apply."],
  [/volume node affinity conflict/, "Free resources on the volume's node or zone: the pod can run only there."],
  [/exceed max volume count/, "Add nodes: every node has its maximum number of volumes attached."],
  [
    /didn't match pod (anti-)?affinity/,
    "Free resources on the node with the site's other pods: all of these pods share a volume.",
  ],
  [
    /didn't match Pod's node affinity|node\(s\) didn't match node selector/,
    "Label a node to match the pod's node affinity or selector.",
  ],
  [/were unschedulable/, "Uncordon a node (kubectl uncordon), or add nodes: some nodes are cordoned."],
  [
    /available persistent volumes to bind/,
    "Create PersistentVolumes of the requested storage class, or set a storage class with a provisioner.",
  ],
  [/no nodes available|^0\/0 nodes/, "Add a node: the cluster has no working node."],
];
const UNKNOWN = "Add nodes to the cluster, or free resources on them.";

/**
 * Matches messages about a PersistentVolumeClaim that is not bound yet. A claim is normally unbound until the first pod
 * that uses the claim is scheduled.
 */
const UNBOUND_PVC = /unbound immediate PersistentVolumeClaims|persistentvolumeclaim "[^"]*" not found/;

/** Explains why a pod is not scheduled, if its condition PodScheduled is False. */
export function diagnoseScheduling(pod: KubeObject, events: readonly KubeObject[], clock: WaitClock): Diagnosis {
  const { reason, message = "", lastTransitionTime } = findStatusCondition(pod, "PodScheduled")!;
  const name = pod.metadata.name;
  const claim = diagnosePodPvcs(pod, events, clock);
  if (claim) return claim;
  const sentence = `Waiting for a node that can run pod ${name}: ${message || reason}`;
  if (reason === "Unschedulable" && UNBOUND_PVC.test(message)) {
    return diagnoseUnprovisioned(pod, sentence, message, clock);
  }
  if (reason !== "Unschedulable") return createWaitingDiagnosis(sentence);
  return createDiagnosisWithDeadline(
    (parseKubeTimestamp(lastTransitionTime) ?? createdAt(pod)) + clock.patience.unschedulableMs,
    clock,
    sentence,
    createPermanentDiagnosis("Unschedulable", `No node can run pod ${name}: ${message}`, "operator", hintFor(message)),
  );
}

const STORAGE_HINT =
  "Check that the provisioner of the storage class is running, and read the provisioner's log. Or set another " +
  "storage class in surroundings.yaml or for the region in the catalog. Then retry.";

/** Diagnoses a pod whose volumes were not provisioned in time. Volumes copied from snapshots may take longer. */
function diagnoseUnprovisioned(pod: KubeObject, sentence: string, message: string, clock: WaitClock): Diagnosis {
  const moment = Math.max(createdAt(pod), clock.since) + clock.patience.provisionMs;
  const text = `The volumes of pod ${pod.metadata.name} were not created: ${message}`;
  return createDiagnosisWithDeadline(
    moment,
    clock,
    sentence,
    createPermanentDiagnosis("VolumePending", text, "operator", STORAGE_HINT),
  );
}

function hintFor(message: string): string {
  for (const [words, hint] of HINTS) {
    const found = words.exec(message);
    if (found) return hint.replace("$1", found[1] ?? "");
  }
  return UNKNOWN;
}

/** Explains why one of the pod's PersistentVolumeClaims is not bound. Returns undefined if no problem is known. */
export function diagnosePodPvcs(
  pod: KubeObject,
  events: readonly KubeObject[],
  clock: WaitClock,
): Diagnosis | undefined {
  return pvcNamesOf(pod).map((name) => diagnosePvc(name, events, clock)).find((found) => found);
}

function pvcNamesOf(pod: KubeObject): string[] {
  const volumes = (pod["spec"]?.volumes ?? []) as { persistentVolumeClaim?: { claimName: string } }[];
  return volumes.flatMap((volume) => volume.persistentVolumeClaim ? [volume.persistentVolumeClaim.claimName] : []);
}

export function isPvcEvent(event: KubeObject): boolean {
  return event["involvedObject"]?.kind === PVC_KIND;
}

/** The field that marks events about volumes that are copied from a snapshot. A copy may take hours. */
const COPIES_SNAPSHOT = "wheelwrightCopies";

/**
 * Removes outdated events about PersistentVolumeClaims. Kubernetes keeps events for an hour, even if the
 * PersistentVolumeClaim has been bound or replaced in the meantime.
 */
export function withoutOutdatedPvcEvents(events: readonly KubeObject[], claims: readonly KubeObject[]): KubeObject[] {
  const pending = claims.filter((claim) => claim["status"]?.phase !== "Bound");
  const currentEvents = new Set(pending.flatMap((claim) => findObjectEvents(claim, events)));
  const copying = new Set(
    pending.filter(({ spec }) => spec?.dataSource).flatMap((claim) => findObjectEvents(claim, events)),
  );
  return events.filter((event) => !isPvcEvent(event) || currentEvents.has(event))
    .map((event) => copying.has(event) ? { ...event, [COPIES_SNAPSHOT]: true } : event);
}

export function diagnosePvc(name: string, events: readonly KubeObject[], clock: WaitClock): Diagnosis | undefined {
  const event = latestPvcEvent(name, events);
  const message = String(event?.["message"] ?? "");
  const sentence = `No volume can be created for PersistentVolumeClaim ${name}: ${message}`;
  switch (event?.["reason"]) {
    case "ProvisioningFailed": {
      // Treats a missing StorageClass separately: only a person can create it. After other errors, the driver retries.
      const [, missing] = /storageclass\S* "([^"]*)" not found/.exec(message) ?? [];
      if (missing === undefined) return diagnoseStorageDriver(event, sentence, clock);
      if (!mayBeCurrentEvent(event, clock)) return createWaitingDiagnosis(sentence);
      const hint = `Create the storage class ${missing}, or set another one in surroundings.yaml or the catalog.`;
      return createPermanentDiagnosis("ProvisioningFailed", sentence, "operator", hint);
    }
    case "FailedBinding":
      return createDiagnosisWithDeadline(
        getFirstEventTime(event) + clock.patience.unschedulableMs,
        clock,
        sentence,
        createPermanentDiagnosis(
          "FailedBinding",
          sentence,
          "operator",
          "Mark a storage class as the default, or set one in surroundings.yaml or for the region in the catalog.",
        ),
      );
    case "ExternalProvisioning": {
      const text = `Waiting for the volume of PersistentVolumeClaim ${name}: ${message}`;
      if (event[COPIES_SNAPSHOT] === true) return createWaitingDiagnosis(text);
      const failure = createPermanentDiagnosis(
        "VolumePending",
        `No volume was created for PersistentVolumeClaim ${name}: ${message}`,
        "operator",
        STORAGE_HINT,
      );
      const moment = Math.max(getFirstEventTime(event), clock.since) + clock.patience.provisionMs;
      return createDiagnosisWithDeadline(
        moment,
        clock,
        `${text} Check that the provisioner of the storage class is running.`,
        failure,
      );
    }
    default:
      return undefined;
  }
}

/** Permanent errors in creating a volume from a snapshot. The messages are from external-provisioner 5.x. */
const SNAPSHOT_MISMATCHES: readonly (readonly [words: RegExp, code: string, hint: string])[] = [
  [
    /requested volume size \d+ is less than the size \d+ for the source snapshot/,
    "DiskTooSmall",
    "Choose a larger size, or larger disks in sizes.yaml, so that the snapshot fits. Then retry.",
  ],
  [
    /is not handled by CSI driver of StorageClass/,
    "OtherDriver",
    "Set a storage class whose driver took the snapshot, in surroundings.yaml or for the region in the catalog.",
  ],
];

function diagnoseStorageDriver(event: KubeObject, sentence: string, clock: WaitClock): Diagnosis {
  const mismatch = SNAPSHOT_MISMATCHES.find(([words]) => words.test(sentence));
  if (mismatch && mayBeCurrentEvent(event, clock)) {
    return createPermanentDiagnosis(mismatch[1], sentence, "operator", mismatch[2]);
  }
  const [, storageClass] = /StorageClass "([^"]+)"/.exec(sentence) ?? [];
  const whose = storageClass ? `of the storage class ${storageClass}` : "of the storage class";
  const hint = `Check the log, capacity and credentials of the storage driver ${whose}, then retry.`;
  const moment = Math.max(getFirstEventTime(event), clock.since) + clock.patience.volumeMs;
  return createDiagnosisWithDeadline(
    moment,
    clock,
    sentence,
    createPermanentDiagnosis("ProvisioningFailed", sentence, "operator", hint),
  );
}

/** Whether the PersistentVolumeClaim stays unbound until the first pod that uses it is created. */
export function isPvcWaitingForPod(name: string, events: readonly KubeObject[]): boolean {
  return latestPvcEvent(name, events)?.["reason"] === "WaitForFirstConsumer";
}

function latestPvcEvent(name: string, events: readonly KubeObject[]): KubeObject | undefined {
  const about = events.filter((event) => isPvcEvent(event) && event["involvedObject"]?.name === name);
  return findLatestEvent(about);
}
