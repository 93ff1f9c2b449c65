/**
 * Installs Moodle: one installation at a time, and never over an existing site.
 * An installation whose Job died cannot continue, so its remains are deleted first. A running install Job is awaited,
 * whoever created it. The database shows whether a site exists; the Job's result does not.
 */
import { EXCLUSIVE_PODS } from "#lib/moodle/names.ts";
import { findImages } from "#lib/moodle/releases.ts";
import { parseSiteFacts, type SiteIdentity } from "#lib/moodle/job-results.ts";
import { ClusterError, withErrorDetails } from "#lib/drivers/cluster/cluster.ts";
import { isMissingImage } from "#lib/drivers/cluster/diagnosis/image.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { endAttempts, findOwnAttempts, hasAttemptEnded, type PreviousAttempts } from "#lib/workers/job-attempts.ts";
import { type JobContext, readDatabase, requireSuccess, runJob, writeDatabaseFence } from "#lib/workers/site-jobs.ts";
import { openProgressParts } from "#lib/workers/progress-parts.ts";
import { BATCH_JOB, clusterWaitOf } from "#lib/workers/site.ts";

const OWN = "installs"; // in the job's progress

/** Installs Moodle and returns the state of the database afterwards. The site in it may be incomplete. */
export async function install(place: JobContext, run: Run): Promise<SiteIdentity> {
  try {
    return await installOnce(place, run);
  } catch (error) {
    const advice = "destroy this one, and choose a version that is offered";
    throw error instanceof ClusterError ? addVersionHint(error, place, advice) : error;
  }
}

/** Changes the error for a requested version without an image, so that it blames the user who chose the version. */
export function addVersionHint(
  error: ClusterError,
  { blueprint, inputs }: Pick<JobContext, "blueprint" | "inputs">,
  advice: string,
): ClusterError {
  const { version, images } = inputs;
  const listed = Object.values(blueprint.images.versions).some(({ image }) => image === images.moodle);
  const made = findImages({ ...blueprint.images, versions: {} }, version)?.moodle === images.moodle;
  const missing = error.code === "ErrImagePull" && error.message.includes(images.moodle) &&
    isMissingImage(error.message);
  if (!missing || listed || !made) return error;
  const offered = Object.keys(blueprint.images.versions).join(", ");
  return withErrorDetails(error, {
    blame: "user",
    hint: `There is no image of version ${version}: ${advice} (${offered}).`,
  });
}

async function installOnce(place: JobContext, run: Run): Promise<SiteIdentity> {
  const parts = await openProgressParts(run, place.inputs.images.moodle);
  const before = await endEarlier(place, run, { own: findOwnAttempts(run, OWN), listen: parts.startReading });
  await parts.keep();
  const site = await writeDatabaseFence(place, run);
  if (site.state === "installed") return site;
  const between = await endEarlier(place, run, { own: [] });
  if (between.installed) return await readDatabase(place, run);
  await place.space.noPods(EXCLUSIVE_PODS, clusterWaitOf(run));
  if (site.state === "partial" || before.left || between.left) {
    await requireSuccess(place, run, await runJob(place, run, "reset"), "What an earlier install left cannot be reset");
  }
  const job = place.blueprint.jobObject(place.inputs, "install", run.job.fence);
  await run.saveProgress({ [OWN]: [...findOwnAttempts(run, OWN), job.metadata.name] });
  const result = await place.space.run(job, { ...clusterWaitOf(run), listen: parts.startReading });
  await parts.keep();
  const facts = parseSiteFacts(result.log);
  if (!facts || facts.state === "installed") await requireSuccess(place, run, result, "Moodle could not be installed");
  return facts ?? await readDatabase(place, run); // a custom install Job may print nothing
}

/** Waits for install Jobs of earlier attempts. `left` is true if they may have left data. */
async function endEarlier(
  place: JobContext,
  run: Run,
  earlier: PreviousAttempts,
): Promise<{ readonly left: boolean; readonly installed: boolean }> {
  const attempts = await place.space.list(BATCH_JOB, "op in (install,reset)", run);
  const ended = await endAttempts(place, run, attempts, earlier);
  const installs = ended.filter(({ op }) => op === "install");
  for (const { result } of installs) await requireSuccess(place, run, result, "Moodle could not be installed");
  return { left: ended.length > 0 || attempts.some(hasAttemptEnded), installed: installs.length > 0 };
}
