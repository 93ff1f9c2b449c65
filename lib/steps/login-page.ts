/** Checks a site's login page from inside the cluster, with a Kubernetes Job. */
import { ClusterError, type JobResult } from "#lib/drivers/cluster/cluster.ts";
import { parseLoginPageStatus } from "#lib/moodle/job-results.ts";
import { findLikelyErrorLine } from "#lib/moodle/log-causes.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import type { SpokeSite } from "#lib/steps/site.ts";
import {
  deleteFinishedJob,
  type JobContext,
  requireCompleteLog,
  runJob,
  shortenLogLine,
} from "#lib/steps/site-jobs.ts";

/** Throws unless the login page is open. In maintenance mode, throws unless it shows the maintenance page instead. */
export async function requireExpectedLoginPage(
  site: JobContext & Pick<SpokeSite, "spoke">,
  run: JobRun,
): Promise<void> {
  await (site.spoke.maintenance ? requireMaintenancePage(site, run) : requireLoginPage(site, run));
}

/** Throws unless the login page, requested from inside the cluster, responds with status 200. */
export async function requireLoginPage(site: JobContext, run: JobRun): Promise<void> {
  await checkPage(site, run, "health", 200);
}

/** Throws unless the login page responds with status 503, which means maintenance mode. */
export async function requireMaintenancePage(site: JobContext, run: JobRun): Promise<void> {
  await checkPage(site, run, "closed", 503);
}

async function checkPage(site: JobContext, run: JobRun, job: "health" | "closed", expected: number): Promise<void> {
  const result = await runJob(site, run, job);
  await requireLoginStatus(site, run, result, expected);
  await deleteFinishedJob(site, run, result);
}

/** Throws unless the Kubernetes Job got the expected status from the login page. */
export async function requireLoginStatus(
  site: JobContext,
  run: JobRun,
  result: JobResult,
  expected: number,
): Promise<void> {
  const status = parseLoginPageStatus(result.log);
  if (result.succeeded && status === expected) return;
  if (result.succeeded) await requireCompleteLog(site, run, result);
  const { events } = await site.space.evidence(run);
  await deleteFinishedJob(site, run, result);
  const words = status === null ? findLikelyErrorLine(result.log) ?? result.message : null;
  const answer = status === null ? "did not respond" : `responded with ${status} instead of ${expected}`;
  throw new ClusterError("Unhealthy", `The site's login page ${answer}${words ? `: ${shortenLogLine(words)}` : ""}`, {
    transient: false,
    hint: status === 503
      ? "The site is in maintenance mode or is being upgraded. Turn the mode off, or wait; then retry."
      : status !== null && expected === 503
      ? "The site is open but should be in maintenance mode. Run the action maintenance-on or maintenance-off."
      : "Check the log of Moodle's pod, and whether network policies let Kubernetes Jobs reach the pod. Then retry.",
    evidence: { log: result.log, events },
  });
}
