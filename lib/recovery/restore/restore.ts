/**
 * Restores a site from a backup, or rolls it back to the volumes from before its last restore. The new volumes are
 * created while the site still runs. Then the site is stopped and switched to them (switch-database.ts). The previous
 * volumes are kept for some days, so that the restore can be undone.
 */
import type { App } from "#lib/app.ts";
import { DATABASE_STATEFULSET_REF } from "#lib/moodle/names.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { isSiteDown, restoreOutcomes } from "#lib/recovery/restore/outcomes.ts";
import { chooseTarget } from "#lib/recovery/restore/prepare.ts";
import {
  preparedRestoreOf,
  restoredSiteOf,
  type RestoreRun,
  runWithRollbackHint,
} from "#lib/recovery/restore/restored-site.ts";
import { retainReplacedPvcs } from "#lib/recovery/restore/retained-pvcs.ts";
import {
  resumeRestoredCron,
  setUpRestoredSite,
  startMoodle,
  startRestoredDatabase,
} from "#lib/recovery/restore/start.ts";
import { switchDatabase } from "#lib/recovery/restore/switch-database.ts";
import { createRestoredVolumes, deleteSourcesInTime } from "#lib/recovery/restore/volumes.ts";
import { type JobHandler, wrapStepFunctions } from "#lib/scheduler/handler.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import { readStateAfterFailure, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import { stopWorkloads } from "#lib/steps/stop.ts";
import { scaleSite, stopIncompleteSite } from "#lib/steps/workloads.ts";

export function restoreHandler(app: App): JobHandler {
  type Step = (site: SpokeSite, run: RestoreRun) => Promise<void>;
  const onRestored = (step: Step): Step => (site, run) => step(restoredSiteOf(site, run), run);
  const handler = spokeActionHandler(app, OPERATIONS.restore, {
    prepare: chooseTarget,
    volumes: createRestoredVolumes,
    stop: ({ space }, run) => stopWorkloads(space, run),
    switch: onRestored(switchDatabase),
    database: onRestored(startRestoredDatabase),
    app: onRestored(startMoodle),
    setup: onRestored(setUpRestoredSite),
    cron: onRestored(resumeRestoredCron),
    async retain(site, run) {
      await retainReplacedPvcs(site, run, preparedRestoreOf(run));
      if (preparedRestoreOf(run).backupId !== null) await deleteSourcesInTime(restoredSiteOf(site, run), run);
    },
  }, {
    hooks: restoreOutcomes,
    async observe(site, run) {
      if (!await isSiteDown(app.db.rows, run.job)) return await readStateAfterFailure(site, run);
      const state = await stopIncompleteSite(site, run);
      await scaleSite(site, run, DATABASE_STATEFULSET_REF, 0); // so that no pod uses the database volume
      return state;
    },
  });
  return wrapStepFunctions(handler, (work) => (run) => runWithRollbackHint(work, run));
}
