/**
 * Runs the operation `backup`, which a user requests or plan.ts queues every night. Records the audit event
 * `tenant_backup_succeeded` or `tenant_backup_failed`. If a spoke's nightly backups fail several times in a row, only
 * the first failure is recorded.
 */
import type { App } from "#lib/app.ts";
import type { AuditKind } from "#lib/audit/kinds.ts";
import type { BackupKind } from "#lib/model/backup.ts";
import { type Backup, claimBackupFailureMail, ensureBackup, markBackupFailed } from "#lib/domains/backups/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job, JobOf } from "#lib/jobs/job.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler, JobHooks, Outcome } from "#lib/scheduler/handler.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { MINUTE } from "#lib/base/time.ts";
import { takeBackupWithCounts } from "#lib/workers/backups/counts.ts";
import { deleteExpiredBackups } from "#lib/workers/backups/delete-expired.ts";
import { permanentError, spokeHandler } from "#lib/steps/site.ts";
import { takeBackup } from "#lib/workers/backups/snapshots.ts";

const { kind: BACKUP } = OPERATIONS.backup;
type BackupJob = JobOf<typeof BACKUP>;

/**
 * The time limit for one attempt to take a backup, in milliseconds. If slow storage needs longer, later attempts wait
 * for the same snapshots. Between two attempts, other operations on the spoke can run.
 */
const ATTEMPT_TIMEOUT = 5 * MINUTE;

export function backupHandler(app: App): JobHandler {
  return spokeHandler(app, BACKUP, {
    async snapshots(site, run) {
      requireLiveSpoke(site.spoke);
      await takeBackupWithCounts(
        site,
        run,
        () => takeBackup(site, run, { kind: kindOf(run.job), timeout: ATTEMPT_TIMEOUT }),
      );
    },
    retention: (site, run) => deleteExpiredBackups(site, run, "expired"),
  }, { hooks: backupOutcomes });
}

const backupOutcomes: JobHooks<BackupJob["progress"], BackupJob["payload"]> = {
  async onSucceeded(tx, job) {
    return reportBackup(await lockBackup(tx, job), job, "tenant_backup_succeeded");
  },
  async onFailed(tx, job, report) {
    await lockBackup(tx, job);
    const backup = (await markBackupFailed(tx, job.id, report.message))!;
    // Reports success if the backup is ready: the job then failed later, while it deleted expired backups.
    if (backup.state === "ready") return reportBackup(await lockBackup(tx, job), job, "tenant_backup_succeeded");
    if (!await claimBackupFailureMail(tx, backup)) return {};
    const { step, code, fault, message } = report;
    return reportBackup(await lockBackup(tx, job), job, "tenant_backup_failed", { step, code, fault, message });
  },
  async onCancelled(tx, job) {
    await markBackupFailed(tx, job.id, "The backup was cancelled");
    return {};
  },
};

interface LockedBackup {
  readonly spoke: SpokeRow;
  readonly backup: Backup;
}

/** Locks the spoke's row. Returns it with the row of this job's backup, which is created if it does not exist. */
async function lockBackup(tx: Tx, job: BackupJob): Promise<LockedBackup> {
  const spoke = await lockSpoke(tx, job.spokeId!);
  return { spoke, backup: await ensureBackup(tx, spoke, { operationId: job.id, kind: kindOf(job) }) };
}

function reportBackup({ spoke, backup }: LockedBackup, job: Job, kind: AuditKind, metadata: object = {}): Outcome {
  const { id: backupId, sizeBytes } = backup;
  const object = {
    objectType: "spoke",
    objectId: spoke.id,
    federationId: spoke.federationId,
    spokeId: spoke.id,
  } as const;
  const size = sizeBytes === null ? {} : { sizeBytes };
  const details = { backup: backup.kind, backupId, ...size, slug: spoke.slug, operationId: job.id, ...metadata };
  return { audit: [{ kind, ...object, metadata: details }] };
}

function kindOf({ payload }: BackupJob): BackupKind {
  return payload.kind ?? "manual";
}

/** Throws if the spoke failed, or its removal began, after the backup was queued: the backup would be useless. */
function requireLiveSpoke({ state, slug }: SpokeRow): void {
  if (state !== "failed" && state !== "removing" && state !== "removed") return;
  const message = `Cannot take a backup: ${slug} is ${state}`;
  throw permanentError(
    "SpokeState",
    message,
    "Retry the failed operation, or resume the spoke. Nightly backups then continue automatically.",
  );
}
