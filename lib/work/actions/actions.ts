/** What suspend, resume and restart do in the cluster. Each object is changed under the fence of the run. */
import type { App } from "#lib/app.ts";
import { SITE_PODS } from "#lib/moodle/names.ts";
import type { KubeObject, PatchOperation } from "#lib/drivers/cluster/cluster.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import { type Handler, handlerOf, type Planned, type Run, type Steps } from "#lib/scheduler/handler.ts";
import type { SpokeRow } from "#lib/domains/spokes/store.ts";
import { demandSameSite } from "#lib/work/identity.ts";
import { demandHealth, readDatabase } from "#lib/work/jobs.ts";
import { actionOutcomes, type Observed } from "#lib/work/outcomes.ts";
import { place } from "#lib/work/install/provision.ts";
import { change, pauseCron, perform, untilReady } from "#lib/work/running.ts";
import { CRON, DATABASE, MOODLE } from "#lib/operations/change.ts";
import { openSpace, openSpokeSite, waiting } from "#lib/work/site.ts";

export const RESTARTED = "kubectl.kubernetes.io/restartedAt";

export function suspend(app: App): Handler {
  const changes = OPERATIONS.suspend.changes();
  return action(app, OPERATIONS.suspend, {
    cron: (run) => pauseCron(app, run, changes.cron),
    async app(run) {
      await perform(app, run, changes.app);
      await (await openSpace(app, run)).space.noPods("app=moodle", waiting(run));
    },
    async database(run) {
      await perform(app, run, changes.database);
      await (await openSpace(app, run)).space.noPods(SITE_PODS, waiting(run));
    },
  });
}

export function resume(app: App): Handler {
  const changes = async (run: Run) => OPERATIONS.resume.changes((await openSpokeSite(app, run)).spoke);
  return action(app, OPERATIONS.resume, {
    async database(run) {
      await perform(app, run, (await changes(run)).database);
      await untilReady(app, run, DATABASE);
    },
    verify: (run) => verify(app, run),
    async app(run) {
      await perform(app, run, (await changes(run)).app);
      await untilReady(app, run, MOODLE);
    },
    cron: async (run) => await perform(app, run, (await changes(run)).cron),
    health: async (run) => await demandHealth(await place(app, run), run),
  });
}

export function restart(app: App): Handler {
  return action(app, OPERATIONS.restart, {
    verify: (run) => verify(app, run),
    async app(run) {
      await startAnew(app, run);
      await untilReady(app, run, MOODLE);
    },
    health: async (run) => await demandHealth(await place(app, run), run),
  });
}

export function action<Step extends string>(app: App, operation: Planned<Step>, steps: Steps<Step>): Handler {
  return handlerOf(operation, steps, {
    hooks: actionOutcomes,
    evidence: async (run) => (await openSpace(app, run)).space.evidence(run),
    observe: (run) => observe(app, run),
  });
}

/**
 * After a failed action: no pod left is suspended, and everything else has to be called active, well or not. A site
 * whose scheduled tasks are paused is well only while it is in maintenance.
 */
export async function observe(
  app: App,
  run: Run,
  isClosed: (spoke: SpokeRow) => boolean = (spoke) => spoke.maintenance,
): Promise<Observed> {
  const { space, spoke } = await openSpace(app, run);
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, SITE_PODS, run);
  const standing = pods.filter((pod) => !["Succeeded", "Failed"].includes(pod["status"]?.phase));
  if (standing.length === 0) return { state: "suspended", health: "unknown" };
  const moodle = await space.get(MOODLE, run);
  const available = (moodle?.["status"]?.availableReplicas ?? 0) > 0;
  const idle = (await space.get(CRON, run))?.["spec"]?.suspend === true && !isClosed(spoke);
  return { state: "active", health: available && !idle ? "healthy" : "degraded" };
}

export async function verify(app: App, run: Run): Promise<void> {
  const here = await place(app, run);
  await demandSameSite(run, here.spoke, await readDatabase(here, run));
}

/** Replaces Moodle's pods once in the operation, or once for each time that is given. */
export async function startAnew(app: App, run: Run, at: Date = run.job.startedAt!): Promise<void> {
  await change(app, run, MOODLE, (object) => stampRestart(object, at));
}

/** The same value whoever of this operation's holders writes it: a second patch rolls nothing out again. */
function stampRestart(object: KubeObject, at: Date): PatchOperation[] {
  const metadata = object["spec"]?.template?.metadata ?? {};
  const path = "/spec/template/metadata/annotations";
  return [
    ...(metadata.annotations ? [] : [{ op: "add" as const, path, value: {} }]),
    { op: "add", path: `${path}/${RESTARTED.replaceAll("/", "~1")}`, value: at.toISOString() },
  ];
}
