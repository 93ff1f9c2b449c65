/**
 * If restore tests are enabled, counts a site's courses and users before and after each backup. In a restore test, the
 * counts of the restored site must lie between these two counts.
 */
import { saveBackupCounts } from "#lib/domains/backups/restore-test-store.ts";
import type { Backup } from "#lib/domains/backups/store.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { CourseAndUserCounts } from "#lib/moodle/job-results.ts";
import type { OPERATIONS } from "#lib/operations/table.ts";
import type { JobRun, RunOf } from "#lib/scheduler/handler.ts";
import { readDatabase } from "#lib/steps/site-jobs.ts";
import type { SpokeSite } from "#lib/steps/site.ts";

/** Counts courses and users, takes a backup, and counts them again. A retry keeps the first count. */
export async function takeBackupWithCounts(
  site: SpokeSite,
  run: RunOf<typeof OPERATIONS.backup.kind>,
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
