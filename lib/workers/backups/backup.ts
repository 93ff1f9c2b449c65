/**
 * Runs the operation `backup`, which a user requests or plan.ts queues every night. Records the audit event
 * `tenant_backup_succeeded` or `tenant_backup_failed`. If a spoke's nightly backups fail several times in a row, only
 * the first failure is recorded.
 */
import type { App } from "#lib/app.ts";
import type { AuditKind } from "#lib/audit/kinds.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import type { BackupKind } from "#lib/model/backup.ts";
import { type Backup, claimBackupFailureMail, ensureBackup, markBackupFailed } from "#lib/domains/backups/store.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { Job, JobOf } from "#lib/jobs/job.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler, JobHooks, JobRun, Outcome } from "#lib/scheduler/handler.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { MINUTE } from "#lib/base/time.ts";
import { deleteExpiredBackups } from "#lib/workers/backups/delete-expired.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { type OperationRun, spokeHandler, type SpokeSite } from "#lib/steps/site.ts";
import { takeBackup } from "#lib/workers/backups/snapshots.ts";
import { saveBackupCounts } from "#lib/domains/backups/restore-test-store.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { CourseAndUserCounts } from "#lib/moodle/job-results.ts";
import { readDatabase } from "#lib/steps/site-jobs.ts";

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
  const size = sizeBytes === null ? {} : { sizeBytes };
  const details = { backup: backup.kind, backupId, ...size, slug: spoke.slug, operationId: job.id, ...metadata };
  return { audit: [{ kind, ...buildSpokeSubject(spoke), metadata: details }] };
}

function kindOf({ payload }: BackupJob): BackupKind {
  return payload.kind ?? "manual";
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

/** Counts courses and users, takes a backup, and counts them again. A retry keeps the first count. */
async function takeBackupWithCounts(
  site: SpokeSite,
  run: OperationRun<"backup">,
  take: () => Promise<Backup>,
): Promise<void> {
  const { app, spoke } = site;
  if (app.config.restoreTests === "off" || spoke.state !== "active") return void await take();
  if (run.job.progress.counted === undefined) await run.saveProgress({ counted: await countContent(site, run, "") });
  const before = run.job.progress.counted;
  const backup = await take();
  const after = before && await countContent(site, run, "-2");
  if (before && after) await run.write((tx) => saveBackupCounts(tx, backup.id, { before, after }));
}

async function countContent(site: SpokeSite, run: JobRun, suffix: string): Promise<CourseAndUserCounts | null> {
  try {
    return (await readDatabase(site, run, suffix)).counts;
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ClusterError)) throw error;
    run.log.warn("Cannot count the courses and users of a site; backing up the site without counts", { error });
    return null;
  }
}
