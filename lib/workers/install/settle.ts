/**
 * Finishes an installation with one Job. The Job checks the site's identity, runs the seed and requests the login page.
 * Failures are reported like those of separate Jobs.
 */
import { readSiteFacts, type Seeding } from "#lib/moodle/results.ts";
import type { Run } from "#lib/scheduler/handler.ts";
import { demandSameSite } from "#lib/workers/identity.ts";
import { clearAway, demandAnswer, demandSeeded, readDatabase } from "#lib/workers/jobs.ts";
import { type SpokeSite, waitingFor } from "#lib/workers/site.ts";

export async function settleSite(site: SpokeSite, run: Run): Promise<Seeding> {
  const { blueprint, inputs, space, spoke } = site;
  const told = spoke.siteIdentifier === null ? {} : { siteIdentifier: spoke.siteIdentifier };
  const result = await space.run(blueprint.jobObject(inputs, "settle", run.job.fence, told), waitingFor(run));
  const facts = readSiteFacts(result.log);
  if (facts) await demandSameSite(run, spoke, facts);
  const seeding = await demandSeeded(site, run, result);
  await demandAnswer(site, run, result, 200);
  if (!facts) await demandSameSite(run, spoke, await readDatabase(site, run)); // a custom Job may print nothing
  await clearAway(site, run, result);
  return seeding;
}
