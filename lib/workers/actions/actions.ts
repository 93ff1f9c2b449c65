/** Suspends, resumes and restarts a site. A replica that has lost the job cannot overwrite changes of a later run. */
import { requireOriginalSite, restartSite, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import type { App } from "#lib/app.ts";
import { DATABASE_STATEFULSET_REF, MOODLE_DEPLOYMENT_REF, SITE_POD_SELECTOR } from "#lib/moodle/names.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler } from "#lib/scheduler/handler.ts";
import { requireExpectedLoginPage } from "#lib/steps/login-page.ts";
import { patchSiteObjects, pauseCron, waitForWorkload } from "#lib/steps/workloads.ts";
import { buildClusterWaitOptions } from "#lib/steps/site.ts";

export function suspendHandler(app: App): JobHandler {
  const changes = OPERATIONS.suspend.changes();
  return spokeActionHandler(app, OPERATIONS.suspend, {
    cron: (site, run) => pauseCron(site, run, changes.cron),
    async app(site, run) {
      await patchSiteObjects(site, run, changes.app);
      await site.space.noPods("app=moodle", buildClusterWaitOptions(run));
    },
    async database(site, run) {
      await patchSiteObjects(site, run, changes.database);
      await site.space.noPods(SITE_POD_SELECTOR, buildClusterWaitOptions(run));
    },
  });
}

export function resumeHandler(app: App): JobHandler {
  const { changes } = OPERATIONS.resume;
  return spokeActionHandler(app, OPERATIONS.resume, {
    async database(site, run) {
      await patchSiteObjects(site, run, changes(site.spoke).database);
      await waitForWorkload(site, run, DATABASE_STATEFULSET_REF);
    },
    verify: requireOriginalSite,
    async app(site, run) {
      await patchSiteObjects(site, run, changes(site.spoke).app);
      await waitForWorkload(site, run, MOODLE_DEPLOYMENT_REF);
    },
    cron: (site, run) => patchSiteObjects(site, run, changes(site.spoke).cron),
    health: requireExpectedLoginPage,
  });
}

export function restartHandler(app: App): JobHandler {
  return spokeActionHandler(app, OPERATIONS.restart, {
    verify: requireOriginalSite,
    async app(site, run) {
      await restartSite(site, run);
      await waitForWorkload(site, run, MOODLE_DEPLOYMENT_REF);
    },
    health: requireExpectedLoginPage,
  });
}
