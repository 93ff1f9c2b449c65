/**
 * Migrates a site's database to a newer version, one upgrade at a time.
 * Unlike an installation, an interrupted upgrade can run again: Moodle continues after the last finished part. A killed
 * upgrade leaves a lock (`upgraderunning`, a time), which Moodle releases within about five minutes. The step waits for
 * the release and changes no data manually. Only the Job's success shows that the upgrade is complete, because Moodle
 * writes the new release before it upgrades its plugins.
 */
import { EXCLUSIVE_PODS } from "#lib/moodle/names.ts";
import type { SiteIdentity } from "#lib/moodle/job-results.ts";
import { limitUpgrade } from "#lib/moodle/upgrade.ts";
import { ClusterError, type JobResult } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { endAttempts, findOwnAttempts } from "#lib/workers/job-attempts.ts";
import { openProgressParts } from "#lib/workers/progress-parts.ts";
import { type JobContext, requireSuccess, writeDatabaseFence } from "#lib/workers/site-jobs.ts";
import { BATCH_JOB, clusterWaitOf } from "#lib/workers/site.ts";

const OWN = "upgrades"; // in the job's progress
const WHAT = "Moodle could not be upgraded";
const LOCKED = /Site is being upgraded, please retry later/i;

export interface SiteMigration {
  /** The release before the upgrade and the image after it, as a text. */
  readonly way: string;
  /** Whether the branch changes, which takes longer. */
  readonly major: boolean;
  readonly now: () => Promise<Date>;
  /** Throws if the data belongs to another site. */
  readonly demandSite: (site: SiteIdentity) => Promise<void>;
}

export async function migrateSite(place: JobContext, run: Run, migration: SiteMigration): Promise<void> {
  const { space } = place;
  const own = findOwnAttempts(run, OWN), parts = await openProgressParts(run, migration.way), { listen } = parts;
  const earlier = await endAttempts(place, run, await space.list(BATCH_JOB, "op=upgrade", run), { own, listen });
  const mine = earlier.find(({ result }) => own.includes(result.name));
  await parts.keep();
  if (mine) return await demandUpgraded(place, run, mine.result);
  const site = await writeDatabaseFence(place, run);
  await migration.demandSite(site);
  demandUnlocked(site, await migration.now());
  await endAttempts(place, run, await space.list(BATCH_JOB, "op=upgrade", run), { own: [] }); // Jobs that started meanwhile
  await space.noPods(EXCLUSIVE_PODS, clusterWaitOf(run));
  const job = limitUpgrade(place.blueprint.jobObject(place.inputs, "upgrade", run.job.fence), migration.major);
  await run.saveProgress({ [OWN]: [...findOwnAttempts(run, OWN), job.metadata.name] });
  const result = await space.run(job, { ...clusterWaitOf(run), listen });
  await parts.keep();
  await demandUpgraded(place, run, result);
}

async function demandUpgraded(place: JobContext, run: Run, result: JobResult): Promise<void> {
  if (!result.succeeded && result.log.some((line) => LOCKED.test(line))) throw locked("for a while", MINUTE);
  await requireSuccess(place, run, result, WHAT);
}

function demandUnlocked({ lockedUntil }: SiteIdentity, now: Date): void {
  const left = (lockedUntil ?? 0) * SECOND - now.getTime();
  if (left <= 0) return;
  const until = new Date(lockedUntil! * SECOND).toISOString().slice(11, 16);
  throw locked(`until ${until} UTC`, left + SECOND);
}

function locked(until: string, retryAfterMs: number): ClusterError {
  const message = `${WHAT} yet: an upgrade that was cut off keeps the site locked ${until}`;
  return new ClusterError("UpgradeLocked", message, {
    transient: true,
    retryAfterMs,
    hint: "Moodle lifts this lock by itself when its time has passed; then the upgrade goes on.",
  });
}
