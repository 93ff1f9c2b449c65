/**
 * Handles upgrades that failed after the site was stopped. The site then stays down, and the failure report explains
 * how to recover it. Whether a site is partly upgraded can be seen from its past operations. The spoke's state does not
 * show it, because the current operation has already changed the state.
 */
import type { RowQueries } from "#lib/drivers/db/database.ts";
import { hasDeclaredData } from "#lib/jobs/data.ts";
import type { Job, JobOf } from "#lib/jobs/job.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { listEndedOperationsBefore } from "#lib/jobs/store.ts";
import { type StepError, withRecoveryInstructions } from "#lib/steps/site.ts";

const UPGRADE = OPERATIONS.upgrade.name, REPAIRS = [OPERATIONS.reapply.name, OPERATIONS.restore.name];

type UpgradeJob = JobOf<typeof OPERATIONS.upgrade.kind>;

/** The upgrade that left a site partly upgraded. Its progress is empty if this release cannot read it. */
interface InterruptedUpgrade extends Pick<UpgradeJob, "spokeId"> {
  readonly progress: Partial<UpgradeJob["progress"]>;
}

/** Returns whether this upgrade may have changed the site, which is possible once the step `backup` is finished. */
export function hasStartedMigration({ finishedSteps }: Pick<Job, "finishedSteps">): boolean {
  return finishedSteps.includes("backup");
}

/**
 * Returns the last upgrade if it left the site partly upgraded. Returns null if a later upgrade, reapply or restore has
 * repaired the site.
 */
export async function findInterruptedUpgrade(rows: RowQueries, job: Job): Promise<InterruptedUpgrade | null> {
  const before = await listEndedOperationsBefore(rows, job, [UPGRADE, ...REPAIRS]);
  const decisive = before.find((each) =>
    each.state === "succeeded" || (each.kind === UPGRADE && hasStartedMigration(each))
  );
  if (!decisive || decisive.state === "succeeded") return null;
  return hasDeclaredData(OPERATIONS.upgrade.kind, decisive) ? decisive : { spokeId: decisive.spokeId, progress: {} };
}

/** Returns whether this operation or an earlier upgrade may have left the site partly upgraded. */
export async function isPartlyUpgraded(rows: RowQueries, job: Job): Promise<boolean> {
  return hasStartedMigration(job) || await findInterruptedUpgrade(rows, job) !== null;
}

/** Describes the version that the site had before the upgrade, and the backup with this version. */
export function describeRollback({ progress: { upgrade, backup } }: Pick<InterruptedUpgrade, "progress">): string {
  const { release, version } = upgrade?.from ?? {};
  const previous = `Before the upgrade, the site ran ${release ?? version ?? "an older version"}`;
  if (!backup) return `${previous}. No backup was taken`;
  const contents = backup.contents.length > 0 ? `, contents ${backup.contents.join(", ")}` : "";
  return `${previous}. This version is in backup ${backup.id} (snapshots ${backup.snapshots.join(", ")}${contents})`;
}

/** Adds instructions for a rollback to the error that an upgrade failed with. */
export function withRollbackHint(error: StepError, job: InterruptedUpgrade): StepError {
  const rollback = job.progress.backup
    ? `Or ask an operator to restore the backup: wheelwright restore ${job.spokeId} --backup ${job.progress.backup.id}`
    : "No backup exists.";
  return withRecoveryInstructions(
    error,
    describeRollback(job),
    (hint) => `${hint ?? "Fix the cause, then retry."} ${rollback}`,
  );
}
