/** Labels PVCs that were replaced by a restore with their deletion date. Saves their UIDs: names can be reused. */
import type { PvcIdentity } from "#lib/domains/backups/retained-pvcs.ts";
import type { KubeObject, PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import type { SiteVersionAndVolumes } from "#lib/moodle/site-base.ts";
import { getSitePvcNames, PVC_KEPT_UNTIL_LABEL } from "#lib/moodle/names.ts";
import { ROLLBACK_DAYS } from "#lib/operations/restore.ts";
import type { OPERATIONS } from "#lib/operations/table.ts";
import type { RunOf } from "#lib/scheduler/handler.ts";
import { DAY } from "#lib/base/time.ts";
import { patchWithFence } from "#lib/steps/fenced-objects.ts";
import type { SpokeSite } from "#lib/steps/site.ts";

const PVC = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
const LABEL = `/metadata/labels/${PVC_KEPT_UNTIL_LABEL.replaceAll("/", "~1")}`;

export async function retainReplacedPvcs(
  { app, space }: SpokeSite,
  run: RunOf<typeof OPERATIONS.restore.kind>,
  { before, target }: { readonly before: SiteVersionAndVolumes; readonly target: SiteVersionAndVolumes },
): Promise<void> {
  const until = new Date((await app.db.now()).getTime() + ROLLBACK_DAYS * DAY).toISOString().slice(0, 10);
  const used = Object.values(getSitePvcNames(target)), previous = Object.values(getSitePvcNames(before));
  const patchPvc = async (name: string, change: (claim: KubeObject) => PatchOperation[]): Promise<PvcIdentity[]> => {
    const ref = { ...PVC, name };
    if (!await space.get(ref, run)) return []; // the PVC is missing, perhaps because its loss led to this restore
    const { metadata } = await patchWithFence(space, { ref, jobFence: run.job, change }, run);
    return [{ claim: name, uid: metadata.uid! }];
  };
  for (const name of used) await patchPvc(name, removeLabel);
  const replaced: PvcIdentity[] = [];
  for (const name of previous.filter((each) => !used.includes(each))) {
    replaced.push(...await patchPvc(name, (claim) => addLabel(claim, until)));
  }
  await run.saveProgress({ replaced });
}

function addLabel({ metadata }: KubeObject, until: string): PatchOperation[] {
  const emptyLabels: PatchOperation = { op: "add", path: "/metadata/labels", value: {} };
  return [...(metadata.labels ? [] : [emptyLabels]), { op: "add", path: LABEL, value: until }];
}

/** Returns the patch that removes the label with the deletion date from a PVC, because the site uses the PVC again. */
function removeLabel({ metadata }: KubeObject): PatchOperation[] {
  return metadata.labels?.[PVC_KEPT_UNTIL_LABEL] === undefined ? [] : [{ op: "remove", path: LABEL }];
}
