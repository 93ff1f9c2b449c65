/** Runs the Kubernetes Jobs that the blueprint defines in a site's namespace, and turns their failures into errors. */
import type { Blueprint } from "#lib/moodle/blueprint.ts";
import type { BlueprintJobName } from "#lib/moodle/blueprint-files.ts";
import {
  type CodeVersion,
  type FilesCheckResult,
  parseCodeVersion,
  parseFilesCheckResult,
  parseSeedResult,
  parseSiteIdentity,
  type SeedResult,
  type SiteIdentity,
} from "#lib/moodle/job-results.ts";
import type { FailureCause } from "#lib/base/errors.ts";
import {
  ClusterError,
  type ClusterNamespace,
  type FailureEvidence,
  type JobResult,
} from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { SECOND } from "#lib/base/time.ts";
import { redactSecrets } from "#lib/base/redact.ts";
import {
  findFailureCause,
  findLikelyErrorLine,
  findServiceWaitLine,
  SERVICE_WAIT_HINT,
} from "#lib/moodle/log-causes.ts";
import { buildClusterWaitOptions, KUBERNETES_JOB_KIND, tryInCluster } from "#lib/steps/site.ts";

const MAX_LINE_LENGTH = 500; // the maximum length of a log line in a message, in characters

export interface JobContext {
  readonly blueprint: Blueprint;
  readonly inputs: SpokeInputs;
  readonly space: ClusterNamespace;
}

/**
 * Runs a Kubernetes Job and returns its result. The Job's name contains the fence (claim number), and a Job with the
 * same name is not run again. To run one twice in an attempt, pass a `suffix`.
 */
export async function runJob(site: JobContext, run: JobRun, name: BlueprintJobName, suffix = ""): Promise<JobResult> {
  const job = site.blueprint.jobObject(site.inputs, name, run.job.fence + suffix);
  return await site.space.run(job, buildClusterWaitOptions(run));
}

/** If the Kubernetes Job failed, throws a permanent error that contains the Job's last log lines. */
export async function requireJobSuccess(
  site: JobContext,
  run: JobRun,
  result: JobResult,
  what: string,
): Promise<JobResult> {
  if (result.succeeded) return result;
  const { events } = await site.space.evidence(run);
  throw failureOf(result, what, events);
}

/**
 * Throws a permanent error if the Kubernetes Job failed, like `requireJobSuccess`. In any case deletes the Job, so that
 * repeated failures do not use up the namespace's quota.
 */
export async function requireJobSuccessAndDelete(
  site: JobContext,
  run: JobRun,
  result: JobResult,
  what: string,
): Promise<JobResult> {
  try {
    return await requireJobSuccess(site, run, result, what);
  } finally {
    await deleteFinishedJob(site, run, result);
  }
}

/** Creates the error for a failed Kubernetes Job from its log, its exit code and the reason that Kubernetes reports. */
function failureOf(result: JobResult, what: string, events: FailureEvidence["events"]): ClusterError {
  const { log, exitCode } = result;
  const reason = result.reason ?? "JobFailed", message = result.message ?? "the Job failed";
  const hasExitCode = exitCode === null || message.includes("exit code");
  const ending = hasExitCode ? message : `${message}, exit code ${exitCode}`;
  const fail = (code: string, text: string, hint: string, blame: FailureCause = "cluster") =>
    new ClusterError(code, `${what} because ${text}`, { transient: false, blame, hint, evidence: { log, events } });

  if (reason === "OOMKilled") {
    const hint = `Raise the memory limit of the size ("app" in sizes.yaml), or choose a larger size; then retry.`;
    return fail(reason, `there was too little memory: ${ending}`, hint, "operator");
  }
  if (reason === "DeadlineExceeded") {
    const wait = findServiceWaitLine(log);
    const last = wait ? `the Job was still waiting: ${shortenLogLine(wait)}` : "the Job took too long";
    const hint = wait
      ? SERVICE_WAIT_HINT
      : "Read the last lines of the Job's log; a slow disk or too little CPU may be the reason. Then retry.";
    return fail(reason, `${last}: ${ending}`, hint);
  }
  const cause = findFailureCause(log);
  if (cause) {
    return fail(cause.code, `${cause.reason}: ${shortenLogLine(cause.line)} (${ending})`, cause.hint, cause.blame);
  }
  const words = findLikelyErrorLine(log);
  const last = words === undefined ? ending : `${shortenLogLine(words)} (${ending})`;
  return fail(reason, `its Job failed: ${last}`, "Read the last lines of the Job's log, fix the cause, then retry.");
}

