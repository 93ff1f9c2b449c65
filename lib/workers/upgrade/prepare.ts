/** Checks whether a site can be upgraded, before the site is stopped. */
import {
  computeUpgradedInputs,
  findUpgradeProblem,
  isMoodleBranchChange,
  type UpgradeCheckInput,
} from "#lib/moodle/upgrade.ts";
import { findAddonProblem } from "#lib/operations/upgrade.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { readSiteAddons } from "#lib/domains/spokes/addons.ts";
import { findInterruptedUpgrade } from "#lib/steps/interrupted-upgrade.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { addVersionHint } from "#lib/workers/install/install.ts";
import { type JobContext, readCodeVersionOfImage, readDatabase } from "#lib/steps/site-jobs.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import type { UpgradeRun } from "#lib/workers/upgrade/upgraded-site.ts";

export async function prepareUpgrade(here: SpokeSite, run: UpgradeRun): Promise<void> {
  const { app } = here, { catalog } = app;
  const { lmsVersion: version } = run.job.payload;
  const refusal = catalog.findProblem("lmsVersion", version);
  if (refusal !== null) {
    const message = `Version ${version} is no longer offered: lmsVersion ${refusal}`;
    throw new Refusal("NotOffered", message, "Choose another version.", "user");
  }
  const images = catalog.imagesOf(version), inputs = computeUpgradedInputs(here.inputs, { version, images });
  if (inputs.images.moodle === here.inputs.images.moodle) {
    const hint = "No upgrade is needed. To restart the site, use the restart action.";
    throw new Refusal("NotNewer", `The site already runs ${here.spoke.lmsVersion}`, hint, "user");
  }
  const addonProblem = findAddonProblem(
    catalog,
    here.spoke.lmsVersion,
    version,
    await readSiteAddons(app.db.rows, here.spoke.id),
  );
  if (addonProblem !== null) {
    const hint = "Remove the add-on, or install a version for the new Moodle and add it to the catalog.";
    throw new Refusal("AddonUnsupported", `Cannot upgrade to ${version}: ${addonProblem}`, hint, "user");
  }
  const site = await readDatabase(here, run);
  await requireSameSite(run, here.spoke, site);
  const code = await readCode({ ...here, inputs }, run);
  const { postgres } = here.inputs.images;
  const problem = findUpgradeProblem({ version, requirements: catalog.requirementsOf(version), postgres, site, code });
  if (problem) {
    const blame = problem.code === "PostgresTooOld" ? "operator" : "user";
    throw new Refusal(problem.code, problem.message, problem.hint, blame);
  }
  // After an interrupted upgrade, reads the previous version from that operation, because the database may already have
  // the new version.
  const interrupted = await findInterruptedUpgrade(app.db.rows, run.job);
  const from = interrupted?.progress.upgrade?.from ?? { version: here.spoke.lmsVersion, release: site.release };
  const major = isMoodleBranchChange(from, version);
  await run.saveProgress({ upgrade: { version, images: inputs.images, code, from, major } });
}

/** Pulls the new image before the site is stopped, and returns the version of the Moodle code in the image. */
async function readCode(context: JobContext, run: UpgradeRun): Promise<UpgradeCheckInput["code"]> {
  try {
    return await readCodeVersionOfImage(context, run);
  } catch (error) {
    throw error instanceof ClusterError ? addVersionHint(error, context, "choose a version that is offered") : error;
  }
}
