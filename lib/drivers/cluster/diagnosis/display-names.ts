/**
 * Returns user-facing names for Kubernetes objects, such as "the database". Adds the object's own name if a site can
 * have several objects of that kind.
 */

import { getNodeName, parseKubeTimestamp } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { SECOND } from "#lib/base/time.ts";

/** How many milliseconds late the deletion of a pod may be before messages call it overdue. */
const KUBELET_DELAY = 15 * SECOND;

/** Display names for kinds of which each site has only one object. */
const ONE_PER_SITE: Readonly<Record<string, string>> = {
  Deployment: "the site",
  StatefulSet: "the database",
  Certificate: "the certificate",
  CronJob: "the cron job",
  Namespace: "the namespace",
};

const MANY_PER_SITE: Readonly<Record<string, string>> = {
  Job: "the job",
  PersistentVolumeClaim: "the disk",
  Ingress: "the ingress",
  ResourceQuota: "the quota",
  VolumeSnapshot: "the snapshot",
  VolumeSnapshotContent: "the content of a snapshot",
  Pod: "the pod",
};

/** Returns a display name such as "the database" or "the disk data-db-0". */
export function getDisplayName(kind: string, name: string): string {
  return ONE_PER_SITE[kind] ?? `${MANY_PER_SITE[kind] ?? kind} ${name}`;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Formats a Kubernetes timestamp for use in a sentence, for example `2026-11-21 12:03 UTC`. */
export function formatKubeTimestamp(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * Describes a terminating pod, for example "db-0 (on node b)". Mentions an overdue deletion, because a pod on a lost
 * node is never deleted automatically.
 */
export function describeTerminatingPod(pod: KubeObject, now: number): string {
  const { name, deletionTimestamp } = pod.metadata;
  const node = getNodeName(pod), due = parseKubeTimestamp(deletionTimestamp);
  if (!node) return name;
  const over = due !== undefined && now > due + KUBELET_DELAY;
  const late = over ? `, overdue since ${formatKubeTimestamp(deletionTimestamp!)}: check whether that node is up` : "";
  return `${name} (on node ${node}${late})`;
}
