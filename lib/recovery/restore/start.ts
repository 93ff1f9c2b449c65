/** Starts a site with its restored volumes, and checks it. */
import { Refusal } from "#lib/base/refusals.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { listSiteDetailSeedParts } from "#lib/moodle/seed.ts";
import { isSiteAtVersion } from "#lib/moodle/upgrade.ts";
import { buildUpgradeChanges } from "#lib/operations/upgrade.ts";
import { preparedRestoreOf, type RestoreRun } from "#lib/recovery/restore/restored-site.ts";
import { recordImageDigest } from "#lib/steps/image-digest.ts";
import { requireMaintenancePage } from "#lib/steps/login-page.ts";
import { loadHubSettings, setUpSite } from "#lib/steps/set-up.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { excludeAdminsFromSingleSignOn, setMaintenanceMode, storeFenceInDatabase } from "#lib/steps/site-jobs.ts";
import { applySiteObjects } from "#lib/steps/site-objects.ts";
import { patchSiteObjects, resumeCronUnlessMaintenance, scaleSite, waitForWorkload } from "#lib/steps/workloads.ts";

/**
 * Starts the database. Throws if it contains another site or another Moodle version. Stores the job's fence (claim
 * number) in the database, so that Kubernetes Jobs of earlier attempts refuse to run.
 */
export async function startRestoredDatabase(restoredSite: SpokeSite, run: RestoreRun): Promise<void> {
  await scaleSite(restoredSite, run, DATABASE_STATEFULSET_REF, 1);
  await waitForWorkload(restoredSite, run, DATABASE_STATEFULSET_REF);
  const site = await storeFenceInDatabase(restoredSite, run), { version } = restoredSite.inputs;
  await requireSameSite(run, restoredSite.spoke, site);
  if (isSiteAtVersion(site, { version, code: null })) return;
  const message = `The database has Moodle ${
    site.release ?? "of an unknown version"
  }, but the backup was taken with ${version}`;
  throw new Refusal("AnotherVersion", message, "Choose another backup.");
}

export async function startMoodle(restoredSite: SpokeSite, run: RestoreRun): Promise<void> {
  await patchSiteObjects(restoredSite, run, buildUpgradeChanges(restoredSite.blueprint, restoredSite.inputs).app);
  await scaleSite(restoredSite, run, MOODLE_DEPLOYMENT_REF, 1);
  await waitForWorkload(restoredSite, run, MOODLE_DEPLOYMENT_REF);
  await recordImageDigest(restoredSite, run);
}

/**
 * Applies changed settings and checks the site, with maintenance mode off. Turns maintenance mode on again if the
 * spoke's row says that it was on.
 */
export async function setUpRestoredSite(restoredSite: SpokeSite, run: RestoreRun): Promise<void> {
  const { blueprint, inputs, space, spoke: { maintenance } } = restoredSite,
    { backupId, reworded } = preparedRestoreOf(run);
  if (maintenance || backupId === null) await setMaintenanceMode(restoredSite, run, "disable");
  const parts = reworded ? listSiteDetailSeedParts(inputs) : [];
  await applySiteObjects(
    space,
    run,
    blueprint.spokeObjects(inputs, "seed", await loadHubSettings(restoredSite, run), parts),
  );
  await setUpSite(restoredSite, run);
  await excludeAdminsFromSingleSignOn(restoredSite, run);
  if (!maintenance) return;
  await setMaintenanceMode(restoredSite, run, "enable");
  await requireMaintenancePage(restoredSite, run);
}

export async function resumeRestoredCron(restoredSite: SpokeSite, run: RestoreRun): Promise<void> {
  await patchSiteObjects(restoredSite, run, buildUpgradeChanges(restoredSite.blueprint, restoredSite.inputs).cron);
  await resumeCronUnlessMaintenance(restoredSite, run);
}
