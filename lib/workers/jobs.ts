/** Runs the blueprint's Jobs in a spoke's namespace, and makes an error of a failure. */
import type { Blueprint } from "#lib/moodle/load.ts";
import type { JobName } from "#lib/moodle/files.ts";
import {
  type Code,
  type FilesCheck,
  readCode,
  readFilesCheck,
  readHealth,
  readSeed,
  readSite,
  type Seeding,
  type SiteIdentity,
} from "#lib/moodle/results.ts";
import type { Blame } from "#lib/base/errors.ts";
import { ClusterError, type Evidence, type JobResult, type Space } from "#lib/drivers/cluster/cluster.ts";
import type { SpokeInputs } from "#lib/moodle/inputs.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { SECOND } from "#lib/base/time.ts";
import { redact } from "#lib/base/redact.ts";
import { lastWords, readLogCause, readLogWait, WAIT_HINT } from "#lib/moodle/log-causes.ts";
import { JOB, type SpokeSite, waitingFor } from "#lib/workers/site.ts";

const LINE_MOST = 500; // of a log's line in a sentence

export interface JobPlace {
  readonly blueprint: Blueprint;
  readonly inputs: SpokeInputs;
  readonly space: Space;
}

/** `turn` tells apart two Jobs of one name that the same holder runs: a Job of the same name is taken for the same. */
export async function runJob(place: JobPlace, run: Run, name: JobName, turn = ""): Promise<JobResult> {
  const job = place.blueprint.jobObject(place.inputs, name, run.job.fence + turn);
  return await place.space.run(job, waitingFor(run));
}

/** Throws a final error with the Job's last lines unless it succeeded. */
export async function demandSuccess(place: JobPlace, run: Run, result: JobResult, what: string): Promise<JobResult> {
  if (result.succeeded) return result;
  const { events } = await place.space.evidence(run);
  throw failureOf(result, what, events);
}

/**
 * The same, and leaves no Job behind: a caller that asks again and again for what fails would use up the namespace's
 * quota of them.
 */
export async function demandTask(place: JobPlace, run: Run, result: JobResult, what: string): Promise<JobResult> {
  try {
    return await demandSuccess(place, run, result, what);
  } finally {
    await clearAway(place, run, result);
  }
}

/** What could not be done, why by the Job's own last words, and what the cluster calls it. */
function failureOf(result: JobResult, what: string, events: Evidence["events"]): ClusterError {
  const { log, exitCode } = result;
  const reason = result.reason ?? "JobFailed", message = result.message ?? "the Job failed";
  const told = exitCode === null || message.includes("exit code");
  const ending = told ? message : `${message}, exit code ${exitCode}`;
  const make = (code: string, text: string, hint: string, blame: Blame = "cluster") =>
    new ClusterError(code, `${what} because ${text}`, { transient: false, blame, hint, evidence: { log, events } });

  if (reason === "OOMKilled") {
    const hint = `Raise the memory limit of the size ("app" in sizes.yaml), or choose a larger size; then retry.`;
    return make(reason, `there was too little memory: ${ending}`, hint, "operator");
  }
  if (reason === "DeadlineExceeded") {
    const wait = readLogWait(log);
    const last = wait ? `it was still waiting: ${shorten(wait)}` : "it took too long";
    const hint = wait
      ? WAIT_HINT
      : "See how far it came in the last lines of its log; a slow disk or too little CPU may be the reason. Then retry.";
    return make(reason, `${last}: ${ending}`, hint);
  }
  const cause = readLogCause(log);
  if (cause) return make(cause.code, `${cause.why}: ${shorten(cause.line)} (${ending})`, cause.hint, cause.blame);
  const words = lastWords(log);
  const last = words === undefined ? ending : `${shorten(words)} (${ending})`;
  return make(reason, `its Job failed: ${last}`, "See the last lines of its log; once the cause is gone, retry.");
}

/** A line as it may stand in a message, which goes into logs as it is. */
function shorten(line: string): string {
  const text = redact(line);
  return text.length > LINE_MOST ? `${text.slice(0, LINE_MOST - 1)}…` : text;
}

/**
 * For conclusions from what a log lacks: a log that could not be read lacks everything, and a site is
 * not lost because a node was. It is tried again, with another Job.
 */
export async function demandHeard(place: JobPlace, run: Run, result: JobResult): Promise<void> {
  if (result.isLogComplete) return;
  await clearAway(place, run, result);
  throw new ClusterError("LogUnread", `What the Job ${result.name} has said could not be read`, {
    transient: true,
    hint: "See whether the API server reaches the kubelet of the node that the Job ran on; then retry.",
    evidence: { log: result.log, events: [] },
  });
}

