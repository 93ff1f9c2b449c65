/**
 * Turns maintenance mode on and off. Moodle stores the mode in a file on the site's volume, so a failed operation may
 * still have changed the mode. After a failure, this module therefore reads the mode from the site's login page.
 */
import type { App } from "#lib/app.ts";
import { parseLoginPageStatus } from "#lib/moodle/job-results.ts";
import type { StateAfterFailure } from "#lib/operations/progress.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobHandler, JobHooks, JobRun } from "#lib/scheduler/handler.ts";
import { SECOND } from "#lib/base/time.ts";
import { readStateAfterFailure, spokeActionHandler } from "#lib/steps/spoke-action.ts";
import { requireLoginPage, requireMaintenancePage } from "#lib/steps/login-page.ts";
import { deleteFinishedJob, setMaintenanceMode } from "#lib/steps/site-jobs.ts";
import { type ActionProgress, createActionOutcomes } from "#lib/steps/outcomes.ts";
import { patchSiteObjects, pauseCron, resumeCron } from "#lib/steps/workloads.ts";
import { buildClusterWaitOptions, type SpokeSite } from "#lib/steps/site.ts";

const PAGE_TIMEOUT = 6 * SECOND; // the scheduler allows 10 seconds to read a site's state after a failure

/**
 * Creates the handler that turns maintenance mode on. Pauses scheduled tasks first, because they would fail while the
 * mode is on.
 */
export function maintenanceOn(app: App): JobHandler {
  const operation = OPERATIONS["maintenance-on"];
  return spokeActionHandler(app, operation, {
    cron: (site, run) => pauseCron(site, run, operation.changes().cron),
    enable: (site, run) => setMaintenanceMode(site, run, "enable"),
    health: requireMaintenancePage,
  }, { hooks: maintenanceOutcomes(operation, true), observe: observeSite });
}

export function maintenanceOff(app: App): JobHandler {
  const operation = OPERATIONS["maintenance-off"];
  return spokeActionHandler(app, operation, {
    disable: (site, run) => setMaintenanceMode(site, run, "disable"),
    cron: (site, run) => patchSiteObjects(site, run, operation.changes().cron),
    health: requireLoginPage,
  }, { hooks: maintenanceOutcomes(operation, false), observe: observeSite });
}

function maintenanceOutcomes(
  operation: (typeof OPERATIONS)["maintenance-on" | "maintenance-off"],
  maintenance: boolean,
): JobHooks<ActionProgress> {
  return createActionOutcomes<ActionProgress, object>(operation, {
    succeeded: () => ({ change: () => ({ maintenance }) }),
  });
}

/**
 * Determines after a failure whether the site is in maintenance mode: from its login page, or from the operation's
 * finished steps if the page does not respond. If the mode is off, resumes the site's scheduled tasks.
 */
async function observeSite(site: SpokeSite, run: JobRun): Promise<StateAfterFailure> {
  const { finishedSteps } = run.job;
  const expected = finishedSteps.includes("enable") ? true : finishedSteps.includes("disable") ? false : undefined;
  const maintenance = await isClosed(site, run) ?? expected;
  if (maintenance === undefined) return await readStateAfterFailure(site, run);
  if (!maintenance) await tryResumeCron(site, run);
  const state = await readStateAfterFailure({ ...site, spoke: { ...site.spoke, maintenance } }, run);
  return { ...state, maintenance };
}

/** Returns whether the site is in maintenance mode; undefined if the login page does not respond in time. */
async function isClosed(site: SpokeSite, run: JobRun): Promise<boolean | undefined> {
  try {
    const job = site.blueprint.jobObject(site.inputs, "closed", `${run.job.fence}-after`);
    const result = await site.space.run(job, buildClusterWaitOptions(run, PAGE_TIMEOUT));
    await deleteFinishedJob(site, run, result);
    const status = parseLoginPageStatus(result.log);
    return status === null ? undefined : status === 503;
  } catch (error) {
    run.log.info("Cannot check whether a site is in maintenance mode", { error });
  }
}

async function tryResumeCron(site: SpokeSite, run: JobRun): Promise<void> {
  try {
    await resumeCron(site, run);
  } catch (error) {
    run.log.warn("Cannot resume the scheduled tasks of a site after maintenance mode", { error });
  }
}