/** Removes secrets from a log line and shortens it, for use in a message. */
export function shortenLogLine(line: string): string {
  const text = redactSecrets(line);
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH - 1)}…` : text;
}

/**
 * If the Kubernetes Job's log could not be read completely, throws a transient error, because an expected line may be
 * missing. Deletes the Job first, so that the next attempt starts a new one.
 */
export async function requireCompleteLog(site: JobContext, run: JobRun, result: JobResult): Promise<void> {
  if (result.isLogComplete) return;
  await deleteFinishedJob(site, run, result);
  throw new ClusterError("LogUnread", `The log of the Job ${result.name} could not be read completely`, {
    transient: true,
    hint: "Check that the API server can reach the kubelet of the Job's node, then retry.",
    evidence: { log: result.log, events: [] },
  });
}

/** Reads Moodle's site identifier and version from the site's database, with a Kubernetes Job. */
export async function readDatabase(site: JobContext, run: JobRun, suffix = ""): Promise<SiteIdentity> {
  return await readSiteIdentity(site, run, await runJob(site, run, "verify", suffix));
}

/**
 * Reads Moodle's site identifier and version. Also stores this run's fence (claim number) as the database's comment
 * (COMMENT ON DATABASE). Kubernetes Jobs left over from earlier runs find it there and refuse to run.
 */
export async function storeFenceInDatabase(site: JobContext, run: JobRun): Promise<SiteIdentity> {
  return await readSiteIdentity(site, run, await runJob(site, run, "claim"));
}

async function readSiteIdentity(site: JobContext, run: JobRun, result: JobResult): Promise<SiteIdentity> {
  await requireJobSuccess(site, run, result, "The database could not be queried");
  await requireCompleteLog(site, run, result);
  await deleteFinishedJob(site, run, result);
  return parseSiteIdentity(result.log);
}

/** Checks that the files on a site's volume match its database. `since` is the time when the backup began. */
export async function checkFiles(site: JobContext, run: JobRun, since: Date): Promise<FilesCheckResult> {
  const parameters = { since: Math.floor(since.getTime() / SECOND) };
  const job = site.blueprint.jobObject(site.inputs, "verify-files", run.job.fence, parameters);
  const result = await site.space.run(job, buildClusterWaitOptions(run));
  await requireJobSuccess(site, run, result, "The site's files could not be compared with its database");
  await requireCompleteLog(site, run, result);
  const check = parseFilesCheckResult(result.log);
  if (!check) {
    throw new ClusterError("FilesUnread", "The Job that compares the site's files ended without a result", {
      transient: false,
      blame: "operator",
      hint: "The blueprint's verify-files.php must print `verified` as its last line.",
      evidence: { log: result.log, events: [] },
    });
  }
  await deleteFinishedJob(site, run, result);
  return check;
}

/** If the site has single sign-on, prevents it from being linked to accounts of administrators and suspended users. */
export async function excludeAdminsFromSingleSignOn(site: JobContext, run: JobRun): Promise<void> {
  if (!site.inputs.identity) return;
  const result = await runJob(site, run, "protect-sign-in");
  await requireJobSuccessAndDelete(site, run, result, "The administrators could not be excluded from single sign-on");
}

/** Pulls the image in the site's blueprint inputs, and returns the version of the Moodle code in the image. */
export async function readCodeVersionOfImage(site: JobContext, run: JobRun): Promise<CodeVersion | null> {
  const result = await runJob(site, run, "preflight");
  await requireJobSuccess(site, run, result, "The image of the new version cannot be used");
  await requireCompleteLog(site, run, result);
  await deleteFinishedJob(site, run, result);
  return parseCodeVersion(result.log);
}

export async function runSeedJob(site: JobContext, run: JobRun): Promise<SeedResult> {
  const result = await runJob(site, run, "seed");
  await requireJobSuccess(site, run, result, SEED_FAILED);
  const seeding = await requireSeedResult(site, run, result);
  await deleteFinishedJob(site, run, result);
  return seeding;
}

const SEED_FAILED = "The site could not be set up";

/** Returns the result of the seed (initial content). Throws a permanent error if the seed Job did not finish. */
export async function requireSeedResult(site: JobContext, run: JobRun, result: JobResult): Promise<SeedResult> {
  const seeding = parseSeedResult(result.log);
  if (seeding.isFinished) return seeding;
  await requireJobSuccess(site, run, result, SEED_FAILED);
  await requireCompleteLog(site, run, result);
  throw new ClusterError(
    "SeedIncomplete",
    `${SEED_FAILED} because the seed Job ended early`,
    {
      transient: false,
      blame: "operator",
      hint: "Read the last lines of the Job's log. The blueprint's seed.php must print `seeded` as its last line.",
      evidence: { log: result.log, events: [] },
    },
  );
}

/** Deletes a finished Kubernetes Job whose log was read, so that it does not use up the namespace's quota. */
export async function deleteFinishedJob({ space }: JobContext, run: JobRun, { name, uid }: JobResult): Promise<void> {
  const remove = () => space.delete({ ...KUBERNETES_JOB_KIND, name }, uid, run);
  await tryInCluster(run, remove, "info", "Cannot delete a finished Job; the cluster deletes it later", { name });
}

/** Turns Moodle's maintenance mode on or off. Can be repeated. Changes neither scheduled tasks nor the spoke's row. */
export async function setMaintenanceMode(context: JobContext, run: JobRun, mode: "enable" | "disable"): Promise<void> {
  const result = await runJob(context, run, `maintenance-${mode}`);
  const what = mode === "enable"
    ? "Maintenance mode could not be turned on"
    : "Maintenance mode could not be turned off";
  await requireJobSuccessAndDelete(context, run, result, what);
}
