/**
 * Runs the operation `backup`, which a user requests or plan.ts queues every night. Records the audit event
 * `tenant_backup_succeeded` or `tenant_backup_failed`. If a spoke's nightly backups fail several times in a row, only
 * the first failure is recorded.
 */
import type { App } from "#lib/app.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { MINUTE } from "#lib/base/time.ts";
import { deleteExpiredBackups } from "#lib/workers/backups/delete-expired.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { spokeHandler } from "#lib/steps/site.ts";
import { takeBackup } from "#lib/workers/backups/snapshots.ts";
import { takeBackupWithCounts } from "#lib/workers/backups/counts.ts";
import { backupOutcomes, getBackupKind } from "#lib/workers/backups/outcomes.ts";

/**
 * The time limit for one attempt to take a backup, in milliseconds. If slow storage needs longer, later attempts wait
 * for the same snapshots. Between two attempts, other operations on the spoke can run.
 */
const ATTEMPT_TIMEOUT = 5 * MINUTE;

export function backupHandler(app: App): JobHandler {
  return spokeHandler(app, OPERATIONS.backup.kind, {
    async snapshots(site, run) {
      requireLiveSpoke(site.spoke);
      await takeBackupWithCounts(
        site,
        run,
        () => takeBackup(site, run, { kind: getBackupKind(run.job), timeout: ATTEMPT_TIMEOUT }),
      );
    },
    retention: (site, run) => deleteExpiredBackups(site, run, "expired"),
  }, { hooks: backupOutcomes });
}

/** Throws if the spoke failed, or its removal began, after the backup was queued: the backup would be useless. */
function requireLiveSpoke({ state, slug }: SpokeRow): void {
  if (state !== "failed" && state !== "removing" && state !== "removed") return;
  throw new Refusal(
    "SpokeState",
    `Cannot take a backup: ${slug} is ${state}`,
    "Retry the failed operation, or resume the spoke. Nightly backups then continue automatically.",
  );
}
