/** Records the result of the operation `backup`. */
import type { OPERATIONS } from "#lib/operations/table.ts";
import type { AuditKind } from "#lib/audit/kinds.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import type { BackupKind } from "#lib/model/backup.ts";
import { type Backup, claimBackupFailureMail, ensureBackup, markBackupFailed } from "#lib/domains/backups/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job, JobOf } from "#lib/jobs/job.ts";
import type { JobHooks, Outcome } from "#lib/scheduler/handler.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";

type BackupJob = JobOf<typeof OPERATIONS.backup.kind>;

export const backupOutcomes: JobHooks<BackupJob["progress"], BackupJob["payload"]> = {
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
  return { spoke, backup: await ensureBackup(tx, spoke, { operationId: job.id, kind: getBackupKind(job) }) };
}

function reportBackup({ spoke, backup }: LockedBackup, job: Job, kind: AuditKind, metadata: object = {}): Outcome {
  const { id: backupId, sizeBytes } = backup;
  const size = sizeBytes === null ? {} : { sizeBytes };
  const details = { backup: backup.kind, backupId, ...size, slug: spoke.slug, operationId: job.id, ...metadata };
  return { audit: [{ kind, ...buildSpokeSubject(spoke), metadata: details }] };
}

export function getBackupKind({ payload }: BackupJob): BackupKind {
  return payload.kind ?? "manual";
}
