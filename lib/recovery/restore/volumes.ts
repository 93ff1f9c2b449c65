/**
 * Creates the volumes of a restored site from its backup. First raises the namespace's storage quota: the default quota
 * has space for one restore, but earlier restores may have left PVCs behind. The next reapply or resize lowers the quota
 * again.
 */
import { MINUTE } from "#lib/base/time.ts";
import { findBackup } from "#lib/domains/backups/store.ts";
import { ClusterError, toObjectRef } from "#lib/drivers/cluster/cluster.ts";
import { parseQuantity } from "#lib/drivers/cluster/diagnosis/quantity.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import { formatQuantity } from "#lib/moodle/quota.ts";
import { PVC } from "#lib/moodle/storage-objects.ts";
import {
  preparedRestoreOf,
  restoredSiteOf,
  type RestoreRun,
  withStorageQuota,
} from "#lib/recovery/restore/restored-site.ts";
import { deleteUnusedPvcs } from "#lib/recovery/restore/retained-pvcs.ts";
import { readBackupSnapshots } from "#lib/recovery/volumes/backup-snapshots.ts";
import { createPvcsFromSnapshots, deleteSourceSnapshotsWhenBound } from "#lib/recovery/volumes/pvcs.ts";
import { waitUntilPvcsBound } from "#lib/recovery/volumes/wait-until-bound.ts";
import { addNotes, type SpokeSite } from "#lib/steps/site.ts";
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { waitForQuotaUpdate } from "#lib/steps/workloads.ts";

const CLEANUP_TIMEOUT = 4 * MINUTE; // for each of the three kinds of objects to delete

export async function createRestoredVolumes(site: SpokeSite, run: RestoreRun): Promise<void> {
  const { backupId } = preparedRestoreOf(run);
  if (backupId === null) return; // a rollback uses existing volumes
  const backup = (await findBackup(site.app.db.rows, backupId))!;
  await deleteUnusedPvcs(site, run);
  await raiseStorageQuota(restoredSiteOf(site, run), run);
  const restoredSite = restoredSiteOf(site, run); // with the quota that was just raised
  await createPvcsFromSnapshots(restoredSite, run, readBackupSnapshots(backup, site.spoke));
  await waitUntilPvcsBound(restoredSite, run);
}

/** Raises the storage quota to the total size of the PVCs in the namespace and those that the restore will create. */
async function raiseStorageQuota(site: SpokeSite, run: RestoreRun): Promise<void> {
  const { blueprint, space, inputs } = site, ownPvcs = Object.values(getSitePvcNames(inputs));
  const otherPvcs = (await space.list(PVC, "", run))
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

/** Deletes the snapshots from which the volumes were created. A timeout only adds a note: the site already works. */
export async function deleteSourcesInTime(restoredSite: SpokeSite, run: RestoreRun): Promise<void> {
  try {
    await deleteSourceSnapshotsWhenBound(restoredSite, {
      ...run,
      timeLeft: () => Math.min(run.timeLeft(), CLEANUP_TIMEOUT),
    });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== "deadline") throw error;
    await addNotes(run, [
      `The VolumeSnapshots could not be deleted: ${error.message}. They will be deleted with the spoke.`,
    ]);
  }
}
