/**
 * Updates the database when a restore ends. After a success, the spoke uses the restored volumes, and the previous
 * volumes are kept for some days. After a failure, the spoke's state is `failed` if the site was stopped, and PVCs that
 * were created for the restore are recorded for deletion.
 */
import { closeRequestsAfterRestore } from "#lib/domains/backups/restore-requests/request.ts";
import { deleteRetainedPvcRows, retainPvcs } from "#lib/domains/backups/retained-pvcs.ts";
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { forgetAddons } from "#lib/moodle/addons.ts";
import { withCoursesToBring } from "#lib/moodle/policy-values.ts";
import { replaceVersionAndVolumes } from "#lib/moodle/site-base.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getSitePvcNames } from "#lib/moodle/names.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Job } from "#lib/jobs/job.ts";
import { findUnfinishedRestore, hasRestoreChangedSite } from "#lib/jobs/restores.ts";
import { readRecordedDigest } from "#lib/steps/image-digest.ts";
import { createActionOutcomes } from "#lib/steps/outcomes.ts";
import { withStorageQuota } from "#lib/recovery/restore/restored-site.ts";
import { isPartlyUpgraded } from "#lib/steps/interrupted-upgrade.ts";

export const restoreOutcomes = createActionOutcomes(OPERATIONS.restore, {
  async succeeded(tx, job, before) {
    const { id: operationId, progress: { restore, replaced = [], storageQuota } } = job, spokeId = before.id;
    const { target, backupId } = restore!;
    await deleteRetainedPvcRows(tx, spokeId, Object.values(getSitePvcNames(target)));
    await retainPvcs(tx, { spokeId, operationId, reason: "replaced" }, replaced);
    const inputs = () => {
      const { shared, ...rest } = forgetAddons(before.blueprintInputs as SpokeInputs);
      const own = { ...rest, ...(shared && { shared: withCoursesToBring(shared, shared) }) };
      return withStorageQuota(replaceVersionAndVolumes(own, target), storageQuota);
    };
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
    const { payload, progress: { restore } } = job;
    if (restore && restore.backupId !== null) {
      const claims = Object.values(getSitePvcNames(restore.target)).map((claim) => ({ claim, uid: null }));
      await retainPvcs(tx, { spokeId: before.id, operationId: job.id, reason: "unused" }, claims);
    }
    const isFailed = await isSiteDown(tx, job); // overrides the state that was read from the cluster
    return {
      ...(isFailed && { change: () => ({ state: "failed", health: "unknown" }) }),
      metadata: "backupId" in payload ? { backupId: payload.backupId } : {},
    };
  },
});

/** Returns whether the site is stopped because of this restore, or of an earlier operation that did not finish. */
export async function isSiteDown(rows: RowQueries, job: Job): Promise<boolean> {
  return hasRestoreChangedSite(job) || await findUnfinishedRestore(rows, job.spokeId!) !== null ||
    await isPartlyUpgraded(rows, job);
}
