/**
 * A database that did not come up: its StatefulSet waits for the pod that is there to become ready, before it makes one by
 * another template. So what was wrong with the one template keeps the next from healing it, until that pod is deleted.
 */
import type { Space } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { lookUntil } from "#lib/work/site.ts";
import { DATABASE } from "#lib/moodle/names.ts";

const POD = { apiVersion: "v1", kind: "Pod" };
const TEMPLATE = "controller-revision-hash"; // Kubernetes' own label

/** Deletes a pod of the database that is not ready and is of an earlier template; one that is ready is left to its turn. */
export async function replaceStuckDatabase(space: Space, run: Run): Promise<void> {
  let template: unknown;
  await lookUntil(run, async () => {
    const set = await space.get(DATABASE, run);
    const { observedGeneration = 0, updateRevision } = set?.["status"] ?? {};
    template = updateRevision;
    return observedGeneration < (set?.metadata.generation ?? 0)
      ? "The cluster has not begun with the change yet"
      : null;
  });
  for (const pod of await space.list(POD, "role=db", run)) {
    const { name, uid, labels, ownerReferences, deletionTimestamp } = pod.metadata;
    const own = ownerReferences?.some(({ kind, name: owner }) => kind === DATABASE.kind && owner === DATABASE.name);
    const conditions: { type: string; status: string }[] = pod["status"]?.conditions ?? [];
    const ready = conditions.some(({ type, status }) => type === "Ready" && status === "True");
    if (!own || deletionTimestamp || ready || template === undefined || labels?.[TEMPLATE] === template) continue;
    run.progress("The database did not come up as it was, and is started anew");
    await space.delete({ ...POD, name }, uid!, run);
  }
}
