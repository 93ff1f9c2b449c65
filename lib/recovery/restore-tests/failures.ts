/** Ends a restore test that failed, and decides whether the backup is the cause. */
import { createBulkMailJob } from "#lib/jobs/mail.ts";
import { recordSkippedTest, recordTestFailure } from "#lib/domains/backups/restore-test-store.ts";
import { SKIPPED_TEST_PREFIX } from "#lib/domains/backups/usable.ts";
import { computeNextRestoreTestTime } from "#lib/domains/backups/schedule.ts";
import { listOperators } from "#lib/domains/users/store.ts";
import type { FailureAnalysis } from "#lib/scheduler/reports.ts";
import type { RestoreTestRun } from "#lib/recovery/restore-tests/context.ts";
import { STORAGE_FULL_PATTERN } from "#lib/recovery/volumes/storage-full.ts";
import { endTest, recordReport } from "#lib/recovery/restore-tests/outcomes.ts";

/** The maximum number of log lines from a failed container that the audit event contains. */
const LOG_LINES = 20;

export async function endFailedTest(
  run: RestoreTestRun,
  analysis: Pick<FailureAnalysis, "nature" | "report">,
): Promise<void> {
  const { code, fault, message, step, log } = analysis.report;
  const isBackupFault = isCausedByBackup(analysis);
  await endTest(run, isBackupFault ? "failed" : "skipped", async (tx, spoke, identity) => {
    const { backupId } = identity;
    run.log[isBackupFault ? "error" : "warn"]("A restore test failed", {
      backup: backupId,
      step,
      code,
      reason: message,
    });
    if (!isBackupFault) {
      const nextTest = computeNextRestoreTestTime(spoke.id, "nightly", run.job.updatedAt);
      return await recordSkippedTest(tx, identity, `${SKIPPED_TEST_PREFIX}${message}`, nextTest);
    }
    if (!await recordTestFailure(tx, identity, message)) return;
    const mailData = { spokeId: spoke.id, spoke: spoke.displayName, domain: spoke.domain, backupId, reason: message };
    const jobs = (await listOperators(tx)).map(({ email, displayName: name }) =>
      createBulkMailJob({ template: "backup-unverified", to: { email, name }, about: mailData })
    );
    await recordReport(tx, spoke, {
      kind: "tenant_backup_failed",
      identity,
      metadata: { restoreTest: true, step, code, fault, message, log: log.slice(-LOG_LINES) },
      error: message,
      jobs,
    });
  });
}

/** Error codes for problems of the cluster, such as missing capacity, which say nothing about the backup. */
const CLUSTER_PROBLEMS = new Set([
  ...["ExceededQuota", "FailedQuota", "LimitRange", "Unschedulable", "Forbidden", "PodSecurity", "FailedBinding"],
  ...["WebhookDenied", "WebhookUnreachable", "PolicyDenied", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull"],
  ...["FailedCreatePodSandBox", "another_cluster", "unknown_cluster", "BlueprintLacks", "NotFound", "ForeignNamespace"],
  ...["Terminating", "ClaimTaken", "VolumePending"],
]);

/** Returns whether the failure counts against the backup. A timeout does, as a real restore would also be too slow. */
function isCausedByBackup({ nature, report: { code, message } }: Pick<FailureAnalysis, "nature" | "report">): boolean {
  if (
    nature === "bug" || CLUSTER_PROBLEMS.has(code) ||
    code === "ProvisioningFailed" && STORAGE_FULL_PATTERN.test(message)
  ) {
    return false;
  }
  return nature === "permanent" || code === "deadline";
}
