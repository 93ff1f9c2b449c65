/** Runs the blueprint's Jobs in a site's namespace, and turns their failures into errors. */
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import type { JobName } from "#lib/moodle/blueprint-files.ts";
import {
  type CodeVersion,
  type FilesCheck,
  parseCodeVersion,
  parseFilesCheck,
  parseHealthStatus,
  parseSeedResult,
  parseSiteIdentity,
  type SeedResult,
  type SiteIdentity,
} from "#lib/moodle/job-results.ts";
import type { FailureCause } from "#lib/base/errors.ts";
import { ClusterError, type Evidence, type JobResult, type Space } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { SECOND } from "#lib/base/time.ts";
import { redact } from "#lib/base/redact.ts";
import { findLikelyErrorLine, findLogCause, findWaitLine, WAIT_HINT } from "#lib/moodle/log-causes.ts";
import { BATCH_JOB, clusterWaitOf, type SpokeSite } from "#lib/workers/site.ts";

const LINE_MOST = 500; // characters of a log line in a message

export interface JobContext {
  readonly blueprint: Blueprint;
  readonly inputs: SpokeInputs;
  readonly space: Space;
}

/**
 * Runs a Job and returns its result. A Job with the same name counts as the same run, so `turn` distinguishes two runs
 * in one step.
 */
export async function runJob(place: JobContext, run: Run, name: JobName, turn = ""): Promise<JobResult> {
  const job = place.blueprint.jobObject(place.inputs, name, run.job.fence + turn);
  return await place.space.run(job, clusterWaitOf(run));
}

/** Throws a final error with the Job's last log lines if the Job failed. */
export async function requireSuccess(place: JobContext, run: Run, result: JobResult, what: string): Promise<JobResult> {
  if (result.succeeded) return result;
  const { events } = await place.space.evidence(run);
  throw failureOf(result, what, events);
}

/**
 * Throws like `demandSuccess`, and always deletes the Job, so that repeated failures do not use up the namespace's
 * quota.
 */
export async function requireTask(place: JobContext, run: Run, result: JobResult, what: string): Promise<JobResult> {
  try {
    return await requireSuccess(place, run, result, what);
  } finally {
    await deleteFinishedJob(place, run, result);
  }
}

/** Creates the error of a failed Job: what failed, the cause from the log, and the cluster's reason. */
function failureOf(result: JobResult, what: string, events: Evidence["events"]): ClusterError {
  const { log, exitCode } = result;
  const reason = result.reason ?? "JobFailed", message = result.message ?? "the Job failed";
  const told = exitCode === null || message.includes("exit code");
  const ending = told ? message : `${message}, exit code ${exitCode}`;
  const make = (code: string, text: string, hint: string, blame: FailureCause = "cluster") =>
    new ClusterError(code, `${what} because ${text}`, { transient: false, blame, hint, evidence: { log, events } });

  if (reason === "OOMKilled") {
    const hint = `Raise the memory limit of the size ("app" in sizes.yaml), or choose a larger size; then retry.`;
    return make(reason, `there was too little memory: ${ending}`, hint, "operator");
  }
  if (reason === "DeadlineExceeded") {
    const wait = findWaitLine(log);
    const last = wait ? `it was still waiting: ${shorten(wait)}` : "it took too long";
    const hint = wait
      ? WAIT_HINT
      : "See how far it came in the last lines of its log; a slow disk or too little CPU may be the reason. Then retry.";
    return make(reason, `${last}: ${ending}`, hint);
  }
  const cause = findLogCause(log);
  if (cause) return make(cause.code, `${cause.reason}: ${shorten(cause.line)} (${ending})`, cause.hint, cause.blame);
  const words = findLikelyErrorLine(log);
  const last = words === undefined ? ending : `${shorten(words)} (${ending})`;
  return make(reason, `its Job failed: ${last}`, "See the last lines of its log; once the cause is gone, retry.");
}

/** Shortens and redacts a log line for a message. */
function shorten(line: string): string {
  const text = redact(line);
  return text.length > LINE_MOST ? `${text.slice(0, LINE_MOST - 1)}…` : text;
}

/**
 * Throws a transient error if the log is incomplete, because a missing line then proves nothing. Deletes the Job, so
 * that the next attempt runs another one.
 */
export async function requireCompleteLog(place: JobContext, run: Run, result: JobResult): Promise<void> {
  if (result.isLogComplete) return;
  await deleteFinishedJob(place, run, result);
  throw new ClusterError("LogUnread", `What the Job ${result.name} has said could not be read`, {
    transient: true,
    hint: "See whether the API server reaches the kubelet of the node that the Job ran on; then retry.",
    evidence: { log: result.log, events: [] },
  });
}

/** Reads the site's identity and version from the spoke's database. */
export async function readDatabase(place: JobContext, run: Run, turn = ""): Promise<SiteIdentity> {
  return await readAnswer(place, run, await runJob(place, run, "verify", turn));
}

/**
 * Reads the site's identity like `readDatabase`, and writes the fence to the database's comment. Jobs of earlier runs
 * check the comment and refuse to start.
 */
export async function writeDatabaseFence(place: JobContext, run: Run): Promise<SiteIdentity> {
  return await readAnswer(place, run, await runJob(place, run, "claim"));
}

