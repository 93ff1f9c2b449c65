/**
 * What people call the things of a cluster. Who follows an operation knows a site, a database and a disk; who looks into
 * the cluster finds the object by its name, which stands beside the word where there may be several of a kind.
 */

/** A site has one of each of these. */
const ONE: Readonly<Record<string, string>> = {
  Deployment: "the site",
  StatefulSet: "the database",
  Certificate: "the certificate",
  CronJob: "the schedule of tasks",
  Namespace: "the namespace",
};

const MANY: Readonly<Record<string, string>> = {
  Job: "the job",
  PersistentVolumeClaim: "the disk",
  Ingress: "the ingress",
  ResourceQuota: "the quota",
  VolumeSnapshot: "the snapshot",
  VolumeSnapshotContent: "the content of a snapshot",
  Pod: "the pod",
};

/** "the database", "the disk files". */
export function calledOf(kind: string, name: string): string {
  return ONE[kind] ?? `${MANY[kind] ?? kind} ${name}`;
}

/** To begin a sentence with. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A time of the API for a sentence: `2026-11-21 12:03 UTC`. */
export function minuteOf(timestamp: string): string {
  return `${timestamp.slice(0, 16).replace("T", " ")} UTC`;
}
