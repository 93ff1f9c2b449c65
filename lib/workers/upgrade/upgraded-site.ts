/** Describes a site after its upgrade, and checks that its database has the new version. */
import { computeUpgradedInputs, isSiteAtVersion } from "#lib/moodle/upgrade.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import type { PreparedUpgrade } from "#lib/operations/upgrade.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { readDatabase } from "#lib/steps/site-jobs.ts";
import type { OperationRun, SpokeSite } from "#lib/steps/site.ts";

export type UpgradeRun = OperationRun<"upgrade">;

export function preparedUpgradeOf(run: UpgradeRun): PreparedUpgrade {
  return run.job.progress.upgrade!;
}

/** Returns the site with blueprint inputs for the new Moodle version. */
export function upgradedSiteOf(site: SpokeSite, run: UpgradeRun): SpokeSite {
  return { ...site, inputs: computeUpgradedInputs(site.inputs, preparedUpgradeOf(run)) };
}

/**
 * Throws if the database does not have the new version. `jobSuffix` gives each call a separate Kubernetes Job, because
 * the Job of the step `prepare` may still exist with its old result.
 */
export async function requireNewVersion(here: SpokeSite, run: UpgradeRun, jobSuffix: string): Promise<void> {
  const site = await readDatabase(here, run, jobSuffix);
  await requireSameSite(run, here.spoke, site);
  if (isSiteAtVersion(site, preparedUpgradeOf(run))) return;
  const { version } = preparedUpgradeOf(run);
  throw new ClusterError("NotUpgraded", `The upgrade finished, but the database still has Moodle ${site.release}`, {
    transient: false,
    hint: `Check the log of the upgrade Job, and whether the image contains ${version}; then retry.`,
  });
}