async function readAnswer(place: JobContext, run: Run, result: JobResult): Promise<SiteIdentity> {
  await requireSuccess(place, run, result, "The database could not be asked");
  await requireCompleteLog(place, run, result);
  await deleteFinishedJob(place, run, result);
  return parseSiteIdentity(result.log);
}

/** Compares the files in the database with those on the volume. `since` is the start of the backup. */
export async function checkFiles(place: JobContext, run: Run, since: Date): Promise<FilesCheck> {
  const told = { since: Math.floor(since.getTime() / SECOND) };
  const job = place.blueprint.jobObject(place.inputs, "verify-files", run.job.fence, told);
  const result = await place.space.run(job, clusterWaitOf(run));
  await requireSuccess(place, run, result, "The site's files could not be compared with its database");
  await requireCompleteLog(place, run, result);
  const check = parseFilesCheck(result.log);
  if (!check) {
    throw new ClusterError("FilesUnread", "The Job that compares the site's files ended without a result", {
      transient: false,
      blame: "operator",
      hint: "verify-files.php in the blueprint must print the line verified at its end.",
      evidence: { log: result.log, events: [] },
    });
  }
  await deleteFinishedJob(place, run, result);
  return check;
}

/**
 * Prevents administrators and suspended accounts from being linked to single sign-on. Does nothing if the site does not
 * use single sign-on.
 */
export async function protectSignIn(place: JobContext, run: Run): Promise<void> {
  if (!place.inputs.identity) return;
  const result = await runJob(place, run, "protect-sign-in");
  await requireTask(place, run, result, "Administrators could not be protected from single sign-on");
}

/** Pulls the image of a version and returns the version of the code in it. */
export async function readImage(place: JobContext, run: Run): Promise<CodeVersion | null> {
  const result = await runJob(place, run, "preflight");
  await requireSuccess(place, run, result, "The image of the new version cannot be used");
  await requireCompleteLog(place, run, result);
  await deleteFinishedJob(place, run, result);
  return parseCodeVersion(result.log);
}

export async function requireSeed(place: JobContext, run: Run): Promise<SeedResult> {
  const result = await runJob(place, run, "seed");
  await requireSuccess(place, run, result, SEEDING);
  const seeding = await requireSeedApplied(place, run, result);
  await deleteFinishedJob(place, run, result);
  return seeding;
}

const SEEDING = "The site could not be set up";

/** Throws a final error if the seed did not finish. Returns its result. */
export async function requireSeedApplied(place: JobContext, run: Run, result: JobResult): Promise<SeedResult> {
  const seeding = parseSeedResult(result.log);
  if (seeding.isFinished) return seeding;
  await requireSuccess(place, run, result, SEEDING);
  await requireCompleteLog(place, run, result);
  throw new ClusterError(
    "SeedIncomplete",
    `${SEEDING} because the seed Job ended without coming to its end`,
    {
      transient: false,
      blame: "operator",
      hint: "See the last lines of its log: seed.php in the blueprint must print seeded when it is done.",
      evidence: { log: result.log, events: [] },
    },
  );
}

/** Throws if the login page does not answer as the spoke's state requires: open, or closed in maintenance mode. */
export async function requireHealth(place: JobContext & Pick<SpokeSite, "spoke">, run: Run): Promise<void> {
  await (place.spoke.maintenance ? requireMaintenancePage(place, run) : requireLoginPage(place, run));
}

/** Throws if the login page does not answer 200 inside the cluster. */
export async function requireLoginPage(place: JobContext, run: Run): Promise<void> {
  await askPage(place, run, "health", 200);
}

/** Throws if the login page does not answer 503, as it does in maintenance mode. */
export async function requireMaintenancePage(place: JobContext, run: Run): Promise<void> {
  await askPage(place, run, "closed", 503);
}

async function askPage(place: JobContext, run: Run, job: "health" | "closed", wanted: number): Promise<void> {
  const result = await runJob(place, run, job);
  await requireResponse(place, run, result, wanted);
  await deleteFinishedJob(place, run, result);
}

/** Throws if the login page answered with another status. */
export async function requireResponse(place: JobContext, run: Run, result: JobResult, wanted: number): Promise<void> {
  const status = parseHealthStatus(result.log);
  if (result.succeeded && status === wanted) return;
  if (result.succeeded) await requireCompleteLog(place, run, result);
  const { events } = await place.space.evidence(run);
  await deleteFinishedJob(place, run, result);
  const words = status === null ? findLikelyErrorLine(result.log) ?? result.message : null;
  const answer = status === null ? "did not answer" : `answered ${status} instead of ${wanted}`;
  throw new ClusterError("Unhealthy", `The site's login page ${answer}${words ? `: ${shorten(words)}` : ""}`, {
    transient: false,
    hint: status === 503
      ? "The site is in maintenance, or upgrading: end that, then retry."
      : status !== null && wanted === 503
      ? "The site is open though it is to be in maintenance: ask for maintenance-on, or for maintenance-off."
      : "See the log of the pod of the Deployment moodle, and whether network policies let Jobs reach it; then retry.",
    evidence: { log: result.log, events },
  });
}

/** Deletes a finished Job whose log was read. Otherwise it would count against the namespace's quota for a day. */
export async function deleteFinishedJob({ space }: JobContext, run: Run, { name, uid }: JobResult): Promise<void> {
  try {
    await space.delete({ ...BATCH_JOB, name }, uid, run);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ClusterError)) throw error;
    run.log.info("Left a finished Job for the cluster to clear away", { name, error });
  }
}
