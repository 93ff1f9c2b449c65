/** Counts a site's courses and users before and after a backup, for later restore tests. */
import type { Backup } from "#lib/domains/backups/store.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { type OperationRun, type SpokeSite, tryInCluster } from "#lib/steps/site.ts";
import { saveBackupCounts } from "#lib/domains/backups/restore-test-store.ts";
import type { CourseAndUserCounts } from "#lib/moodle/job-results.ts";
import { readDatabase } from "#lib/steps/site-jobs.ts";

/** Counts courses and users, takes a backup, and counts them again. A retry keeps the first count. */
export async function takeBackupWithCounts(
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
  const message = "Cannot count the courses and users of a site; backing up the site without counts";
  return (await tryInCluster(run, () => readDatabase(site, run, suffix), "warn", message))?.counts ?? null;
}
