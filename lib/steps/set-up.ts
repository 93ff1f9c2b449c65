/**
 * Finishes an installation with a single Kubernetes Job, which checks the site's identifier, runs the seed (initial
 * content) and requests the login page. A failure of each of these parts is reported separately.
 */
import { parseSiteFacts, type SeedResult } from "#lib/moodle/job-results.ts";
import type { JobRun } from "#lib/scheduler/handler.ts";
import { requireSameSite } from "#lib/steps/site-identity.ts";
import { requireLoginStatus } from "#lib/steps/login-page.ts";
import { deleteFinishedJob, readDatabase, requireSeedResult } from "#lib/steps/site-jobs.ts";
import { buildClusterWaitOptions, type SpokeSite } from "#lib/steps/site.ts";

export async function setUpSite(site: SpokeSite, run: JobRun): Promise<SeedResult> {
  const { blueprint, inputs, space, spoke } = site;
  const parameters = spoke.siteIdentifier === null ? {} : { siteIdentifier: spoke.siteIdentifier };
  const result = await space.run(
    blueprint.jobObject(inputs, "setup", run.job.fence, parameters),
    buildClusterWaitOptions(run),
  );
  const facts = parseSiteFacts(result.log);
  if (facts) await requireSameSite(run, spoke, facts);
  const seeding = await requireSeedResult(site, run, result);
  await requireLoginStatus(site, run, result, 200);
  if (!facts) await requireSameSite(run, spoke, await readDatabase(site, run)); // a custom Job may print nothing
  await deleteFinishedJob(site, run, result);
  return seeding;
}