/** Asks the spoke's database what is in it. */
export async function readDatabase(place: JobPlace, run: Run, turn = ""): Promise<SiteIdentity> {
  return await readAnswer(place, run, await runJob(place, run, "verify", turn));
}

/**
 * The same, and from then on no Job of an earlier holder begins any more that proves itself by the database's comment: what
 * has begun by now can be seen in the cluster, and what comes late is refused.
 */
export async function claimDatabase(place: JobPlace, run: Run): Promise<SiteIdentity> {
  return await readAnswer(place, run, await runJob(place, run, "claim"));
}

async function readAnswer(place: JobPlace, run: Run, result: JobResult): Promise<SiteIdentity> {
  await demandSuccess(place, run, result, "The database could not be asked");
  await demandHeard(place, run, result);
  await clearAway(place, run, result);
  return readSite(result.log);
}

/** Compares the files that the database names with those on the volume; `since` is when the backup began. */
export async function checkFiles(place: JobPlace, run: Run, since: Date): Promise<FilesCheck> {
  const told = { since: Math.floor(since.getTime() / SECOND) };
  const job = place.blueprint.jobObject(place.inputs, "verify-files", run.job.fence, told);
  const result = await place.space.run(job, waitingFor(run));
  await demandSuccess(place, run, result, "The site's files could not be compared with its database");
  await demandHeard(place, run, result);
  const check = readFilesCheck(result.log);
  if (!check) {
    throw new ClusterError("FilesUnread", "The Job that compares the site's files ended without a result", {
      transient: false,
      blame: "operator",
      hint: "verify-files.php in the blueprint must print the line verified at its end.",
      evidence: { log: result.log, events: [] },
    });
  }
  await clearAway(place, run, result);
  return check;
}

/** Keeps a site's administrators and suspended accounts from being linked to single sign-on; nothing without it. */
export async function protectSignIn(place: JobPlace, run: Run): Promise<void> {
  if (!place.inputs.identity) return;
  const result = await runJob(place, run, "protect-sign-in");
  await demandTask(place, run, result, "Administrators could not be protected from single sign-on");
}

/** Has the image of a version pulled, and asks it what lies in it. */
export async function readImage(place: JobPlace, run: Run): Promise<Code | null> {
  const result = await runJob(place, run, "preflight");
  await demandSuccess(place, run, result, "The image of the new version cannot be used");
  await demandHeard(place, run, result);
  await clearAway(place, run, result);
  return readCode(result.log);
}

export async function demandSeed(place: JobPlace, run: Run): Promise<Seeding> {
  const result = await runJob(place, run, "seed");
  await demandSuccess(place, run, result, SEEDING);
  const seeding = await demandSeeded(place, run, result);
  await clearAway(place, run, result);
  return seeding;
}

const SEEDING = "The site could not be set up";

/** The seed must have come to its end, whatever else the Job had to do. */
export async function demandSeeded(place: JobPlace, run: Run, result: JobResult): Promise<Seeding> {
  const seeding = readSeed(result.log);
  if (seeding.seeded) return seeding;
  await demandSuccess(place, run, result, SEEDING);
  await demandHeard(place, run, result);
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

/** The site's own login page must answer as the spoke is to be: open, or closed while it is in maintenance. */
export async function demandHealth(place: JobPlace & Pick<SpokeSite, "spoke">, run: Run): Promise<void> {
  await (place.spoke.maintenance ? demandClosed(place, run) : demandOpen(place, run));
}

/** The login page must answer 200, asked from inside. */
export async function demandOpen(place: JobPlace, run: Run): Promise<void> {
  await askPage(place, run, "health", 200);
}

/** The login page must answer 503, as that of a site in maintenance. */
export async function demandClosed(place: JobPlace, run: Run): Promise<void> {
  await askPage(place, run, "closed", 503);
}

async function askPage(place: JobPlace, run: Run, job: "health" | "closed", wanted: number): Promise<void> {
  const result = await runJob(place, run, job);
  await demandAnswer(place, run, result, wanted);
  await clearAway(place, run, result);
}

/** The login page must have answered the Job so. */
export async function demandAnswer(place: JobPlace, run: Run, result: JobResult, wanted: number): Promise<void> {
  const status = readHealth(result.log);
  if (result.succeeded && status === wanted) return;
  if (result.succeeded) await demandHeard(place, run, result);
  const { events } = await place.space.evidence(run);
  await clearAway(place, run, result);
  const words = status === null ? lastWords(result.log) ?? result.message : null;
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

/** A Job that has ended counts against the namespace's quota of Jobs for a day, and all that this one said was read. */
export async function clearAway({ space }: JobPlace, run: Run, { name, uid }: JobResult): Promise<void> {
  try {
    await space.delete({ ...JOB, name }, uid, run);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ClusterError)) throw error;
    run.log.info("Left a finished Job for the cluster to clear away", { name, error });
  }
}
