/** Takes a last backup of a spoke before its removal. If the backup fails, the spoke is removed without a backup. */
import { markBackupFailed } from "#lib/domains/backups/store.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { getErrorMessage } from "#lib/base/errors.ts";
import { describeRetainedContents } from "#lib/workers/backups/delete-expired.ts";
import { isMissingNamespace } from "#lib/steps/same-cluster.ts";
import { addNotes, isStepError, type OperationRun, type SpokeSite } from "#lib/steps/site.ts";
import { takeBackup } from "#lib/workers/backups/snapshots.ts";

const MAX_ATTEMPTS = 3;

export async function takeLastSnapshot(site: SpokeSite, run: OperationRun<"remove">): Promise<void> {
  const { spoke } = site;
  if (spoke.readyAt === null || spoke.namespaceUid === null) return; // the site never had data
  try {
    const { volumes } = await takeBackup(site, run, { kind: "last" });
    await run.saveProgress({ snapshots: volumes.map(({ claim, content, handle }) => ({ claim, content, handle })) });
  } catch (error) {
    // Does not retry after a timeout, because the user is waiting for the removal of the spoke.
    const isTransient = error instanceof ClusterError && error.transient && error.code !== "deadline";
    // Counts the attempts to take this backup, because the job's own attempt number includes attempts of other steps.
    const attempts = (run.job.progress.lastSnapshotTries ?? 0) + 1;
    if (!isStepError(error)) throw error;
    if (isTransient && attempts < MAX_ATTEMPTS) {
      await run.saveProgress({ lastSnapshotTries: attempts });
      throw error;
    }
    run.log[isMissingNamespace(error) ? "info" : "warn"]("Removing a spoke without a last snapshot", { error });
    await run.write((tx) => markBackupFailed(tx, run.job.id, error.message));
    const reason = error.code === "NoSnapshotClass" ? error.message.replace(/^[^:]*: /, "") : getErrorMessage(error);
    await addNotes(run, [`No last snapshot was taken: ${reason}`, ...await describeRetainedContents(site, run)]);
  }
}
