/**
 * The step that takes a site's database to a newer version: exactly one upgrade at a time, no matter who began it.
 *
 * Unlike an install, an upgrade that was cut off can be run again: Moodle goes on after the last part that it noted as
 * done. But one that was killed leaves a lock behind (`upgraderunning`, a time) that refuses everything until it has
 * passed, mostly within five minutes; then Moodle takes it away by itself. So that time is waited for, and nothing in the
 * site's data is changed by hand. That an upgrade is whole is said by its Job's success alone: Moodle writes the new
 * release before it has taken its plugins along.
 */
import { EXCLUSIVE_PODS } from "#lib/moodle/names.ts";
import type { SiteIdentity } from "#lib/moodle/results.ts";
import { limitUpgrade } from "#lib/moodle/upgrade.ts";
import { ClusterError, type JobResult } from "#lib/drivers/cluster/cluster.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { MINUTE, SECOND } from "#lib/base/time.ts";
import { endAttempts, ownAttempts } from "#lib/workers/attempts.ts";
import { openParts } from "#lib/workers/parts.ts";
import { claimDatabase, demandSuccess, type JobPlace } from "#lib/workers/jobs.ts";
import { JOB, waitingFor } from "#lib/workers/site.ts";

const OWN = "upgrades"; // in the job's progress
const WHAT = "Moodle could not be upgraded";
const LOCKED = /Site is being upgraded, please retry later/i;

export interface SiteMigration {
  /** From which release to which image. */
  readonly way: string;
  /** Whether it leads to another branch, which may take longer. */
  readonly major: boolean;
  readonly now: () => Promise<Date>;
  /** Throws where the data is not the site's own. */
  readonly demandSite: (site: SiteIdentity) => Promise<void>;
}

export async function migrateSite(place: JobPlace, run: Run, migration: SiteMigration): Promise<void> {
  const { space } = place;
  const own = ownAttempts(run, OWN), parts = await openParts(run, migration.way), { listen } = parts;
  const earlier = await endAttempts(place, run, await space.list(JOB, "op=upgrade", run), { own, listen });
  const mine = earlier.find(({ result }) => own.includes(result.name));
  await parts.keep();
  if (mine) return await demandUpgraded(place, run, mine.result);
  const site = await claimDatabase(place, run);
  await migration.demandSite(site);
  demandUnlocked(site, await migration.now());
  await endAttempts(place, run, await space.list(JOB, "op=upgrade", run), { own: [] }); // what has come in between
  await space.noPods(EXCLUSIVE_PODS, waitingFor(run));
  const job = limitUpgrade(place.blueprint.jobObject(place.inputs, "upgrade", run.job.fence), migration.major);
  await run.saveProgress({ [OWN]: [...ownAttempts(run, OWN), job.metadata.name] });
  const result = await space.run(job, { ...waitingFor(run), listen });
  await parts.keep();
  await demandUpgraded(place, run, result);
}

async function demandUpgraded(place: JobPlace, run: Run, result: JobResult): Promise<void> {
  if (!result.succeeded && result.log.some((line) => LOCKED.test(line))) throw locked("for a while", MINUTE);
  await demandSuccess(place, run, result, WHAT);
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
