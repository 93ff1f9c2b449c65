/**
 * What the ends of an upgrade make of the spoke's row: the new version once the cluster has shown it, and a failed spoke
 * where the site was touched before it failed. Before that nothing has happened to it.
 */
import { failBackup } from "#lib/domains/backups/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { upgradedInputs } from "#lib/moodle/upgrade.ts";
import { isHalfWay } from "#lib/workers/upgrade/half-way.ts";
import { digestOf } from "#lib/workers/image-digest.ts";
import { actionOutcomes } from "#lib/workers/outcomes.ts";

export const upgradeOutcomes = actionOutcomes({
  succeeded(_, job, before) {
    const { version, images, from } = job.progress.upgrade;
    const inputs = () => upgradedInputs(before.blueprintInputs as SpokeInputs, { version, images });
    return {
      change: () => ({ lmsVersion: version, blueprintInputs: JSON.stringify(inputs()), ...digestOf(job) }),
      metadata: { from: from.version, to: version },
    };
  },
  async stopped(tx, job, before, report) {
    await failBackup(tx, job.id, report?.message ?? "The upgrade was called off"); // if it was under way
    const down = await isHalfWay(tx, job); // whatever could be seen of it
    return {
      ...(down && { change: () => ({ state: "failed", health: "unknown" }) }),
      metadata: { from: before.lmsVersion, to: String(job.payload.lmsVersion) },
    };
  },
});
