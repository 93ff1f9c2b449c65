/**
 * Updates the rows at the end of a restore. After success, the spoke uses the restored volumes, and the previous ones
 * are kept for some days. After a failure, the spoke is failed if the site was stopped. Unused PVCs are recorded, so
 * that they are deleted later.
 */
import { closeRequestsAfterRestore } from "#lib/domains/backups/restore-requests/request.ts";
import { deleteRetainedPvcRows, retainPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import type { Rows } from "#lib/drivers/db/database.ts";
import { type SiteBase, withSiteBase } from "#lib/moodle/site-base.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { sitePvcNames } from "#lib/moodle/names.ts";
import type { Job } from "#lib/jobs/job.ts";
import { findUnfinishedRestore, hasRestoreChangedSite } from "#lib/jobs/restores.ts";
import { imageDigestOf } from "#lib/workers/image-digest.ts";
import { actionOutcomes } from "#lib/workers/outcomes.ts";
import type { ReplacedPvcs } from "#lib/workers/restore/retain-pvcs.ts";
import { withStorageQuota } from "#lib/workers/restore/storage-quota.ts";
import { isPartlyUpgraded } from "#lib/workers/upgrade/interrupted.ts";

/** The result of the step `prepare`, in the job's progress as `restore`. */
export interface PreparedRestore {
  readonly before: SiteBase;
  readonly target: SiteBase;
  /** The backup; null for a rollback. */
  readonly backupId: string | null;
  /** Whether the settings may have changed since the backup. */
  readonly reworded: boolean;
}

interface RestoreProgress {
  readonly restore: PreparedRestore;
  readonly replaced: ReplacedPvcs;
  readonly storageQuota?: string;
}

export const restoreOutcomes = actionOutcomes({
  async succeeded(tx, job, before) {
    const { id: operationId, progress } = job;
    const { restore: { target, backupId }, replaced, storageQuota } = progress as RestoreProgress, spokeId = before.id;
    await deleteRetainedPvcRows(tx, spokeId, Object.values(sitePvcNames(target)));
    await retainPvcs(tx, { spokeId, operationId, reason: "replaced" }, replaced);
    const inputs = () => withStorageQuota(withSiteBase(before.blueprintInputs as SpokeInputs, target), storageQuota);
    return {
      ...(backupId && { audit: await closeRequestsAfterRestore(tx, before, backupId) }),
      change: () => ({
        ...{ lmsVersion: target.version, blueprintInputs: JSON.stringify(inputs()), drift: null },
        ...imageDigestOf(job),
      }),
      metadata: { ...(backupId && { backupId }), from: before.lmsVersion, to: target.version },
    };
  },
  async stopped(tx, job, before) {
    const { restore } = job.progress as Partial<RestoreProgress>, { backupId } = job.payload;
    if (restore && restore.backupId !== null) {
      const claims = Object.values(sitePvcNames(restore.target)).map((claim) => ({ claim, uid: null }));
      await retainPvcs(tx, { spokeId: before.id, operationId: job.id, reason: "unused" }, claims);
    }
    const isFailed = await isSiteDown(tx, job); // whatever state the step has read
    return {
      ...(isFailed && { change: () => ({ state: "failed", health: "unknown" }) }),
      metadata: backupId ? { backupId } : {},
    };
  },
});

/** Returns whether this restore or an earlier operation has stopped the site. */
export async function isSiteDown(rows: Rows, job: Job): Promise<boolean> {
  return hasRestoreChangedSite(job) || await findUnfinishedRestore(rows, job.spokeId!) !== null ||
    await isPartlyUpgraded(rows, job);
}
