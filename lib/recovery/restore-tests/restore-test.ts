/**
 * Runs a restore test: restores a spoke's newest backup in a sandbox (temporary namespace) and checks the restored
 * site. The backup is verified if the database has the site's identifier and the expected counts, all uploaded files
 * exist, the code has the database's version, and the login page responds. Once the test has a result, the remaining
 * checks are skipped. The result is stored immediately (outcomes.ts), but the job ends only after the sandbox is
 * deleted.
 */
import { Refusal } from "#lib/base/refusals.ts";
import type { App } from "#lib/app.ts";
import { findRestoredDataProblem, findRestoredFilesProblem } from "#lib/domains/backups/restore-test.ts";
import { isUsableBackup } from "#lib/domains/backups/retention.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { createJobHandler, type JobHandler, wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { analyzeFailure, buildFinalReport, mayRetryJob } from "#lib/scheduler/reports.ts";
import {
  endFailedTest,
  endTestWithoutResult,
  endVerifiedTest,
  hasTestResult,
} from "#lib/recovery/restore-tests/outcomes.ts";
import {
  openRestoreTest,
  readTestedBackup,
  RESTORE_TEST,
  type RestoreTestContext,
  type RestoreTestRun,
} from "#lib/recovery/restore-tests/context.ts";
import { requireLoginPage } from "#lib/steps/login-page.ts";
import { checkFiles, readDatabase } from "#lib/steps/site-jobs.ts";
import { waitForWorkload } from "#lib/steps/workloads.ts";
import { applySandboxObjects, createSandbox, removeSandbox } from "#lib/recovery/sandbox.ts";
import { waitUntilPvcsBound } from "#lib/recovery/volumes/wait-until-bound.ts";
import { createPvcsFromSnapshots } from "#lib/recovery/volumes/pvcs.ts";

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

/**
 * Compares the uploaded files with the database. Must run before Moodle starts, because Moodle then replaces the code
 * on the volume and creates missing directories.
 */
async function compareFilesWithDatabase(context: RestoreTestContext, run: RestoreTestRun): Promise<void> {
  run.showProgress("Comparing the uploaded files with the database");
  await run.saveProgress({ checked: await checkFiles(context, run, context.backup.createdAt) });
}

async function verifyContent(context: RestoreTestContext, run: RestoreTestRun): Promise<void> {
  const { counts: countsAtBackup } = context.backup, site = await readDatabase(context, run);
  const siteIdentifier = context.backup.siteIdentifier ?? context.spoke.siteIdentifier;
  const filesCheck = run.job.progress.checked!;
  const problem = findRestoredDataProblem(site, { siteIdentifier, counts: countsAtBackup }) ??
    findRestoredFilesProblem(filesCheck, site);
  if (problem) {
    const hint = "Take another backup and test it. Then find out why this backup is damaged.";
    throw new Refusal(problem.code, `The restored site differs from the backup: ${problem.sentence}`, hint);
  }
  await requireLoginPage(context, run);
  const { courses, users } = site.counts ?? { courses: null, users: null };
  await endVerifiedTest(run, {
    ...{ courses, users, compared: site.counts !== null && countsAtBackup !== null },
    ...{
      files: filesCheck.elsewhere ? null : filesCheck.files,
      hashed: filesCheck.elsewhere ? null : filesCheck.hashed,
    },
    codeRelease: filesCheck.codeRelease,
  });
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
