/**
 * The install step: exactly one install at a time, whoever began it, and never one over a site that is there.
 *
 * An install cannot be gone on with once its Job has died: what it left is reset first. One that still runs is adopted,
 * whichever holder created it. That a site is there is said by its database alone, not by what a Job answered.
 */
import { EXCLUSIVE_PODS } from "#lib/blueprint/names.ts";
import { findImages } from "#lib/blueprint/releases.ts";
import { ClusterError, type KubeObject } from "#lib/cluster/cluster.ts";
import { isMissing } from "#lib/cluster/trouble/image.ts";
import { retell } from "#lib/cluster/trouble/retell.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { demandSuccess, type JobPlace, readDatabase, runJob } from "#lib/work/jobs.ts";
import { JOB, waiting } from "#lib/work/site.ts";

export async function install(place: JobPlace, run: Run): Promise<void> {
  try {
    await installOnce(place, run);
  } catch (error) {
    throw error instanceof ClusterError ? blameForVersion(error, place) : error;
  }
}

/** Where any version may be asked for, that there is no image of it is the doing of whoever asked. */
function blameForVersion(error: ClusterError, { blueprint, inputs }: JobPlace): ClusterError {
  const { version, images } = inputs;
  const listed = Object.values(blueprint.images.versions).some(({ image }) => image === images.moodle);
  const made = findImages({ ...blueprint.images, versions: {} }, version)?.moodle === images.moodle;
  const missing = error.code === "ErrImagePull" && error.message.includes(images.moodle) && isMissing(error.message);
  if (!missing || listed || !made) return error;
  const offered = Object.keys(blueprint.images.versions).join(", ");
  const hint =
    `There is no image of version ${version}: destroy this one, and choose a version that is offered (${offered}).`;
  return retell(error, { blame: "user", hint });
}

async function installOnce(place: JobPlace, run: Run): Promise<void> {
  const { space } = place;
  const attempts = await space.list(JOB, "op in (install,reset)", { signal: run.signal });
  let leavings = attempts.some(isOver);
  for (const attempt of attempts.filter((job) => !isOver(job))) {
    if (await endAttempt(place, run, attempt) === "ended") leavings = true;
  }
  const site = await readDatabase(place, run, "-before");
  if (site.state === "installed") return;
  await space.noPods(EXCLUSIVE_PODS, waiting(run));
  if (site.state === "partial" || leavings) {
    await demandSuccess(place, run, await runJob(place, run, "reset"), "What an earlier install left cannot be reset");
  }
  await run.remember({ installs: [...ownInstalls(run), nameOf(place, run)] });
  await demandSuccess(place, run, await runJob(place, run, "install"), "Moodle could not be installed");
}

/** Waits for a Job that was left behind, if it can come to anything; else makes room. */
async function endAttempt(place: JobPlace, run: Run, attempt: KubeObject): Promise<"ended" | "deleted"> {
  const { space } = place, { name, uid } = attempt.metadata;
  if (ownInstalls(run).includes(name) || await hasBegun(place, run, name)) {
    run.progress(`Job ${name} is under way already`);
    const result = await space.follow(name, waiting(run));
    if (attempt.metadata.labels?.["op"] === "install") {
      await demandSuccess(place, run, result, "Moodle could not be installed");
    }
    return "ended";
  }
  // Of an earlier operation, and it never got a pod: the reason may be gone by now, and its image may be another one.
  await space.delete({ ...JOB, name }, uid!, { signal: run.signal });
  return "deleted";
}

async function hasBegun({ space }: JobPlace, run: Run, name: string): Promise<boolean> {
  const pods = await space.list({ apiVersion: "v1", kind: "Pod" }, `job-name=${name}`, { signal: run.signal });
  return pods.some((pod) => pod["status"]?.phase !== "Pending");
}

function isOver(job: KubeObject): boolean {
  const conditions: { type: string; status: string }[] = job["status"]?.conditions ?? [];
  return conditions.some(({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"));
}

function ownInstalls(run: Run): string[] {
  const { installs } = run.job.progress;
  return Array.isArray(installs) ? installs.map(String) : [];
}

function nameOf({ blueprint, inputs }: JobPlace, run: Run): string {
  return blueprint.jobObject(inputs, "install", run.job.fence).metadata.name;
}
