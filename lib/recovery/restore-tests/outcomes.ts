/**
 * Stores the result of a restore test, together with its events. The job then continues until its sandbox is deleted.
 * A problem in the cluster, such as missing capacity, says nothing about the backup. The test is then recorded as
 * skipped, and repeated the next night.
 */
import { SYSTEM_REQUESTER } from "#lib/audit/requester.ts";
import { buildSpokeSubject } from "#lib/audit/store.ts";
import type { AuditKind } from "#lib/audit/kinds.ts";
import type { NewJob } from "#lib/jobs/job.ts";
import { updateHeldJob } from "#lib/jobs/fence.ts";
import { recordChange } from "#lib/changes/record.ts";
import type { Tx } from "#lib/drivers/db/database.ts";
import type { RestoreTestResult } from "#lib/domains/backups/restore-test.ts";
import { recordTestSuccess, type RestoreTestIdentity } from "#lib/domains/backups/restore-test-store.ts";
import { lockSpoke, type SpokeRow } from "#lib/domains/spokes/store.ts";
import { SECOND } from "#lib/base/time.ts";
import type { RestoreTestRun } from "#lib/recovery/restore-tests/context.ts";

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

type RecordResult = (tx: Tx, spoke: SpokeRow, identity: RestoreTestIdentity, seconds: number) => Promise<void>;

export async function endTest(run: RestoreTestRun, outcome: string, write: RecordResult): Promise<void> {
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

export async function recordReport(
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
