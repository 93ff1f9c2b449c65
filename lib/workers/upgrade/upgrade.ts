/**
 * Upgrades a site: checks the requirements, takes a backup, stops the site and migrates its database. If a later step
 * fails, the site stays down, and the failure report explains how to roll back (interrupted.ts). A retry continues the
 * upgrade.
 */
import type { App } from "#lib/app.ts";
import type { SiteIdentity } from "#lib/moodle/job-results.ts";
import {
  computeUpgradedInputs,
  findUpgradeProblem,
  isMoodleBranchChange,
  isSiteAtVersion,
  type UpgradeCheckInput,
} from "#lib/moodle/upgrade.ts";
import { Refusal } from "#lib/base/refusals.ts";
import { ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { type JobHandler, wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { buildUpgradeChanges, type PreparedUpgrade } from "#lib/operations/upgrade.ts";
import { readStateAfterFailure, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import {
  describeRollback,
  findInterruptedUpgrade,
  hasStartedMigration,
  isPartlyUpgraded,
  withRollbackHint,
} from "#lib/steps/interrupted-upgrade.ts";
import { readRecordedDigest, recordImageDigest } from "#lib/steps/image-digest.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { addVersionHint } from "#lib/workers/install/install.ts";
import { requireExpectedLoginPage } from "#lib/steps/login-page.ts";
import { type JobContext, readCodeVersionOfImage, readDatabase, setMaintenanceMode } from "#lib/steps/site-jobs.ts";
import { migrateSite } from "#lib/workers/upgrade/migrate.ts";
import {
  patchSiteObjects,
  pauseCron,
  resumeCronUnlessMaintenance,
  scaleSite,
  stopIncompleteSite,
  waitForWorkload,
} from "#lib/steps/workloads.ts";
import { MOODLE_DEPLOYMENT_REF } from "#lib/moodle/names.ts";
import { addNotes, buildClusterWaitOptions, isStepError, type OperationRun, type SpokeSite } from "#lib/steps/site.ts";
import { backUpBeforeUpgrade } from "#lib/workers/upgrade/backup-first.ts";
import { markBackupFailed } from "#lib/domains/backups/store.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import { createActionOutcomes } from "#lib/steps/outcomes.ts";

type UpgradeRun = OperationRun<"upgrade">;

export function upgradeHandler(app: App): JobHandler {
  const handler = spokeActionHandler(app, OPERATIONS.upgrade, {
    prepare: prepareUpgrade,
    backup: backUpBeforeUpgrade,
    async stop(site, run) {
      await addNotes(run, [describeRollback(run.job)]);
      await pauseCron(site, run);
      await scaleSite(site, run, MOODLE_DEPLOYMENT_REF, 0);
      await site.space.noPods("app=moodle", buildClusterWaitOptions(run));
    },
    async migrate(before, run) {
      await pauseCron(before, run); // waits again, because a task may have started just before the first pause
      const here = upgradedSiteOf(before, run), { major, from, images } = preparedUpgradeOf(run);
      const path = `${from.release ?? from.version} ${images.moodle}`;
      const requireSite = (site: SiteIdentity) => requireSameSite(run, here.spoke, site);
      await migrateSite(here, run, { path, major, now: () => app.db.now(), requireSite });
      await requireNewVersion(here, run, "-after");
    },
    async app(before, run) {
      const here = upgradedSiteOf(before, run);
      if (here.spoke.maintenance) await setMaintenanceMode(here, run, "enable"); // the upgrade turned this off
      await patchSiteObjects(here, run, buildUpgradeChanges(here.blueprint, here.inputs).app);
      await scaleSite(here, run, MOODLE_DEPLOYMENT_REF, 1);
      await waitForWorkload(here, run, MOODLE_DEPLOYMENT_REF);
      await recordImageDigest(here, run);
    },
    verify: (site, run) => requireNewVersion(upgradedSiteOf(site, run), run, "-up"),
    async cron(site, run) {
      await patchSiteObjects(site, run, buildUpgradeChanges(site.blueprint, upgradedSiteOf(site, run).inputs).cron);
      await resumeCronUnlessMaintenance(site, run);
    },
    health: (site, run) => requireExpectedLoginPage(upgradedSiteOf(site, run), run),
  }, {
    hooks: upgradeOutcomes,
    observe: async (site, run) =>
      await isPartlyUpgraded(app.db.rows, run.job)
        ? await stopIncompleteSite(site, run)
        : await readStateAfterFailure(site, run),
  });
  return wrapStepFunctions(handler, (work) => (run) => addRollbackHint(app, run, work));
}

async function prepareUpgrade(here: SpokeSite, run: UpgradeRun): Promise<void> {
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

function preparedUpgradeOf(run: UpgradeRun): PreparedUpgrade {
  return run.job.progress.upgrade!;
}

/** Returns the site with blueprint inputs for the new Moodle version. */
function upgradedSiteOf(site: SpokeSite, run: UpgradeRun): SpokeSite {
  return { ...site, inputs: computeUpgradedInputs(site.inputs, preparedUpgradeOf(run)) };
}

/**
 * Throws if the database does not have the new version. `jobSuffix` gives each call a separate Kubernetes Job, because
 * the Job of the step `prepare` may still exist with its old result.
 */
async function requireNewVersion(here: SpokeSite, run: UpgradeRun, jobSuffix: string): Promise<void> {
  const site = await readDatabase(here, run, jobSuffix);
  await requireSameSite(run, here.spoke, site);
  if (isSiteAtVersion(site, preparedUpgradeOf(run))) return;
  const { version } = preparedUpgradeOf(run);
  throw new ClusterError("NotUpgraded", `The upgrade finished, but the database still has Moodle ${site.release}`, {
    transient: false,
    hint: `Check the log of the upgrade Job, and whether the image contains ${version}; then retry.`,
  });
}

/** Runs a step. If it fails after the site was stopped, adds instructions for a rollback to the error. */
async function addRollbackHint(app: App, run: UpgradeRun, work: (run: UpgradeRun) => Promise<void>): Promise<void> {
  try {
    await work(run);
  } catch (error) {
    if (!isStepError(error) || run.signal.aborted) throw error;
    const interrupted = hasStartedMigration(run.job) ? run.job : await findInterruptedUpgrade(app.db.rows, run.job);
    throw interrupted ? withRollbackHint(error, interrupted) : error;
  }
}

/**
 * Updates the spoke's row when an upgrade ends. After a success, the row has the new version. After a failure, the
 * spoke's state is `failed` if the upgrade may have changed the site.
 */
const upgradeOutcomes = createActionOutcomes(OPERATIONS.upgrade, {
  succeeded(_, job, before) {
    const { version, images, from } = job.progress.upgrade!;
    const inputs = () => computeUpgradedInputs(before.blueprintInputs as SpokeInputs, { version, images });
    return {
      change: () => ({ lmsVersion: version, blueprintInputs: JSON.stringify(inputs()), ...readRecordedDigest(job) }),
      metadata: { from: from.version, to: version },
    };
  },
  async stopped(tx, job, before, report) {
    await markBackupFailed(tx, job.id, report?.message ?? "The upgrade was cancelled"); // unless the backup was complete
    const isFailed = await isPartlyUpgraded(tx, job); // overrides the state that was read from the cluster
    return {
      ...(isFailed && { change: () => ({ state: "failed", health: "unknown" }) }),
      metadata: { from: before.lmsVersion, to: job.payload.lmsVersion },
    };
  },
});
