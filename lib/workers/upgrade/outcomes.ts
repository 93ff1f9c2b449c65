/**
 * Updates the spoke's row when an upgrade ends. After a success, the row has the new version. After a failure, the
 * spoke's state is `failed` if the upgrade may have changed the site.
 */
import { forgetAddons } from "#lib/moodle/addons.ts";
import { computeUpgradedInputs } from "#lib/moodle/upgrade.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { isPartlyUpgraded } from "#lib/steps/interrupted-upgrade.ts";
import { readRecordedDigest } from "#lib/steps/image-digest.ts";
import { markBackupFailed } from "#lib/domains/backups/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { createActionOutcomes } from "#lib/steps/outcomes.ts";

export const upgradeOutcomes = createActionOutcomes(OPERATIONS.upgrade, {
  succeeded(_, job, before) {
    const { version, images, from } = job.progress.upgrade!;
    // The image may have lost add-ons, or there may be other versions for this Moodle: the next `configure` checks them.
    const inputs = () =>
      forgetAddons(computeUpgradedInputs(before.blueprintInputs as SpokeInputs, { version, images }));
    return {
      change: () => ({ lmsVersion: version, blueprintInputs: JSON.stringify(inputs()), ...readRecordedDigest(job) }),
      metadata: { from: from.version, to: version },
    };
  },
  async stopped(tx, job, before, report) {
    await markBackupFailed(tx, job.id, report?.message ?? "The upgrade was cancelled"); // unless the backup was complete
    const isFailed = await isPartlyUpgraded(tx, job); // overrides the state that was read from the cluster
    return {
      ...(isFailed && { change: () => ({ state: "failed", health: "unknown" }) }),
      metadata: { from: before.lmsVersion, to: job.payload.lmsVersion },
    };
  },
});
