/** Stops a site, migrates its database and starts the site with its new version. */
import type { SiteIdentity } from "#lib/moodle/job-results.ts";
import { buildUpgradeChanges } from "#lib/operations/upgrade.ts";
import { describeRollback } from "#lib/steps/interrupted-upgrade.ts";
import { recordImageDigest } from "#lib/steps/image-digest.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { setMaintenanceMode } from "#lib/steps/site-jobs.ts";
import { migrateSite } from "#lib/workers/upgrade/migrate.ts";
import {
  patchSiteObjects,
  pauseCron,
  resumeCronUnlessMaintenance,
  scaleSite,
  waitForWorkload,
} from "#lib/steps/workloads.ts";
import { MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { addNotes, buildClusterWaitOptions, type SpokeSite } from "#lib/steps/site.ts";
import {
  preparedUpgradeOf,
  requireNewVersion,
  upgradedSiteOf,
  type UpgradeRun,
} from "#lib/workers/upgrade/upgraded-site.ts";

export async function stopForUpgrade(site: SpokeSite, run: UpgradeRun): Promise<void> {
  await addNotes(run, [describeRollback(run.job)]);
  await pauseCron(site, run);
  await scaleSite(site, run, MOODLE_DEPLOYMENT_REF, 0);
  await site.space.noPods("app=moodle", buildClusterWaitOptions(run));
}

export async function migrateDatabase(before: SpokeSite, run: UpgradeRun): Promise<void> {
  await pauseCron(before, run); // waits again, because a task may have started just before the first pause
  const here = upgradedSiteOf(before, run), { major, from, images } = preparedUpgradeOf(run);
  const path = `${from.release ?? from.version} ${images.moodle}`;
  const requireSite = (site: SiteIdentity) => requireSameSite(run, here.spoke, site);
  await migrateSite(here, run, { path, major, now: () => here.app.db.now(), requireSite });
  await requireNewVersion(here, run, "-after");
}

export async function startUpgradedSite(before: SpokeSite, run: UpgradeRun): Promise<void> {
  const here = upgradedSiteOf(before, run);
  if (here.spoke.maintenance) await setMaintenanceMode(here, run, "enable"); // the upgrade turned this off
  await patchSiteObjects(here, run, buildUpgradeChanges(here.blueprint, here.inputs).app);
  await scaleSite(here, run, MOODLE_DEPLOYMENT_REF, 1);
  await waitForWorkload(here, run, MOODLE_DEPLOYMENT_REF);
  await recordImageDigest(here, run);
}

export async function startUpgradedCron(site: SpokeSite, run: UpgradeRun): Promise<void> {
  await patchSiteObjects(site, run, buildUpgradeChanges(site.blueprint, upgradedSiteOf(site, run).inputs).cron);
  await resumeCronUnlessMaintenance(site, run);
}
