/**
 * What the ends of an upgrade make of the spoke's row: the new version once the cluster has shown it, and a failed spoke
 * where the site was touched before it failed. Before that nothing has happened to it.
 */
import { failBackup } from "#lib/domains/backups/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { upgradedInputs } from "#lib/moodle/upgrade.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job } from "#lib/records/jobs/job.ts";
import type { Hooks, Outcome } from "#lib/scheduler/handler.ts";
import { lockSpoke } from "#lib/domains/spokes/store.ts";
import { isHalfWay } from "#lib/work/upgrade/half-way.ts";
import { actionOutcomes } from "#lib/work/outcomes.ts";

export const upgradeOutcomes: Hooks = {
  ...actionOutcomes,
  async onSucceeded(tx, job) {
    const { version, images, from } = job.progress.upgrade;
    const row = await lockSpoke(tx, job.spokeId!);
    if (row.state !== "removing" && row.state !== "removed") {
      const inputs = upgradedInputs(row.blueprintInputs as SpokeInputs, { version, images });
      await tx.updateTable("spokes").set({ lmsVersion: version, blueprintInputs: JSON.stringify(inputs) })
        .where("id", "=", row.id).execute();
    }
    return withVersions(await actionOutcomes.onSucceeded!(tx, job), from.version, version);
  },
  async onFailed(tx, job, report) {
    await failBackup(tx, job.id, report.message); // if it was under way
    const row = await lockSpoke(tx, job.spokeId!);
    const outcome = await actionOutcomes.onFailed!(tx, await asItStands(tx, job), report);
    return withVersions(outcome, row.lmsVersion, String(job.payload.lmsVersion));
  },
  async onCancelled(tx, job) {
    await failBackup(tx, job.id, "The upgrade was called off");
    return await actionOutcomes.onCancelled!(tx, await asItStands(tx, job));
  },
};

/** A site that is half-way is down, whatever could be seen of it. */
async function asItStands(tx: Tx, job: Job): Promise<Job> {
  if (!await isHalfWay(tx, job)) return job;
  const observed = { state: "failed", health: "unknown" };
  return { ...job, progress: { ...job.progress, observed } };
}

function withVersions(outcome: Outcome, from: string, to: string): Outcome {
  const audit = (outcome.audit ?? []).map((entry) => ({ ...entry, metadata: { ...entry.metadata, from, to } }));
  return { ...outcome, audit };
}
