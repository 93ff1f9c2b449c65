/** Reads the pods of the checked sites: the images that they run, their restarts, and what the last scheduled tasks left. */
import { ClusterError, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { listImageDigests } from "#lib/moodle/image-digest.ts";
import { recordFinishedTasks, recordRestarts } from "#lib/workers/sweep/pod-facts.ts";
import {
  type CheckedResource,
  type ClusterCheck,
  SPOKE_SELECTOR,
  type SpokeObservations,
} from "#lib/workers/sweep/spoke-facts.ts";

/** The pods of Moodle, of its database and of its scheduled tasks. */
export const POD_RESOURCE: CheckedResource = {
  apiVersion: "v1",
  kind: "Pod",
  selector: `${SPOKE_SELECTOR},role in (app,db)`,
};

/** Reads the sites' pods. Without permission to list pods, the earlier results remain. */
export async function readPods(check: ClusterCheck): Promise<void> {
  const { run, facts } = check;
  try {
    await check.list(POD_RESOURCE, (pods) => {
      for (const pod of pods) {
        const spokeFacts = facts.get(pod.metadata.namespace ?? "");
        if (spokeFacts) recordPod(spokeFacts, pod);
      }
      return Promise.resolve();
    });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 403) throw error;
    return run.log.warn("Cannot check the images and the usage of sites: no permission to list pods", { error });
  }
  check.listed.add(POD_RESOURCE.kind);
}

function recordPod({ spoke, images, pods }: SpokeObservations, pod: KubeObject): void {
  const { name, labels = {} } = pod.metadata;
  if (labels["app"] === "moodle" && spoke.image) images.set(name, listImageDigests(pod, spoke.image));
  if (labels["app"] === "moodle" || labels["app"] === "db") recordRestarts(pods, pod);
  else if (labels["op"] === "cron") recordFinishedTasks(pods, pod);
}
