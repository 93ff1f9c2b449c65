/**
 * Migrates a site's database to a newer version. Only one upgrade runs at a time. An interrupted upgrade can run again,
 * because Moodle continues after the last finished part. A killed upgrade leaves a lock (`upgraderunning`, a time), so
 * the step waits up to about five minutes until Moodle releases it. Only the Job's success shows that an upgrade is
 * complete, because Moodle stores the new release before it upgrades its plugins.
 */
import { EXCLUSIVE_JOB_SELECTOR } from "#lib/moodle/names.ts";
import type { SiteIdentity } from "#lib/moodle/job-results.ts";
import { limitUpgradeJobTime } from "#lib/moodle/upgrade.ts";
import { ClusterError, type JobResult } from "#lib/drivers/cluster/cluster.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { waitForEarlierJobs } from "#lib/steps/job-attempts.ts";
import { trackInstalledParts } from "#lib/steps/progress-parts.ts";
import { type JobContext, requireJobSuccess, storeFenceInDatabase } from "#lib/steps/site-jobs.ts";
import { buildClusterWaitOptions, KUBERNETES_JOB_KIND, type OperationRun } from "#lib/steps/site.ts";

const FAILURE = "Moodle could not be upgraded";
const LOCKED_LINE = /Site is being upgraded, please retry later/i;

export interface SiteMigration {
  /** Text that identifies the upgrade path: the release before the upgrade and the image after it. */
  readonly path: string;
  /** Whether the upgrade is to another Moodle branch (such as 4.5 to 5.2), for which its Job gets more time. */
  readonly major: boolean;
  readonly now: () => Promise<Date>;
  /** Throws if the database contains another site than the spoke's. */
  readonly requireSite: (site: SiteIdentity) => Promise<void>;
}

export async function migrateSite(
  context: JobContext,
  run: OperationRun<"upgrade">,
  migration: SiteMigration,
): Promise<void> {
  const { space } = context;
  const parts = await trackInstalledParts(run, migration.path), { startReading: listen } = parts;
  const { upgrades: ownNames = [] } = run.job.progress;
  const earlier = await waitForEarlierJobs(context, run, await space.list(KUBERNETES_JOB_KIND, "op=upgrade", run), {
    own: ownNames,
    listen,
  });
  const ownJob = earlier.find(({ result }) => ownNames.includes(result.name));
  await parts.save();
  if (ownJob) return await requireUpgraded(context, run, ownJob.result);
  const site = await storeFenceInDatabase(context, run);
  await migration.requireSite(site);
  requireUnlocked(site, await migration.now());
  await waitForEarlierJobs(context, run, await space.list(KUBERNETES_JOB_KIND, "op=upgrade", run), { own: [] }); // Jobs that started meanwhile
  await space.noPods(EXCLUSIVE_JOB_SELECTOR, buildClusterWaitOptions(run));
  const job = limitUpgradeJobTime(
    context.blueprint.jobObject(context.inputs, "upgrade", run.job.fence),
    migration.major,
  );
  await run.saveProgress({ upgrades: [...ownNames, job.metadata.name] });
  const result = await space.run(job, { ...buildClusterWaitOptions(run), listen });
  await parts.save();
  await requireUpgraded(context, run, result);
}

async function requireUpgraded(context: JobContext, run: JobRun, result: JobResult): Promise<void> {
  if (!result.succeeded && result.log.some((line) => LOCKED_LINE.test(line))) throw lockedError("for a while", MINUTE);
  await requireJobSuccess(context, run, result, FAILURE);
}

function requireUnlocked({ lockedUntil }: SiteIdentity, now: Date): void {
  const remaining = (lockedUntil ?? 0) * SECOND - now.getTime();
  if (remaining <= 0) return;
  const until = new Date(lockedUntil! * SECOND).toISOString().slice(11, 16);
  throw lockedError(`until ${until} UTC`, remaining + SECOND);
}

function lockedError(until: string, retryAfterMs: number): ClusterError {
  const message = `${FAILURE} yet: an interrupted upgrade has locked the site ${until}`;
  return new ClusterError("UpgradeLocked", message, {
    transient: true,
    retryAfterMs,
    hint: "Moodle releases the lock automatically. The upgrade then continues.",
  });
}
