/**
 * What people call the things of a cluster. Who follows an operation knows a site, a database and a disk; who looks into
 * the cluster finds the object by its name, which stands beside the word where there may be several of a kind.
 */

import { nodeOf, timeOf } from "#lib/drivers/cluster/diagnosis/inspect-objects.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { SECOND } from "#lib/base/time.ts";

/** What a kubelet may be late by. */
const KUBELET_DELAY = 15 * SECOND;

/** A site has one of each of these. */
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

/** "the database", "the disk files". */
export function displayNameOf(kind: string, name: string): string {
  return ONE_PER_SITE[kind] ?? `${MANY_PER_SITE[kind] ?? kind} ${name}`;
}

/** To begin a sentence with. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A time of the API for a sentence: `2026-11-21 12:03 UTC`. */
export function formatMinute(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace("T", " ")} UTC`;
}

/**
 * A pod that is to end: "db-0 (on node b)". One that is deleted says until when it has to be gone; on a node that is lost nobody sees to that,
 * and nothing else says so.
 */
export function describeTerminatingPod(pod: KubeObject, now: number): string {
  const { name, deletionTimestamp } = pod.metadata;
  const node = nodeOf(pod), due = timeOf(deletionTimestamp);
  if (!node) return name;
  const over = due !== undefined && now > due + KUBELET_DELAY;
  const late = over ? `, overdue since ${formatMinute(deletionTimestamp!)}: check whether that node is up` : "";
  return `${name} (on node ${node}${late})`;
}
