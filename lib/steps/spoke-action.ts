/** Creates the handlers of actions on spokes, and contains the steps that several actions share. */
import type { App } from "#lib/app.ts";
import type { KubeObject, PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import { MOODLE_CRONJOB_REF, MOODLE_DEPLOYMENT_REF, SITE_POD_SELECTOR } from "#lib/moodle/names.ts";
import type { StateAfterFailure } from "#lib/operations/progress.ts";
import type { HandlerHooks, JobHandler, JobRun, StepFunctions } from "#lib/scheduler/handler.ts";
import { type ActionProgress, createActionOutcomes, type StateChangingOperation } from "#lib/steps/outcomes.ts";
import { spokeHandler, type SpokeSite } from "#lib/steps/site.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { readDatabase } from "#lib/steps/site-jobs.ts";
import { patchSiteObject } from "#lib/steps/workloads.ts";

export const RESTART_ANNOTATION = "kubectl.kubernetes.io/restartedAt";

export function spokeActionHandler<Progress extends ActionProgress, Payload extends object, Step extends string>(
  app: App,
  operation: StateChangingOperation<Progress, Payload, Step>,
  steps: StepFunctions<SpokeSite, Progress, Payload, Step>,
  hooks: NoInfer<Partial<HandlerHooks<SpokeSite, Progress, Payload>>> = {},
): JobHandler<Progress, Payload, Step> {
  return spokeHandler(app, operation.kind, steps, {
    hooks: createActionOutcomes(operation),
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
  run: JobRun,
): Promise<StateAfterFailure> {
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, SITE_POD_SELECTOR, run);
  const running = pods.filter((pod) => !["Succeeded", "Failed"].includes(pod["status"]?.phase));
  if (running.length === 0) return { state: "suspended", health: "unknown" };
  const moodle = await space.get(MOODLE_DEPLOYMENT_REF, run);
  const available = (moodle?.["status"]?.availableReplicas ?? 0) > 0;
  const idle = (await space.get(MOODLE_CRONJOB_REF, run))?.["spec"]?.suspend === true && !maintenance;
  return { state: "active", health: available && !idle ? "healthy" : "degraded" };
}

export async function requireOriginalSite(site: SpokeSite, run: JobRun): Promise<void> {
  await requireSameSite(run, site.spoke, await readDatabase(site, run));
}

/** Restarts Moodle's pods by writing the time `at` to the pod template. A second call with that time has no effect. */
export async function restartSite(site: SpokeSite, run: JobRun, at: Date = run.job.startedAt!): Promise<void> {
  await patchSiteObject(site, run, MOODLE_DEPLOYMENT_REF, (object) => createRestartPatch(object, at));
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
