/** Suspends, resumes and restarts a site. A replica that has lost the job cannot overwrite changes of a later run. */
import type { App } from "#lib/app.ts";
import { DATABASE_STATEFULSET, MOODLE_CRONJOB, MOODLE_DEPLOYMENT, SITE_POD_SELECTOR } from "#lib/moodle/names.ts";
import type { KubeObject, PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Handler, HandlerHooks, PlannedOperation, Run, Steps } from "#lib/scheduler/handler.ts";
import { requireSameSite } from "#lib/workers/site-identity.ts";
import { requireHealth } from "#lib/workers/login-page.ts";
import { readDatabase } from "#lib/workers/site-jobs.ts";
import { createActionOutcomes, type StateAfterFailure } from "#lib/workers/outcomes.ts";
import { patchSiteObject, patchSiteObjects, pauseCron, waitForWorkload } from "#lib/workers/workloads.ts";
import { clusterWaitOptions, spokeHandler, type SpokeSite } from "#lib/workers/site.ts";

export const RESTART_ANNOTATION = "kubectl.kubernetes.io/restartedAt";

export function suspend(app: App): Handler {
  const changes = OPERATIONS.suspend.changes();
  return spokeActionHandler(app, OPERATIONS.suspend, {
    cron: (site, run) => pauseCron(site, run, changes.cron),
    async app(site, run) {
      await patchSiteObjects(site, run, changes.app);
      await site.space.noPods("app=moodle", clusterWaitOptions(run));
    },
    async database(site, run) {
      await patchSiteObjects(site, run, changes.database);
      await site.space.noPods(SITE_POD_SELECTOR, clusterWaitOptions(run));
    },
  });
}

export function resume(app: App): Handler {
  const { changes } = OPERATIONS.resume;
  return spokeActionHandler(app, OPERATIONS.resume, {
    async database(site, run) {
      await patchSiteObjects(site, run, changes(site.spoke).database);
      await waitForWorkload(site, run, DATABASE_STATEFULSET);
    },
    verify: requireOriginalSite,
    async app(site, run) {
      await patchSiteObjects(site, run, changes(site.spoke).app);
      await waitForWorkload(site, run, MOODLE_DEPLOYMENT);
    },
    cron: (site, run) => patchSiteObjects(site, run, changes(site.spoke).cron),
    health: requireHealth,
  });
}

export function restart(app: App): Handler {
  return spokeActionHandler(app, OPERATIONS.restart, {
    verify: requireOriginalSite,
    async app(site, run) {
      await restartSite(site, run);
      await waitForWorkload(site, run, MOODLE_DEPLOYMENT);
    },
    health: requireHealth,
  });
}

export function spokeActionHandler<Step extends string>(
  app: App,
  operation: PlannedOperation<Step>,
  steps: Steps<Step, SpokeSite>,
  hooks: Partial<HandlerHooks<SpokeSite>> = {},
): Handler {
  return spokeHandler(app, operation, steps, {
    hooks: createActionOutcomes(),
    observe: readStateAfterFailure,
    ...hooks,
  });
}

/**
 * Determines a site's state after a failed action: `suspended` if the site has no running pods, otherwise `active`. The
 * health is `degraded` if Moodle is not available, or if scheduled tasks are paused outside of maintenance mode.
 */
export async function readStateAfterFailure(
  { space, spoke: { maintenance } }: SpokeSite,
  run: Run,
): Promise<StateAfterFailure> {
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, SITE_POD_SELECTOR, run);
  const running = pods.filter((pod) => !["Succeeded", "Failed"].includes(pod["status"]?.phase));
  if (running.length === 0) return { state: "suspended", health: "unknown" };
  const moodle = await space.get(MOODLE_DEPLOYMENT, run);
  const available = (moodle?.["status"]?.availableReplicas ?? 0) > 0;
  const idle = (await space.get(MOODLE_CRONJOB, run))?.["spec"]?.suspend === true && !maintenance;
  return { state: "active", health: available && !idle ? "healthy" : "degraded" };
}

export async function requireOriginalSite(site: SpokeSite, run: Run): Promise<void> {
  await requireSameSite(run, site.spoke, await readDatabase(site, run));
}

/** Restarts Moodle's pods by writing the time `at` to the pod template. A second call with that time has no effect. */
export async function restartSite(site: SpokeSite, run: Run, at: Date = run.job.startedAt!): Promise<void> {
  await patchSiteObject(site, run, MOODLE_DEPLOYMENT, (object) => createRestartPatch(object, at));
}

/**
 * Returns a patch that restarts the pods by writing the time `at` to their pod template. Each attempt of an operation
 * writes the same time, so a retry does not restart the pods again.
 */
function createRestartPatch(object: KubeObject, at: Date): PatchOperation[] {
  const metadata = object["spec"]?.template?.metadata ?? {};
  const path = "/spec/template/metadata/annotations";
  return [
    ...(metadata.annotations ? [] : [{ op: "add" as const, path, value: {} }]),
    { op: "add", path: `${path}/${RESTART_ANNOTATION.replaceAll("/", "~1")}`, value: at.toISOString() },
  ];
}
