/**
 * Takes a backup before an upgrade. If an upgrade is retried after it changed the site, no new backup is taken, because
 * only the first one contains the site from before the upgrade.
 */
import { type Backup, markBackupFailed } from "#lib/domains/backups/store.ts";
import { addErrorDetails, ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { UpgradeBackup } from "#lib/operations/upgrade.ts";
import { findInterruptedUpgrade } from "#lib/steps/interrupted-upgrade.ts";
import {
  addNotes,
  explainStepError,
  isStepError,
  type OperationRun,
  type SpokeSite,
  type StepError,
} from "#lib/steps/site.ts";
import { takeBackup } from "#lib/workers/backups/snapshots.ts";

export async function backUpBeforeUpgrade(site: SpokeSite, run: OperationRun<"upgrade">): Promise<void> {
  const earlier = await findInterruptedUpgrade(site.app.db.rows, run.job);
  if (earlier) {
    const backup = earlier.progress.backup ?? null;
    await run.saveProgress({ backup });
    return await addNotes(run, [
      `No new backup was taken, because the site is partly upgraded. ${describeBackup(backup)}`,
    ]);
  }
  try {
    await run.saveProgress({ backup: summarizeBackup(await takeBackup(site, run, { kind: "upgrade" })) });
  } catch (error) {
    if (!isStepError(error)) throw error;
    run.signal.throwIfAborted();
    // Continues without a backup only if the user set `skipBackup`, and the error is permanent or a timeout.
    if (!run.job.payload.skipBackup) throw addSkipHint(error);
    if (error instanceof ClusterError && error.transient && error.code !== "deadline") throw error;
    await run.write((tx) => markBackupFailed(tx, run.job.id, error.message));
    await run.saveProgress({ backup: null });
    await addNotes(run, [`No backup was taken: ${explainStepError(error).message}`]);
  }
}

function describeBackup(backup: UpgradeBackup | null): string {
  return backup
    ? `Backup ${backup.id} contains the site from before the upgrade`
    : "No backup from before the upgrade exists";
}

function summarizeBackup({ id, volumes }: Backup): UpgradeBackup {
  const contents = volumes.flatMap(({ content }) => content ?? []);
  return { id, snapshots: volumes.map(({ snapshot }) => snapshot), contents };
}

function addSkipHint(error: StepError): StepError {
  if (error instanceof ClusterError && error.transient) return error;
  const { code, message, blame, hint: ownHint } = explainStepError(error);
  const cause = ownHint ?? "Check the snapshot controller and the VolumeSnapshotClass: the cluster took no snapshot.";
  const hint = `${cause} Or upgrade with skipBackup, but then no rollback is possible.`;
  return error instanceof Refusal
    ? new Refusal(error.code, message, hint, blame)
    : addErrorDetails(error, { code, message, blame, hint });
}
