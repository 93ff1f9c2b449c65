/**
 * Raises the namespace's storage quota for a restore. The default quota has space for one restore, but earlier restores
 * may have left PVCs behind. The next reapply or resize lowers the quota again.
 */
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import { formatQuantity } from "#lib/moodle/quota.ts";
import { getLargerQuantity } from "#lib/moodle/resize.ts";
import { toObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import type { OPERATIONS } from "#lib/operations/table.ts";
import type { RunOf } from "#lib/scheduler/handler.ts";
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { waitForQuotaUpdate } from "#lib/steps/workloads.ts";
import type { SpokeSite } from "#lib/steps/site.ts";

/** Returns the inputs with a storage quota of at least `storage`, which is a Kubernetes quantity such as `20Gi`. */
export function withStorageQuota(inputs: SpokeInputs, storage: string | undefined): SpokeInputs {
  const { resources } = inputs, { quota } = resources;
  if (storage === undefined) return inputs;
  return {
    ...inputs,
    resources: { ...resources, quota: { ...quota, storage: getLargerQuantity(quota.storage, storage) } },
  };
}

/** Raises the storage quota to the total size of the PVCs in the namespace and those that the restore will create. */
export async function raiseStorageQuota(site: SpokeSite, run: RunOf<typeof OPERATIONS.restore.kind>): Promise<void> {
  const { blueprint, space, inputs } = site, ownPvcs = Object.values(getSitePvcNames(inputs));
  const otherPvcs = (await space.list({ apiVersion: "v1", kind: "PersistentVolumeClaim" }, "", run))
    .filter(({ metadata }) => !ownPvcs.includes(metadata.name));
  const sizes = [
    ...otherPvcs.map(({ spec }) => spec?.resources?.requests?.storage),
    ...Object.values(inputs.resources.disks),
  ];
  const storageQuota = formatQuantity("storage", sizes.reduce((sum, each) => sum + parseQuantity(String(each)), 0));
  await run.saveProgress({ storageQuota });
  const limits = await applySiteObjects(
    space,
    run,
    blueprint.spokeObjects(withStorageQuota(inputs, storageQuota), "policies"),
  );
  await waitForQuotaUpdate(site, run, limits.filter(({ kind }) => kind === "ResourceQuota").map(toObjectRef));
}
