/**
 * Runs a restore test: restores a spoke's newest backup into a sandbox.
 * The backup counts as verified if all of these are true: the database has the site's identifier and the counts from
 * the time of the backup, all uploaded files exist, the code has the database's version, and the login page answers.
 *   sandbox -> volumes -> database -> app -> proof -> clear
 *       \__________\__________\_________\_______\____^      an early result skips the other steps
 * The result is stored as soon as it is known (ends.ts). The job is persistent: it ends only when the sandbox is
 * deleted. It has its own lane, so no operation waits for it.
 */
import type { App } from "#lib/app.ts";
import { findDataProblem, findFileProblem } from "#lib/domains/backups/restore-test.ts";
import { isGood } from "#lib/domains/backups/retention.ts";
import { DATABASE, MOODLE } from "#lib/moodle/names.ts";
import type { JobKind } from "#lib/operations/plan.ts";
import { createHandler, type Handler, type Run, wrapSteps } from "#lib/scheduler/handler.ts";
import { analyzeFailure, finalReportOf, mayRetry } from "#lib/scheduler/reports.ts";
import { HOUR, MINUTE } from "#lib/base/time.ts";
import { endFailed, endInVain, endProved, isJudged } from "#lib/workers/drills/ends.ts";
import { type DrillPlace, openDrill, readDrill } from "#lib/workers/drills/place.ts";
import type { FilesCheck } from "#lib/moodle/results.ts";
import { checkFiles, demandOpen, readDatabase } from "#lib/workers/jobs.ts";
import { untilReady } from "#lib/workers/running.ts";
import { makeSandbox, putInSandbox, removeSandbox } from "#lib/workers/sandbox/sandbox.ts";
import { finalError } from "#lib/workers/site.ts";
import { untilBound } from "#lib/workers/volumes/bound.ts";
import { claimsFrom } from "#lib/workers/volumes/claims.ts";

/** The job kind of restore tests. The time limit applies to the test; deleting the sandbox has no limit. */
export const DRILL = {
  kind: "drill",
  plan: 1,
  visible: false,
  persistent: true,
  timeLimit: 6 * HOUR,
  steps: [
    { name: "sandbox", label: "Making a sandbox", timeout: 5 * MINUTE },
    { name: "volumes", label: "Making its volumes from the backup", timeout: 3 * HOUR },
    { name: "database", label: "Starting the database", timeout: 20 * MINUTE },
    { name: "app", label: "Starting Moodle", timeout: 2 * HOUR },
    { name: "proof", label: "Looking at what is in it", timeout: 12 * MINUTE },
    { name: "clear", label: "Taking the sandbox away", timeout: HOUR },
  ],
} as const satisfies JobKind;

type Step = (typeof DRILL.steps)[number]["name"];

export function drill(app: App): Handler {
  const plan = { steps: {} as Readonly<Record<Step, unknown>> };
  const handler = createHandler({ kind: DRILL, plan }, (run: Run) => openDrill(app, run), {
    sandbox: makeSandbox,
    async volumes(place, run) {
      await claimsFrom(place, run, place.from);
      await untilBound(place, run);
    },
    async database(place, run) {
      await putInSandbox(place, run, "database");
      await untilReady(place, run, DATABASE);
    },
    async app(place, run) {
      await compareFiles(place, run);
      await putInSandbox(place, run, "app");
      await untilReady(place, run, MOODLE);
    },
    proof: prove,
    clear: removeSandbox,
  }, { hooks: {} });
  return wrapSteps(handler, (work, step) => step === "clear" ? clearing(work) : trying(app, work, step));
}

/**
 * Compares the uploaded files with the database. This runs before Moodle starts, because the start installs the image's
 * code and creates missing directories.
 */
async function compareFiles(place: DrillPlace, run: Run): Promise<void> {
  run.showProgress("Comparing the uploaded files with the database");
  const checked: FilesCheck = await checkFiles(place, run, place.backup.createdAt);
  await run.saveProgress({ checked });
}

async function prove(place: DrillPlace, run: Run): Promise<void> {
  const { counts: then } = place.backup, site = await readDatabase(place, run);
  const siteIdentifier = place.backup.siteIdentifier ?? place.spoke.siteIdentifier;
  const checked: FilesCheck | undefined = run.job.progress.checked; // absent if an older release started the test
  const lack = findDataProblem(site, { siteIdentifier, counts: then }) ??
    (checked ? findFileProblem(checked, site) : null);
  if (lack) {
    const hint = "Take another backup and see whether it can be restored; and find out what became of this one.";
    throw finalError(lack.code, `The restored site is not what it was: ${lack.sentence}`, hint);
  }
  await demandOpen(place, run);
  const { courses, users } = site.counts ?? { courses: null, users: null };
  const isWhole = checked !== undefined && !checked.elsewhere;
  await endProved(run, {
    ...{ courses, users, compared: site.counts !== null && then !== null },
    ...{ files: isWhole ? checked.files : null, hashed: isWhole ? checked.hashed : null },
    codeRelease: checked?.codeRelease ?? null,
  });
}

type Work = (run: Run) => Promise<void>;

/**
 * Wraps a step so that a permanent failure ends the test, but not the job. Skips the step once the test has a result.
 */
function trying(app: App, work: Work, step: string): Work {
  return async (run) => {
    if (isJudged(run)) return;
    const { backup, spoke } = await readDrill(app, run);
    if (spoke.state === "removing" || spoke.state === "removed") {
      return await endInVain(run, `the spoke is ${spoke.state}`);
    }
    if (!isGood(backup)) return await endInVain(run, "the backup is gone");
    const { failure, deadlineAt } = run.job;
    if (failure && await app.db.now() >= deadlineAt!) {
      return await endFailed(run, { nature: "transient", report: failure });
    }
    try {
      await work(run);
    } catch (error) {
      run.signal.throwIfAborted();
      const verdict = analyzeFailure(error, step);
      if (mayRetry(verdict, { ...DRILL, persistent: false }, run.job, await app.db.now())) throw error;
      await endFailed(run, { ...verdict, report: finalReportOf(verdict, run.job) });
    }
  };
}

/**
 * Wraps the step that deletes the sandbox. Skips it if no sandbox was created, because opening the sandbox may be what
 * failed.
 */
function clearing(work: Work): Work {
  return async (run) => {
    if (run.job.progress.sandbox) await work(run);
  };
}
