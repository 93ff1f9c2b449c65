/** Runs a step of an upgrade. If it fails after the site was stopped, adds instructions for a rollback to the error. */
import type { App } from "#lib/app.ts";
import { findInterruptedUpgrade, hasStartedMigration, withRollbackHint } from "#lib/steps/interrupted-upgrade.ts";
import { isStepError } from "#lib/steps/site.ts";
import type { UpgradeRun } from "#lib/workers/upgrade/upgraded-site.ts";

export async function addRollbackHint(
  app: App,
  run: UpgradeRun,
  work: (run: UpgradeRun) => Promise<void>,
): Promise<void> {
  try {
    await work(run);
  } catch (error) {
    if (!isStepError(error) || run.signal.aborted) throw error;
    const interrupted = hasStartedMigration(run.job) ? run.job : await findInterruptedUpgrade(app.db.rows, run.job);
    throw interrupted ? withRollbackHint(error, interrupted) : error;
  }
}
