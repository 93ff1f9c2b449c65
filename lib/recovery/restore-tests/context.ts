/** Gives the steps of a restore test access to its sandbox (temporary namespace), backup and spoke. */
import * as v from "valibot";
import type { App } from "#lib/app.ts";
import { type Backup, findBackup } from "#lib/domains/backups/store.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { SpokeInputs } from "#lib/moodle/inputs.ts";
import { getAdoptionId } from "#lib/moodle/names.ts";
import { FilesCheckResult } from "#lib/moodle/job-results.ts";
import { buildSandboxInputs, SandboxInputs } from "#lib/moodle/sandbox.ts";
import { enlargeDisksToSnapshotSize } from "#lib/moodle/adoption.ts";
import { declareJobKind } from "#lib/operations/plan.ts";
import { SANDBOX } from "#lib/operations/progress.ts";
import type { RunOf } from "#lib/scheduler/handler.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { openSandbox, type Sandbox } from "#lib/recovery/sandbox.ts";
import type { SiteSnapshots } from "#lib/recovery/volumes/pvcs.ts";
import { readBackupSnapshots } from "#lib/recovery/volumes/backup-snapshots.ts";

/** The job kind of restore tests. The deletion of the sandbox is retried even after the time limit. */
export const RESTORE_TEST = declareJobKind({
  kind: "restore-test",
  persistent: true,
  timeLimit: 6 * HOUR,
  steps: {
    sandbox: ["Creating a sandbox", 5 * MINUTE],
    volumes: ["Creating volumes from the backup", 3 * HOUR],
    database: ["Starting the database", 20 * MINUTE],
    app: ["Starting Moodle", 2 * HOUR],
    verify: ["Checking the content", 12 * MINUTE],
    clear: ["Deleting the sandbox", HOUR],
  },
  // A backup is not deleted while a job with its ID is queued or running.
  payload: v.object({ backupId: v.string(), cluster: v.string() }),
  progress: {
    ...SANDBOX,
    inputs: SandboxInputs,
    checked: FilesCheckResult,
    /** The result of the test, after which only the sandbox is deleted. */
    outcome: v.string(),
  },
});

export type RestoreTestRun = RunOf<typeof RESTORE_TEST>;

export interface RestoreTestContext extends Sandbox {
  readonly backup: Backup;
  readonly spoke: SpokeRow;
  readonly from: SiteSnapshots;
}

export async function openRestoreTest(app: App, run: RestoreTestRun): Promise<RestoreTestContext> {
  const { backup, spoke } = await readTestedBackup(app, run), from = readBackupSnapshots(backup, spoke);
  const inputs = await sandboxInputsOf(app, run, spoke, backup, from);
  // Uses Object.assign, because a spread would call the getter `space`, which throws until the namespace exists.
  return Object.assign(await openSandbox(app, backup.cluster, inputs, run), { backup, spoke, from });
}

export async function readTestedBackup(
  { db }: Pick<App, "db">,
  { job }: RestoreTestRun,
): Promise<{ readonly backup: Backup; readonly spoke: SpokeRow }> {
  const { backupId } = job.payload, spokeId = job.spokeId!;
  const spoke = await db.rows.selectFrom("spokes").selectAll().where("id", "=", spokeId).executeTakeFirstOrThrow();
  return { backup: (await findBackup(db.rows, backupId))!, spoke };
}

/**
 * Returns the blueprint inputs for the sandbox. They are computed once and stored in the job's progress, so that later
 * changes to the spoke do not affect the restore test.
 */
async function sandboxInputsOf(
  { config: { releaseId } }: App,
  run: RestoreTestRun,
  spoke: SpokeRow,
  backup: Backup,
  { volumes }: SiteSnapshots,
): Promise<SandboxInputs> {
  if (run.job.progress.inputs) return run.job.progress.inputs;
  const current = v.parse(SpokeInputs, spoke.blueprintInputs), { lmsVersion: version, images } = backup;
  const atBackup = { ...current, ...(version !== null && images !== null && { version, images }) };
  const resized = enlargeDisksToSnapshotSize(atBackup, {
    files: volumes.files.restoreSize,
    database: volumes.database.restoreSize,
  });
  const inputs: SandboxInputs = {
    ...buildSandboxInputs(resized, { id: run.job.id, madeAfter: spoke.id }, releaseId),
    origin: { adoptionId: getAdoptionId(run.job.id), identity: "same" },
  };
  await run.saveProgress({ inputs });
  return inputs;
}
