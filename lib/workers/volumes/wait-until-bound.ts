/**
 * Waits until the PVCs of a site are bound. A running site may be stopped only after its new volumes exist.
 * A PVC whose class has `Immediate` binding is only awaited. A PVC whose class has `WaitForFirstConsumer` binding is
 * first mounted by a Job (lib/moodle/mount-job.ts).
 */
import { ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { claimNames, SITE_PODS } from "#lib/moodle/names.ts";
import { mountJob } from "#lib/moodle/mount-job.ts";
import { type Disk, DISKS } from "#lib/moodle/resize.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { settleAll } from "#lib/base/cancellation.ts";
import { BATCH_JOB, clusterWaitOf } from "#lib/workers/site.ts";
import type { VolumeContext } from "#lib/workers/volumes/pvcs.ts";

const CLAIM = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
const CLASS = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass" };
const POD = { apiVersion: "v1", kind: "Pod" };

/** Waits until the PVCs are bound; safe to repeat. Throws a ClusterError with the storage driver's message. */
export async function waitUntilBound(place: VolumeContext, run: Run): Promise<void> {
  const { space, inputs } = place, names = claimNames(inputs);
  const claims = await Promise.all(DISKS.map((disk) => space.get({ ...CLAIM, name: names[disk] }, run)));
  const pending = DISKS.filter((_, i) => claims[i]?.["status"]?.phase !== "Bound");
  if (pending.length === 0) return;
  const waiting: Disk[] = [];
  for (const disk of pending) {
    if (await waitsForConsumer(place, run, claims[DISKS.indexOf(disk)] ?? null)) waiting.push(disk);
  }
  const pods = await space.list(POD, SITE_PODS, run);
  const isBesideSite = pods.some((pod) => !["Succeeded", "Failed"].includes(pod["status"]?.phase));
  await settleAll(waiting.map((disk) => mount(place, run, disk, isBesideSite)));
  await space.ready(pending.map((disk) => ({ ...CLAIM, name: names[disk] })), clusterWaitOf(run));
}

async function waitsForConsumer({ cluster }: VolumeContext, run: Run, claim: KubeObject | null): Promise<boolean> {
  const name = claim?.["spec"]?.storageClassName ?? "";
  const found = name === "" ? null : await cluster.find({ ...CLASS, name }, run);
  return found?.["volumeBindingMode"] === "WaitForFirstConsumer";
}

async function mount(place: VolumeContext, run: Run, disk: Disk, isBesideSite: boolean): Promise<void> {
  const { space, inputs } = place, job = mountJob(inputs, { fence: run.job.fence, disk, isBesideSite });
  try {
    const { succeeded, message } = await space.run(job, clusterWaitOf(run));
    const claim = succeeded ? null : await space.get({ ...CLAIM, name: claimNames(inputs)[disk] }, run);
    if (succeeded || claim?.["status"]?.phase === "Bound") return;
    const why = `The volume of the ${disk} could not be mounted: ${message ?? "the Job failed"}`;
    throw new ClusterError("MountFailed", why, { transient: true });
  } finally {
    await drop(place, run, job.metadata.name);
  }
}

/** Deletes the Job, because its waiting pod would prevent the deletion of an unused PVC. */
async function drop({ space }: VolumeContext, run: Run, name: string): Promise<void> {
  if (run.signal.aborted) return;
  try {
    const standing = await space.get({ ...BATCH_JOB, name }, run);
    if (standing) await space.delete({ ...BATCH_JOB, name }, standing.metadata.uid!, run);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    run.log.info("Left a Job for the cluster to delete", { name, error });
  }
}
