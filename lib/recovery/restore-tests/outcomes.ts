/**
 * Stores the result of a restore test, together with its events. The job then continues until its sandbox is deleted.
 * A problem in the cluster, such as missing capacity, says nothing about the backup. The test is then recorded as
 * skipped, and repeated the next night.
 */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import type { AuditKind } from "#lib/audit/kinds.ts";
import { createBulkMailJob } from "#lib/jobs/mail.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { updateHeldJob } from "#lib/jobs/fence.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { RestoreTestResult } from "#lib/domains/backups/restore-test.ts";
import {
  recordSkippedTest,
  recordTestFailure,
  recordTestSuccess,
  type RestoreTestIdentity,
} from "#lib/domains/backups/restore-test-store.ts";
import { SKIPPED_TEST_PREFIX } from "#lib/domains/backups/usable.ts";
import { computeNextRestoreTestTime } from "#lib/domains/backups/schedule.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { listOperators } from "#lib/domains/users/store.ts";
import type { FailureAnalysis } from "#lib/scheduler/reports.ts";
import { SECOND } from "#lib/base/time.ts";
import type { RestoreTestRun } from "#lib/recovery/restore-tests/context.ts";
import { STORAGE_FULL_PATTERN } from "#lib/recovery/volumes/storage-full.ts";

/** The maximum number of log lines from a failed container that the audit event contains. */
const LOG_LINES = 20;

export function hasTestResult({ job }: RestoreTestRun): boolean {
  return job.progress.outcome !== undefined;
}

/** Ends a restore test without a result, because its backup was deleted or its spoke is being removed. */
export async function endTestWithoutResult(run: RestoreTestRun, reason: string): Promise<void> {
  run.log.info("Ended a restore test without a result", { reason });
  await run.saveProgress({ outcome: "not needed" });
}

export async function endVerifiedTest(run: RestoreTestRun, content: Omit<RestoreTestResult, "seconds">): Promise<void> {
  await endTest(run, "verified", async (tx, spoke, identity, seconds) => {
    const verification: RestoreTestResult = { ...content, seconds };
    if (!await recordTestSuccess(tx, identity, verification)) return;
    run.log.info("A backup passed its restore test", { backup: identity.backupId, ...verification });
    await recordReport(tx, spoke, { kind: "tenant_backup_verified", identity, metadata: { ...verification } });
  });
}

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

type RecordResult = (tx: Tx, spoke: SpokeRow, identity: RestoreTestIdentity, seconds: number) => Promise<void>;

async function endTest(run: RestoreTestRun, outcome: string, write: RecordResult): Promise<void> {
  const { backupId } = run.job.payload, spokeId = run.job.spokeId!;
  await run.write(async (tx) => {
    const { id: restoreTestId, startedAt, updatedAt } = await updateHeldJob(tx, run.job, { progress: { outcome } });
    const seconds = Math.round((updatedAt.getTime() - startedAt!.getTime()) / SECOND);
    await write(tx, await lockSpoke(tx, spokeId), { backupId, spokeId, restoreTestId }, seconds);
  });
}

interface TestReport {
  readonly kind: AuditKind;
  readonly identity: RestoreTestIdentity;
  readonly metadata: object;
  readonly error?: string | null;
  readonly jobs?: readonly NewJob[];
}

async function recordReport(
  tx: Tx,
  spoke: SpokeRow,
  { kind, identity, metadata, error = null, jobs = [] }: TestReport,
): Promise<void> {
  const { id: spokeId, federationId, slug, state } = spoke, { backupId } = identity;
  await recordChange(tx, SYSTEM_REQUESTER, {
    jobs,
    events: [{ federationId, spokeId, state, error }],
    audit: [{ kind, ...buildSpokeSubject(spoke), metadata: { backupId, slug, ...metadata } }],
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
