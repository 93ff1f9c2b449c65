/** Purging caches and running the scheduled tasks now: one Job each, and the spoke stays in the state that it is in. */
import type { App } from "#lib/app.ts";
import { CRON, FENCE } from "#lib/moodle/names.ts";
import { ClusterError, type JobResult, type KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { Handler, PlannedOperation, Run, Steps } from "#lib/scheduler/handler.ts";
import { missing } from "#lib/workers/fenced.ts";
import { demandTask, type JobPlace, runJob } from "#lib/workers/jobs.ts";
import { taskOutcomes } from "#lib/workers/outcomes.ts";
import { finalError, JOB, spokeHandler, type SpokeSite, waitingFor } from "#lib/workers/site.ts";

export function purgeCaches(app: App): Handler {
  return task(app, OPERATIONS["purge-caches"], {
    purge: purgeOnce,
  });
}

export function runCron(app: App): Handler {
  return task(app, OPERATIONS["run-cron"], {
    async run(site, run) {
      if (site.spoke.maintenance) throw closed();
      await demandTask(site, run, await runOnce(site, run), "The scheduled tasks could not be run");
    },
  });
}

export function task<Step extends string>(
  app: App,
  operation: PlannedOperation<Step>,
  steps: Steps<Step, SpokeSite>,
): Handler {
  return spokeHandler(app, operation, steps, { hooks: taskOutcomes });
}

export async function purgeOnce(site: JobPlace, run: Run): Promise<void> {
  await demandTask(site, run, await runJob(site, run, "purge"), "The caches could not be purged");
}

/**
 * A Job that is under way already is followed, no matter who made it: an hour's work is not begun anew because a
 * replica died. A scheduled one beside it does no harm, for each task takes a lock of Moodle's own.
 */
async function runOnce({ space }: JobPlace, run: Run): Promise<JobResult> {
  const { cronJob } = run.job.progress;
  if (typeof cronJob === "string" && await space.get({ ...JOB, name: cronJob }, run)) {
    run.showProgress("The job that was begun before is under way still");
    return await space.follow(cronJob, waitingFor(run));
  }
  const cron = await space.get(CRON, run);
  if (!cron) throw missing(CRON);
  const job = jobOf(cron, run.job.fence);
  await run.saveProgress({ cronJob: job.metadata.name });
  return await space.run(job, waitingFor(run));
}

/**
 * It belongs to the CronJob, and goes with it; but it is not controlled by it: that would count it among the ended ones, and
 * clear it away before anybody has read how it ended.
 */
function jobOf(cron: KubeObject, fence: string): KubeObject {
  const { metadata = {}, spec } = cron["spec"].jobTemplate;
  const { apiVersion, kind, name } = CRON;
  return {
    ...JOB,
    metadata: {
      name: `run-cron-${fence}`,
      labels: { ...metadata.labels, [FENCE]: fence },
      annotations: { ...metadata.annotations, "cron.kubernetes.io/instantiate": "manual" },
      ownerReferences: [{ apiVersion, kind, name, uid: cron.metadata.uid! }],
    },
    spec,
  };
}

function closed(): ClusterError {
  return finalError(
    "Maintenance",
    "The scheduled tasks of a site in maintenance cannot be run",
    "Turn maintenance off, then ask for this again.",
    "user",
  );
}
