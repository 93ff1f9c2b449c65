/** Runs a Kubernetes Job that purges a site's caches or runs its scheduled tasks. The spoke's state does not change. */
import type { App } from "#lib/app.ts";
import { FENCE_METADATA_KEY, MOODLE_CRONJOB_REF } from "#lib/moodle/names.ts";
import { Refusal } from "#lib/base/refusals.ts";
import type { JobResult, KubeObject } from "#lib/drivers/cluster/cluster.ts";
import { OPERATIONS } from "#lib/operations/table.ts";
import type { JobKind, SharedProgress } from "#lib/operations/plan.ts";
import type { JobHandler, JobRun, StepFunctions } from "#lib/scheduler/handler.ts";
import { missingObjectError } from "#lib/steps/fenced-objects.ts";
import { type JobContext, requireJobSuccessAndDelete, runJob } from "#lib/steps/site-jobs.ts";
import { taskOutcomes } from "#lib/steps/outcomes.ts";
import {
  buildClusterWaitOptions,
  KUBERNETES_JOB_KIND,
  type OperationRun,
  spokeHandler,
  type SpokeSite,
} from "#lib/steps/site.ts";

export function purgeCaches(app: App): JobHandler {
  return siteTaskHandler(app, OPERATIONS["purge-caches"], {
    purge: runPurgeJob,
  });
}

export function runCron(app: App): JobHandler {
  return siteTaskHandler(app, OPERATIONS["run-cron"], {
    async run(site, run) {
      if (site.spoke.maintenance) {
        const hint = "Turn off maintenance mode, then run the scheduled tasks again.";
        throw new Refusal("Maintenance", "Scheduled tasks cannot run in maintenance mode", hint, "user");
      }
      await requireJobSuccessAndDelete(site, run, await runCronJob(site, run), "The scheduled tasks could not be run");
    },
  });
}

/** Creates the handler of an operation that does not change the spoke's state. */
export function siteTaskHandler<Progress extends SharedProgress, Step extends string>(
  app: App,
  { kind }: { readonly kind: JobKind<Progress, object, Step> },
  steps: StepFunctions<SpokeSite, Progress, object, Step>,
): JobHandler {
  return spokeHandler(app, kind, steps, { hooks: taskOutcomes });
}

export async function runPurgeJob(site: JobContext, run: JobRun): Promise<void> {
  await requireJobSuccessAndDelete(site, run, await runJob(site, run, "purge"), "The caches could not be purged");
}

/**
 * Runs the site's scheduled tasks in a Kubernetes Job and waits for the result. After a crash, waits for the Job that
 * the earlier attempt started, so that no task runs twice. The CronJob may run at the same time, because Moodle locks
 * each task.
 */
async function runCronJob(
  { space }: JobContext,
  run: OperationRun<"run-cron">,
): Promise<JobResult> {
  const { cronJob } = run.job.progress;
  if (cronJob !== undefined && await space.get({ ...KUBERNETES_JOB_KIND, name: cronJob }, run)) {
    run.showProgress("Waiting for the Job of an earlier attempt");
    return await space.follow(cronJob, buildClusterWaitOptions(run));
  }
  const cron = await space.get(MOODLE_CRONJOB_REF, run);
  if (!cron) throw missingObjectError(MOODLE_CRONJOB_REF);
  const job = createCronJobRun(cron, run.job.fence);
  await run.saveProgress({ cronJob: job.metadata.name });
  return await space.run(job, buildClusterWaitOptions(run));
}

/**
 * Creates a Job from the CronJob's template. The CronJob owns the Job but is not its controller: a CronJob may delete a
 * Job that it controls before the result has been read.
 */
function createCronJobRun(cron: KubeObject, fence: string): KubeObject {
  const { metadata = {}, spec } = cron["spec"].jobTemplate;
  const { apiVersion, kind, name } = MOODLE_CRONJOB_REF;
  return {
    ...KUBERNETES_JOB_KIND,
    metadata: {
      name: `run-cron-${fence}`,
      labels: { ...metadata.labels, [FENCE_METADATA_KEY]: fence },
      annotations: { ...metadata.annotations, "cron.kubernetes.io/instantiate": "manual" },
      ownerReferences: [{ apiVersion, kind, name, uid: cron.metadata.uid! }],
    },
    spec,
  };
}
