/** Suspends, resumes and restarts a site. Each object is changed under the fence of the run. */
import type { App } from "#lib/app.ts";
import { CRON, DATABASE, MOODLE, SITE_PODS } from "#lib/moodle/names.ts";
import type { KubeObject, PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Handler, HandlerHooks, PlannedOperation, Run, Steps } from "#lib/scheduler/handler.ts";
import { demandSameSite } from "#lib/workers/identity.ts";
import { demandHealth, readDatabase } from "#lib/workers/jobs.ts";
import { actionOutcomes, type Observed } from "#lib/workers/outcomes.ts";
import { change, pauseCron, perform, untilReady } from "#lib/workers/running.ts";
import { spokeHandler, type SpokeSite, waitingFor } from "#lib/workers/site.ts";

export const RESTARTED = "kubectl.kubernetes.io/restartedAt";

export function suspend(app: App): Handler {
  const changes = OPERATIONS.suspend.changes();
  return action(app, OPERATIONS.suspend, {
    cron: (site, run) => pauseCron(site, run, changes.cron),
    async app(site, run) {
      await perform(site, run, changes.app);
      await site.space.noPods("app=moodle", waitingFor(run));
    },
    async database(site, run) {
      await perform(site, run, changes.database);
      await site.space.noPods(SITE_PODS, waitingFor(run));
    },
  });
}

export function resume(app: App): Handler {
  const { changes } = OPERATIONS.resume;
  return action(app, OPERATIONS.resume, {
    async database(site, run) {
      await perform(site, run, changes(site.spoke).database);
      await untilReady(site, run, DATABASE);
    },
    verify,
    async app(site, run) {
      await perform(site, run, changes(site.spoke).app);
      await untilReady(site, run, MOODLE);
    },
    cron: (site, run) => perform(site, run, changes(site.spoke).cron),
    health: demandHealth,
  });
}

export function restart(app: App): Handler {
  return action(app, OPERATIONS.restart, {
    verify,
    async app(site, run) {
      await startAnew(site, run);
      await untilReady(site, run, MOODLE);
    },
    health: demandHealth,
  });
}

export function action<Step extends string>(
  app: App,
  operation: PlannedOperation<Step>,
  steps: Steps<Step, SpokeSite>,
  ends: Partial<HandlerHooks<SpokeSite>> = {},
): Handler {
  return spokeHandler(app, operation, steps, { hooks: actionOutcomes(), observe, ...ends });
}

/**
 * Reads the state of a site after a failed action. A site without pods is suspended; any other site is active. A site
 * whose scheduled tasks are paused is healthy only in maintenance mode.
 */
export async function observe({ space, spoke: { maintenance } }: SpokeSite, run: Run): Promise<Observed> {
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, SITE_PODS, run);
  const standing = pods.filter((pod) => !["Succeeded", "Failed"].includes(pod["status"]?.phase));
  if (standing.length === 0) return { state: "suspended", health: "unknown" };
  const moodle = await space.get(MOODLE, run);
  const available = (moodle?.["status"]?.availableReplicas ?? 0) > 0;
  const idle = (await space.get(CRON, run))?.["spec"]?.suspend === true && !maintenance;
  return { state: "active", health: available && !idle ? "healthy" : "degraded" };
}

export async function verify(site: SpokeSite, run: Run): Promise<void> {
  await demandSameSite(run, site.spoke, await readDatabase(site, run));
}

/**
 * Restarts Moodle's pods by writing the given time to the pod template. Writing the same time again restarts nothing.
 */
export async function startAnew(site: SpokeSite, run: Run, at: Date = run.job.startedAt!): Promise<void> {
  await change(site, run, MOODLE, (object) => stampRestart(object, at));
}

/**
 * Returns the patch that restarts the pods. Each attempt of an operation writes the same value, so a repeated patch
 * restarts nothing.
 */
function stampRestart(object: KubeObject, at: Date): PatchOperation[] {
  const metadata = object["spec"]?.template?.metadata ?? {};
  const path = "/spec/template/metadata/annotations";
  return [
    ...(metadata.annotations ? [] : [{ op: "add" as const, path, value: {} }]),
    { op: "add", path: `${path}/${RESTARTED.replaceAll("/", "~1")}`, value: at.toISOString() },
  ];
}
