/** What suspend, resume and restart do in the cluster. Each object is changed under the fence of the run. */
import type { App } from "#lib/app.ts";
import { SITE_PODS } from "#lib/blueprint/names.ts";
import { ClusterError, type KubeObject, type PatchOperation, type Ref, type Space } from "#lib/cluster/cluster.ts";
import { OPERATION_KINDS } from "#lib/jobs/kinds.ts";
import type { Handler, Run } from "#lib/scheduler/handler.ts";
import { MINUTE } from "#lib/time.ts";
import { patchFenced } from "#lib/work/fenced-patch.ts";
import { demandSameSite } from "#lib/work/identity.ts";
import { demandHealth, readDatabase } from "#lib/work/jobs.ts";
import { actionOutcomes, type Observed } from "#lib/work/outcomes.ts";
import { place } from "#lib/work/provision.ts";
import { CRON, DATABASE, JOB, MOODLE, openSpace, waiting } from "#lib/work/site.ts";

const CRON_PODS = "op=cron";
const CRON_GRACE = 10 * MINUTE; // for a scheduled task that is under way
const RESTARTED = "kubectl.kubernetes.io/restartedAt";

export function suspend(app: App): Handler {
  return action(app, {
    kind: OPERATION_KINDS.suspend,
    steps: {
      async cron(run) {
        await pauseCron(app, run, true);
        await endCron((await openSpace(app, run)).space, run);
      },
      async app(run) {
        await scale(app, run, MOODLE, 0);
        await (await openSpace(app, run)).space.noPods("app=moodle", waiting(run));
      },
      async database(run) {
        await scale(app, run, DATABASE, 0);
        await (await openSpace(app, run)).space.noPods(SITE_PODS, waiting(run));
      },
    },
  });
}

export function resume(app: App): Handler {
  return action(app, {
    kind: OPERATION_KINDS.resume,
    steps: {
      async database(run) {
        await scale(app, run, DATABASE, 1);
        await untilReady(app, run, DATABASE);
      },
      verify: (run) => verify(app, run),
      async app(run) {
        await scale(app, run, MOODLE, 1);
        await untilReady(app, run, MOODLE);
      },
      cron: (run) => pauseCron(app, run, false),
      health: async (run) => await demandHealth(await place(app, run), run),
    },
  });
}

export function restart(app: App): Handler {
  return action(app, {
    kind: OPERATION_KINDS.restart,
    steps: {
      verify: (run) => verify(app, run),
      async app(run) {
        await patch(app, run, MOODLE, (object) => stampRestart(object, run.job.startedAt!));
        await untilReady(app, run, MOODLE);
      },
      health: async (run) => await demandHealth(await place(app, run), run),
    },
  });
}

function action(app: App, handler: Pick<Handler, "kind" | "steps">): Handler {
  return {
    ...handler,
    hooks: actionOutcomes,
    evidence: async (run) => (await openSpace(app, run)).space.evidence({ signal: run.signal }),
    observe: (run) => observe(app, run),
  };
}

/** After a failed action: no pod left is suspended, and everything else has to be called active, well or not. */
async function observe(app: App, run: Run): Promise<Observed> {
  const { space } = await openSpace(app, run);
  const call = { signal: run.signal };
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, SITE_PODS, call);
  const standing = pods.filter((pod) => !["Succeeded", "Failed"].includes(pod["status"]?.phase));
  if (standing.length === 0) return { state: "suspended", health: "unknown" };
  const moodle = await space.get(MOODLE, call);
  const available = (moodle?.["status"]?.availableReplicas ?? 0) > 0;
  return { state: "active", health: available ? "healthy" : "degraded" };
}

async function verify(app: App, run: Run): Promise<void> {
  const here = await place(app, run);
  await demandSameSite(run, here.spoke, await readDatabase(here, run));
}

async function scale(app: App, run: Run, ref: Ref, replicas: 0 | 1): Promise<void> {
  await patch(app, run, ref, () => [{ op: "add", path: "/spec/replicas", value: replicas }]);
}

async function pauseCron(app: App, run: Run, paused: boolean): Promise<void> {
  await patch(app, run, CRON, () => [{ op: "add", path: "/spec/suspend", value: paused }]);
}

async function patch(
  app: App,
  run: Run,
  ref: Ref,
  change: (object: KubeObject) => readonly PatchOperation[],
): Promise<void> {
  const { space } = await openSpace(app, run);
  await patchFenced(space, { ref, hold: run.job, change }, { signal: run.signal });
}

async function untilReady(app: App, run: Run, ref: Ref): Promise<void> {
  const { space } = await openSpace(app, run);
  await space.ready([ref], waiting(run));
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

/** Gives scheduled tasks time to end; then ends their Jobs, so that one that hangs cannot keep a site from stopping. */
async function endCron(space: Space, run: Run): Promise<void> {
  try {
    return await space.noPods(CRON_PODS, waiting(run, CRON_GRACE));
  } catch (error) {
    if (!(error instanceof ClusterError) || error.code !== "deadline") throw error;
  }
  for (const job of await space.list(JOB, "", { signal: run.signal })) {
    const owner = job.metadata.ownerReferences?.find(({ controller }) => controller);
    if (owner?.kind !== CRON.kind || owner.name !== CRON.name) continue;
    await space.delete({ ...JOB, name: job.metadata.name }, job.metadata.uid!, { signal: run.signal });
  }
  await space.noPods(CRON_PODS, waiting(run));
}
