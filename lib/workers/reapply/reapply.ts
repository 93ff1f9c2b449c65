/**
 * Reapplies the current blueprint to a spoke, with the spoke's inputs. This reverts manual changes and adds what a
 * newer revision contains.
 * The steps follow the order of an installation. They never recreate the namespace, passwords or disks, because with an
 * empty database Moodle would install itself again. Nothing starts if the data belongs to another site or version.
 * Each object is written under the fence of the run (fenced.ts), so a late run is refused.
 */
import type { App } from "#lib/app.ts";
import { isOfVersion } from "#lib/moodle/upgrade.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { action, startAnew } from "#lib/workers/actions/actions.ts";
import { findHalfWay } from "#lib/workers/upgrade/half-way.ts";
import { demandSameSite } from "#lib/workers/identity.ts";
import { demandHealth, protectSignIn, readDatabase } from "#lib/workers/jobs.ts";
import { rememberDigest } from "#lib/workers/image-digest.ts";
import { readRooms } from "#lib/workers/install/provision.ts";
import { demandWhole, putSettings, putState, putStep, putWideLimits, relabel } from "#lib/workers/reapply/objects.ts";
import { reapplyOutcomes } from "#lib/workers/reapply/outcomes.ts";
import { chooseSize, takenBy } from "#lib/workers/reapply/size.ts";
import { untilCounted, untilReady } from "#lib/workers/running.ts";
import { DATABASE, MOODLE } from "#lib/moodle/names.ts";
import { finalError, type SpokeSite } from "#lib/workers/site.ts";
import { openToTheWeb } from "#lib/workers/install/web.ts";

export function reapply(app: App): Handler {
  return action(app, OPERATIONS.reapply, {
    async policies(site, run) {
      await demandWhole(site, run);
      // This stores the revision of the first attempt. If another release continues, the sweep reports the remaining
      // drift.
      if (!run.job.progress.revision) await run.saveProgress({ revision: site.blueprint.revision });
      await chooseSize(site, run);
      await relabel(site, run);
      await untilCounted(site, run, await putWideLimits(site, run));
    },
    async secrets(site, run) {
      await putSettings(site, run);
      await putStep(site, run, "seed", await readRooms(site, run));
    },
    async database(site, run) {
      await putStep(site, run, "volumes");
      await putStep(site, run, "database");
      await putState(site, run, "database");
      await untilReady(site, run, DATABASE);
    },
    verify,
    async app(site, run) {
      await putStep(site, run, "app");
      if (run.job.progress.startsAnew) await startAnew(site, run);
      await putState(site, run, "app");
      await untilReady(site, run, MOODLE);
      await rememberDigest(site, run);
    },
    async cron(site, run) {
      await putStep(site, run, "cron");
      await putState(site, run, "cron");
      if (takenBy(run.job)) await untilCounted(site, run, await putStep(site, run, "policies"));
    },
    ingress: async (site, run) => await openToTheWeb(site, run, await putStep(site, run, "ingress")),
    health: demandHealth,
  }, { hooks: reapplyOutcomes });
}

/** Throws if the data is not this site's, or if its version is not that of the images. */
async function verify(here: SpokeSite, run: Run): Promise<void> {
  const { app, spoke } = here;
  const site = await readDatabase(here, run);
  await demandSameSite(run, spoke, site);
  const version = spoke.lmsVersion;
  const cutOff = site.lockedUntil !== null && await findHalfWay(app.db.rows, run.job) !== null;
  if (!cutOff && isOfVersion(site, { version, code: null })) return await protectSignIn(here, run);
  const is = cutOff ? "was left in the middle of an upgrade" : `is of ${site.release ?? "no known version"}`;
  throw finalError(
    "AnotherVersion",
    `The database ${is}, and the spoke is of ${version}`,
    `Have an operator restore a backup of ${version} (wheelwright restore ${spoke.id} --list); or retry the upgrade.`,
  );
}
