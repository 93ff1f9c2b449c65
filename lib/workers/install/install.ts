/**
 * Installs Moodle: one installation at a time, and never over an existing site. An interrupted installation cannot be
 * continued, so its data is deleted before the next attempt. Whether a site exists is read from the database, because
 * the result of the install Job does not show this reliably.
 */
import { EXCLUSIVE_JOB_SELECTOR } from "#lib/moodle/names.ts";
import { findVersionImages } from "#lib/moodle/releases.ts";
import { parseSiteFacts, type SiteIdentity } from "#lib/moodle/job-results.ts";
import { addErrorDetails, ClusterError } from "#lib/drivers/cluster/cluster.ts";
import { isMissingImageError } from "#lib/drivers/cluster/diagnosis/image.ts";
import type { ProgressOf } from "#lib/operations/plan.ts";
import type { INSTALLATION } from "#lib/operations/progress.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { hasKubernetesJobEnded, type PreviousAttempts, waitForEarlierJobs } from "#lib/steps/job-attempts.ts";
import {
  type JobContext,
  readDatabase,
  requireJobSuccess,
  runJob,
  storeFenceInDatabase,
} from "#lib/steps/site-jobs.ts";
import { trackInstalledParts } from "#lib/steps/progress-parts.ts";
import { buildClusterWaitOptions, KUBERNETES_JOB_KIND } from "#lib/steps/site.ts";

type InstallRun = JobRun<ProgressOf<typeof INSTALLATION>>;

/** Installs Moodle. Returns the site that the database then contains, which may be incomplete. */
export async function install(context: JobContext, run: InstallRun): Promise<SiteIdentity> {
  try {
    return await installOnce(context, run);
  } catch (error) {
    const advice = "destroy this spoke, and choose an offered version";
    throw error instanceof ClusterError ? addVersionHint(error, context, advice) : error;
  }
}

/** If the image of the requested version does not exist, attributes the error to the user and lists other versions. */
export function addVersionHint(
  error: ClusterError,
  { blueprint, inputs }: Pick<JobContext, "blueprint" | "inputs">,
  advice: string,
): ClusterError {
  const { version, images } = inputs;
  const isListed = Object.values(blueprint.images.versions).some(({ image }) => image === images.moodle);
  const isDerived = findVersionImages({ ...blueprint.images, versions: {} }, version)?.moodle === images.moodle;
  const isMissing = error.code === "ErrImagePull" && error.message.includes(images.moodle) &&
    isMissingImageError(error.message);
  if (!isMissing || isListed || !isDerived) return error;
  const offered = Object.keys(blueprint.images.versions).join(", ");
  return addErrorDetails(error, {
    blame: "user",
    hint: `No image exists for version ${version}: ${advice} (${offered}).`,
  });
}

async function installOnce(context: JobContext, run: InstallRun): Promise<SiteIdentity> {
  const parts = await trackInstalledParts(run, context.inputs.images.moodle);
  const before = await waitForEarlierInstalls(context, run, {
    own: run.job.progress.installs ?? [],
    listen: parts.startReading,
  });
  await parts.save();
  const site = await storeFenceInDatabase(context, run);
  if (site.state === "installed") return site;
  const between = await waitForEarlierInstalls(context, run, { own: [] });
  if (between.installed) return await readDatabase(context, run);
  await context.space.noPods(EXCLUSIVE_JOB_SELECTOR, buildClusterWaitOptions(run));
  if (site.state === "partial" || before.left || between.left) {
    await requireJobSuccess(
      context,
      run,
      await runJob(context, run, "reset"),
      "The data of an earlier installation could not be deleted",
    );
  }
  const job = context.blueprint.jobObject(context.inputs, "install", run.job.fence);
  await run.saveProgress({ installs: [...run.job.progress.installs ?? [], job.metadata.name] });
  const result = await context.space.run(job, { ...buildClusterWaitOptions(run), listen: parts.startReading });
  await parts.save();
  const facts = parseSiteFacts(result.log);
  if (!facts || facts.state === "installed") {
    await requireJobSuccess(context, run, result, "Moodle could not be installed");
  }
  return facts ?? await readDatabase(context, run); // a custom install Job may print nothing
}

/** Waits for install and reset Jobs of earlier attempts. `left` is true if these Jobs may have left data behind. */
async function waitForEarlierInstalls(
  context: JobContext,
  run: JobRun,
  earlier: PreviousAttempts,
): Promise<{ readonly left: boolean; readonly installed: boolean }> {
  const attempts = await context.space.list(KUBERNETES_JOB_KIND, "op in (install,reset)", run);
  const ended = await waitForEarlierJobs(context, run, attempts, earlier);
  const installs = ended.filter(({ op }) => op === "install");
  for (const { result } of installs) await requireJobSuccess(context, run, result, "Moodle could not be installed");
  return { left: ended.length > 0 || attempts.some(hasKubernetesJobEnded), installed: installs.length > 0 };
}
