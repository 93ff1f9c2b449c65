/**
 * Runs a restore test: restores a spoke's newest backup in a sandbox (temporary namespace) and checks the restored
 * site. The backup is verified if the database has the site's identifier and the expected counts, all uploaded files
 * exist, the code has the database's version, and the login page responds. Once the test has a result, the remaining
 * checks are skipped. The result is stored immediately (outcomes.ts), but the job ends only after the sandbox is
 * deleted.
 */
import type { App } from "#lib/app.ts";
import { isUsableBackup } from "#lib/domains/backups/retention.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { createJobHandler, type JobHandler, wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { analyzeFailure, buildFinalReport, mayRetryJob } from "#lib/scheduler/reports.ts";
import { endTestWithoutResult, hasTestResult } from "#lib/recovery/restore-tests/outcomes.ts";
import { endFailedTest } from "#lib/recovery/restore-tests/failures.ts";
import {
  openRestoreTest,
  readTestedBackup,
  RESTORE_TEST,
  type RestoreTestRun,
} from "#lib/recovery/restore-tests/context.ts";
import { waitForWorkload } from "#lib/steps/workloads.ts";
import { applySandboxObjects, createSandbox, removeSandbox } from "#lib/recovery/sandbox.ts";
import { waitUntilPvcsBound } from "#lib/recovery/volumes/wait-until-bound.ts";
import { createPvcsFromSnapshots } from "#lib/recovery/volumes/pvcs.ts";
import { compareFilesWithDatabase, verifyContent } from "#lib/recovery/restore-tests/verify.ts";

export function restoreTestHandler(app: App): JobHandler {
  const handler = createJobHandler(RESTORE_TEST, (run: RestoreTestRun) => openRestoreTest(app, run), {
    sandbox: createSandbox,
    async volumes(context, run) {
      await createPvcsFromSnapshots(context, run, context.from);
      await waitUntilPvcsBound(context, run);
    },
    async database(context, run) {
      await applySandboxObjects(context, run, "database");
      await waitForWorkload(context, run, DATABASE_STATEFULSET_REF);
    },
    async app(context, run) {
      await compareFilesWithDatabase(context, run);
      await applySandboxObjects(context, run, "app");
      await waitForWorkload(context, run, MOODLE_DEPLOYMENT_REF);
    },
    verify: verifyContent,
    clear: removeSandbox,
  }, { hooks: {} });
  return wrapStepFunctions(
    handler,
    (work, step) => step === "clear" ? runIfSandboxCreated(work) : runUntilResult(app, work, step),
  );
}

type Work = (run: RestoreTestRun) => Promise<void>;

/** Wraps a step so that a permanent failure ends the test but not the job. Skips the step if the test has ended. */
function runUntilResult(app: App, work: Work, step: string): Work {
  return async (run) => {
    if (hasTestResult(run)) return;
    const { backup, spoke } = await readTestedBackup(app, run);
    if (spoke.state === "removing" || spoke.state === "removed") {
      return await endTestWithoutResult(run, `the spoke is ${spoke.state}`);
    }
    if (!isUsableBackup(backup)) return await endTestWithoutResult(run, "the backup was deleted");
    const { failure, deadlineAt } = run.job;
    if (failure && await app.db.now() >= deadlineAt!) {
      return await endFailedTest(run, { nature: "transient", report: failure });
    }
    try {
      await work(run);
    } catch (error) {
      run.signal.throwIfAborted();
      const analysis = analyzeFailure(error, step);
      if (mayRetryJob(analysis, { ...RESTORE_TEST, persistent: false }, run.job, await app.db.now())) throw error;
      await endFailedTest(run, { ...analysis, report: buildFinalReport(analysis, run.job) });
    }
  };
}

/** Wraps the step that deletes the sandbox: the step does nothing if no sandbox was created. */
function runIfSandboxCreated(work: Work): Work {
  return async (run) => {
    if (run.job.progress.sandbox) await work(run);
  };
}
