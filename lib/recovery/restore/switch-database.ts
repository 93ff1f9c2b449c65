/**
 * Switches a stopped site's database to other volumes. The StatefulSet is deleted and recreated, because its PVC
 * template is immutable. No PVC is deleted.
 */
import { DATABASE_STATEFULSET_REF } from "#lib/moodle/names.ts";
import type { KubeObject } from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { deleteWithFence } from "#lib/steps/fenced-objects.ts";
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { buildClusterWaitOptions, type SpokeSite } from "#lib/steps/site.ts";

/** Recreates the database's StatefulSet if the site's inputs name other PVCs than the StatefulSet. Can be repeated. */
export async function switchDatabase({ blueprint, space, inputs }: SpokeSite, run: JobRun): Promise<void> {
  const objects = blueprint.spokeObjects(inputs, "database");
  const desired = objects.find(({ kind, metadata }) =>
    kind === DATABASE_STATEFULSET_REF.kind && metadata.name === DATABASE_STATEFULSET_REF.name
  )!;
  const observed = await space.get(DATABASE_STATEFULSET_REF, run);
  if (observed && pvcTemplatesOf(observed) !== pvcTemplatesOf(desired)) {
    await deleteWithFence(space, DATABASE_STATEFULSET_REF, run);
    await space.gone([DATABASE_STATEFULSET_REF], buildClusterWaitOptions(run));
  }
  await applySiteObjects(space, run, objects);
}

function pvcTemplatesOf({ spec }: KubeObject): string {
  return (spec?.volumeClaimTemplates ?? []).map(({ metadata }: KubeObject) => metadata.name).join(" ");
}
