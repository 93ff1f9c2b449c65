/**
 * Updates the database when a restore ends. After a success, the spoke uses the restored volumes, and the previous
 * volumes are kept for some days. After a failure, the spoke's state is `failed` if the site was stopped, and PVCs that
 * were created for the restore are recorded for deletion.
 */
import { closeRequestsAfterRestore } from "#lib/domains/backups/restore-requests/request.ts";
import { deleteRetainedPvcRows, retainPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { replaceVersionAndVolumes, type SiteVersionAndVolumes } from "#lib/moodle/site-base.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import type { Job } from "#lib/jobs/job.ts";
import { findUnfinishedRestore, hasRestoreChangedSite } from "#lib/jobs/restores.ts";
import { readRecordedDigest } from "#lib/steps/image-digest.ts";
import { createActionOutcomes } from "#lib/steps/outcomes.ts";
import type { ReplacedPvcs } from "#lib/recovery/restore/retain-pvcs.ts";
import { withStorageQuota } from "#lib/recovery/restore/storage-quota.ts";
import { isPartlyUpgraded } from "#lib/steps/interrupted-upgrade.ts";

/** The result of the step `prepare`, stored as `restore` in the job's progress. */
export interface PreparedRestore {
  readonly before: SiteVersionAndVolumes;
  readonly target: SiteVersionAndVolumes;
  /** The ID of the backup to restore; null if the site is rolled back to its previous volumes. */
  readonly backupId: string | null;
  /** Whether the site's settings may have changed since the backup, so that they must be applied again. */
  readonly reworded: boolean;
}

interface RestoreProgress {
  readonly restore: PreparedRestore;
  readonly replaced: ReplacedPvcs;
  readonly storageQuota?: string;
}

export const restoreOutcomes = createActionOutcomes({
  async succeeded(tx, job, before) {
    const { id: operationId, progress } = job;
    const { restore: { target, backupId }, replaced, storageQuota } = progress as RestoreProgress, spokeId = before.id;
    await deleteRetainedPvcRows(tx, spokeId, Object.values(getSitePvcNames(target)));
    await retainPvcs(tx, { spokeId, operationId, reason: "replaced" }, replaced);
    const inputs = () =>
      withStorageQuota(replaceVersionAndVolumes(before.blueprintInputs as SpokeInputs, target), storageQuota);
    return {
      ...(backupId && { audit: await closeRequestsAfterRestore(tx, before, backupId) }),
      change: () => ({
        ...{ lmsVersion: target.version, blueprintInputs: JSON.stringify(inputs()), drift: null },
        ...readRecordedDigest(job),
      }),
      metadata: { ...(backupId && { backupId }), from: before.lmsVersion, to: target.version },
    };
  },
  async stopped(tx, job, before) {
    const { restore } = job.progress as Partial<RestoreProgress>, { backupId } = job.payload;
    if (restore && restore.backupId !== null) {
      const claims = Object.values(getSitePvcNames(restore.target)).map((claim) => ({ claim, uid: null }));
      await retainPvcs(tx, { spokeId: before.id, operationId: job.id, reason: "unused" }, claims);
    }
    const isFailed = await isSiteDown(tx, job); // overrides the state that was read from the cluster
    return {
      ...(isFailed && { change: () => ({ state: "failed", health: "unknown" }) }),
      metadata: backupId ? { backupId } : {},
    };
  },
});

/** Returns whether the site is stopped because of this restore, or of an earlier operation that did not finish. */
export async function isSiteDown(rows: RowQueries, job: Job): Promise<boolean> {
  return hasRestoreChangedSite(job) || await findUnfinishedRestore(rows, job.spokeId!) !== null ||
    await isPartlyUpgraded(rows, job);
}
