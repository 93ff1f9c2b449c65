/**
 * Waits until a site's PVCs are bound, because a running site must not be stopped before its new volumes exist. If a
 * PVC's StorageClass has `WaitForFirstConsumer` binding, the PVC is bound only when a pod uses it. A Kubernetes Job
 * therefore mounts it first (lib/moodle/mount-job.ts).
 */
import { ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { getSitePvcNames, SITE_POD_SELECTOR } from "#lib/moodle/names.ts";
import { buildMountJob } from "#lib/moodle/mount-job.ts";
import { DISK_NAMES, type DiskName } from "#lib/moodle/resize.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { settleAll } from "#lib/base/cancellation.ts";
import { buildClusterWaitOptions, KUBERNETES_JOB_KIND, tryInCluster } from "#lib/steps/site.ts";
import type { VolumeContext } from "#lib/recovery/volumes/pvcs.ts";

const PVC = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
const STORAGE_CLASS = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
const POD = { apiVersion: "v1", kind: "Pod" };

/** Waits until the PVCs are bound. Can be repeated. Throws a ClusterError with the message of the storage driver. */
export async function waitUntilPvcsBound(context: VolumeContext, run: JobRun): Promise<void> {
  const { space, inputs } = context, names = getSitePvcNames(inputs);
  const pvcs = await Promise.all(DISK_NAMES.map((disk) => space.get({ ...PVC, name: names[disk] }, run)));
  const pending = DISK_NAMES.filter((_, i) => pvcs[i]?.["status"]?.phase !== "Bound");
  if (pending.length === 0) return;
  const waiting: DiskName[] = [];
  for (const disk of pending) {
    if (await waitsForConsumer(context, run, pvcs[DISK_NAMES.indexOf(disk)] ?? null)) waiting.push(disk);
  }
  const pods = await space.list(POD, SITE_POD_SELECTOR, run);
  const isSiteRunning = pods.some((pod) => !["Succeeded", "Failed"].includes(pod["status"]?.phase));
  await settleAll(waiting.map((disk) => mountPvc(context, run, disk, isSiteRunning)));
  await space.ready(pending.map((disk) => ({ ...PVC, name: names[disk] })), buildClusterWaitOptions(run));
}

async function waitsForConsumer({ cluster }: VolumeContext, run: JobRun, pvc: KubeObject | null): Promise<boolean> {
  const name = pvc?.["spec"]?.storageClassName ?? "";
  const storageClass = name === "" ? null : await cluster.find({ ...STORAGE_CLASS, name }, run);
  return storageClass?.["volumeBindingMode"] === "WaitForFirstConsumer";
}

async function mountPvc(context: VolumeContext, run: JobRun, disk: DiskName, isSiteRunning: boolean): Promise<void> {
  const { space, inputs } = context,
    job = buildMountJob(inputs, { fence: run.job.fence, disk, isSiteRunning });
  try {
    const { succeeded, message } = await space.run(job, buildClusterWaitOptions(run));
    const pvc = succeeded ? null : await space.get({ ...PVC, name: getSitePvcNames(inputs)[disk] }, run);
    if (succeeded || pvc?.["status"]?.phase === "Bound") return;
    const reason = `The volume for the ${disk} could not be mounted: ${message ?? "the Job failed"}`;
    throw new ClusterError("MountFailed", reason, { transient: true });
  } finally {
    await deleteMountJob(context, run, job.metadata.name);
  }
}

/** Deletes the Job that mounts the PVC, because its pending pod would prevent the deletion of an unused PVC. */
async function deleteMountJob({ space }: VolumeContext, run: JobRun, name: string): Promise<void> {
  if (run.signal.aborted) return;
  const ref = { ...KUBERNETES_JOB_KIND, name };
  await tryInCluster(
    run,
    async () => {
      const existing = await space.get(ref, run);
      if (existing) await space.delete(ref, existing.metadata.uid!, run);
    },
    "info",
    "Cannot delete a Job; the cluster deletes it later",
    { name },
  );
}
