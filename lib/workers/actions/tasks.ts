/** Purges caches and runs scheduled tasks, each in one Job. The spoke's state does not change. */
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
 * Starts the scheduled tasks in one Job and waits for its result. After a crash it waits for the Job that is already
 * running, so the tasks do not run twice. A run of the CronJob at the same time is harmless, because Moodle locks each
 * task.
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
 * Creates a Job from the CronJob's template. The CronJob owns the Job but is not its controller. Otherwise it could
 * delete the Job before the result was read.
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
