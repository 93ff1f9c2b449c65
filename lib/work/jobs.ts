/** Runs the blueprint's Jobs in a spoke's namespace, and makes an error of one that failed. */
import type { Blueprint } from "#lib/blueprint/load.ts";
import type { JobName } from "#lib/blueprint/plan.ts";
import { readHealth, readSeed, readSite, type Site } from "#lib/blueprint/results.ts";
import { ClusterError, type JobResult, type Space } from "#lib/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/blueprint/inputs.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { JOB, waiting } from "#lib/work/site.ts";

export interface JobPlace {
  readonly blueprint: Blueprint;
  readonly inputs: SpokeInputs;
  readonly space: Space;
}

/** `turn` tells apart two Jobs of one name that the same holder runs: a Job of the same name is taken for the same. */
export async function runJob(place: JobPlace, run: Run, name: JobName, turn = ""): Promise<JobResult> {
  const job = place.blueprint.jobObject(place.inputs, name, run.job.fence + turn);
  return await place.space.run(job, waiting(run));
}

/** Throws a final error with the Job's last lines unless it succeeded. */
export async function demandSuccess(place: JobPlace, run: Run, result: JobResult, what: string): Promise<JobResult> {
  if (result.succeeded) return result;
  const { events } = await place.space.evidence({ signal: run.signal });
  const code = result.exitCode === null ? "" : ` (exit code ${result.exitCode})`;
  throw new ClusterError(result.reason ?? "JobFailed", `${what}: ${result.message ?? "the Job failed"}${code}`, {
    transient: false,
    evidence: { log: result.log, events },
  });
}

/** Asks the spoke's database what is in it. */
export async function readDatabase(place: JobPlace, run: Run, turn = ""): Promise<Site> {
  const result = await runJob(place, run, "verify", turn);
  await demandSuccess(place, run, result, "The database could not be asked");
  await clearAway(place, run, result);
  return readSite(result.log);
}

export async function demandSeed(place: JobPlace, run: Run): Promise<readonly string[]> {
  const result = await demandSuccess(place, run, await runJob(place, run, "seed"), "The site could not be set up");
  const { seeded, done } = readSeed(result.log);
  if (seeded) {
    await clearAway(place, run, result);
    return done;
  }
  throw new ClusterError("SeedIncomplete", "The seed Job succeeded without coming to its end", {
    transient: false,
    evidence: { log: result.log, events: [] },
  });
}

/** The site's own login page must answer 200, asked from inside. */
export async function demandHealth(place: JobPlace, run: Run): Promise<void> {
  const result = await runJob(place, run, "health");
  const status = readHealth(result.log);
  if (result.succeeded && status === 200) return await clearAway(place, run, result);
  const { events } = await place.space.evidence({ signal: run.signal });
  const answer = status === null ? "did not answer" : `answered ${status}`;
  throw new ClusterError("Unhealthy", `The site's login page ${answer}`, {
    transient: false,
    hint: "Look at the log of the pod of the Deployment moodle.",
    evidence: { log: result.log, events },
  });
}

/** A Job that has ended counts against the namespace's quota of Jobs for a day, and all that this one said was read. */
async function clearAway({ space }: JobPlace, run: Run, { name }: JobResult): Promise<void> {
  const call = { signal: run.signal };
  try {
    const job = await space.get({ ...JOB, name }, call);
    if (job) await space.delete({ ...JOB, name }, job.metadata.uid!, call);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ClusterError)) throw error;
    run.log.info("Left a finished Job for the cluster to clear away", { name, error });
  }
}
