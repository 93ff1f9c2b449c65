/**
 * Returns the names under which users see objects in the cluster, such as "the database". The object's own name is
 * added if a site can have several objects of that kind.
 */

import { nodeNameOf, parseTime } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { SECOND } from "#lib/base/time.ts";

/** How long a kubelet may exceed a pod's deletion deadline before a message calls it overdue, in milliseconds. */
const KUBELET_DELAY = 15 * SECOND;

/** Display names for the kinds that exist only once per site. */
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
export function displayNameOf(kind: string, name: string): string {
  return ONE_PER_SITE[kind] ?? `${MANY_PER_SITE[kind] ?? kind} ${name}`;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Formats a Kubernetes timestamp for use in a sentence, for example `2026-11-21 12:03 UTC`. */
export function formatMinute(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * Describes a terminating pod, for example "db-0 (on node b)". Says if its deletion is overdue, because a pod on a lost
 * node is never deleted automatically.
 */
export function describeTerminatingPod(pod: KubeObject, now: number): string {
  const { name, deletionTimestamp } = pod.metadata;
  const node = nodeNameOf(pod), due = parseTime(deletionTimestamp);
  if (!node) return name;
  const over = due !== undefined && now > due + KUBELET_DELAY;
  const late = over ? `, overdue since ${formatMinute(deletionTimestamp!)}: check whether that node is up` : "";
  return `${name} (on node ${node}${late})`;
}
