/** Checks the content of a restored site. */
import { Refusal } from "#lib/base/refusals.ts";
import { findRestoredDataProblem, findRestoredFilesProblem } from "#lib/domains/backups/restore-test.ts";
import { endVerifiedTest } from "#lib/recovery/restore-tests/outcomes.ts";
import type { RestoreTestContext, RestoreTestRun } from "#lib/recovery/restore-tests/context.ts";
import { requireLoginPage } from "#lib/steps/login-page.ts";
import { checkFiles, readDatabase } from "#lib/steps/site-jobs.ts";

/**
 * Compares the uploaded files with the database. Must run before Moodle starts, because Moodle then replaces the code
 * on the volume and creates missing directories.
 */
export async function compareFilesWithDatabase(context: RestoreTestContext, run: RestoreTestRun): Promise<void> {
  run.showProgress("Comparing the uploaded files with the database");
  await run.saveProgress({ checked: await checkFiles(context, run, context.backup.createdAt) });
}

export async function verifyContent(context: RestoreTestContext, run: RestoreTestRun): Promise<void> {
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
