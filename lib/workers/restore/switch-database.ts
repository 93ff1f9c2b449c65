/**
 * Switches a stopped site's database to other volumes. The StatefulSet is deleted and recreated, because its PVC
 * template is immutable. No PVC is deleted.
 */
import { DATABASE_STATEFULSET } from "#lib/moodle/names.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { patchFenced } from "#lib/workers/fenced-objects.ts";
import { applySiteObjects } from "#lib/workers/reapply/objects.ts";
import { clusterWaitOptions, type SpokeSite } from "#lib/workers/site.ts";

/** Recreates the database's StatefulSet if the site's inputs name other PVCs than the StatefulSet. Can be repeated. */
export async function switchDatabase({ blueprint, space, inputs }: SpokeSite, run: Run): Promise<void> {
  const objects = blueprint.spokeObjects(inputs, "database");
  const desired = objects.find(({ kind, metadata }) =>
    kind === DATABASE_STATEFULSET.kind && metadata.name === DATABASE_STATEFULSET.name
  )!;
  const observed = await space.get(DATABASE_STATEFULSET, run);
  if (observed && pvcTemplatesOf(observed) !== pvcTemplatesOf(desired)) {
    const { metadata } = await patchFenced(
      space,
      { ref: DATABASE_STATEFULSET, jobFence: run.job, change: () => [] },
      run,
    );
    await space.delete(DATABASE_STATEFULSET, metadata.uid!, run);
    await space.gone([DATABASE_STATEFULSET], clusterWaitOptions(run));
  }
  await applySiteObjects(space, run, objects);
}

function pvcTemplatesOf({ spec }: KubeObject): string {
  return (spec?.volumeClaimTemplates ?? []).map(({ metadata }: KubeObject) => metadata.name).join(" ");
}
