/**
 * Upgrades a site: checks the requirements, takes a backup, stops the site and migrates its database. If a later step
 * fails, the site stays down, and the failure report explains how to roll back (interrupted.ts). A retry continues the
 * upgrade.
 */
import type { App } from "#lib/app.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { type JobHandler, wrapStepFunctions } from "#lib/scheduler/handler.ts";
import { readStateAfterFailure, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import { isPartlyUpgraded } from "#lib/steps/interrupted-upgrade.ts";
import { requireExpectedLoginPage } from "#lib/steps/login-page.ts";
import { stopIncompleteSite } from "#lib/steps/workloads.ts";
import { backUpBeforeUpgrade } from "#lib/workers/upgrade/backup-first.ts";
import { upgradeOutcomes } from "#lib/workers/upgrade/outcomes.ts";
import { requireNewVersion, upgradedSiteOf } from "#lib/workers/upgrade/upgraded-site.ts";
import { prepareUpgrade } from "#lib/workers/upgrade/prepare.ts";
import { addRollbackHint } from "#lib/workers/upgrade/rollback-hint.ts";
import {
  migrateDatabase,
  startUpgradedCron,
  startUpgradedSite,
  stopForUpgrade,
} from "#lib/workers/upgrade/change-site.ts";

export function upgradeHandler(app: App): JobHandler {
  const handler = spokeActionHandler(app, OPERATIONS.upgrade, {
    prepare: prepareUpgrade,
    backup: backUpBeforeUpgrade,
    stop: stopForUpgrade,
    migrate: migrateDatabase,
    app: startUpgradedSite,
    verify: (site, run) => requireNewVersion(upgradedSiteOf(site, run), run, "-up"),
    cron: startUpgradedCron,
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
